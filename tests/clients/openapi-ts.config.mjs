// Node finds the files of a module by their whole name.
export default {
  input: "openapi.json",
  output: { path: "hey", importFileExtension: ".js" },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
}
