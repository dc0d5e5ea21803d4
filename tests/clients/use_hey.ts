// Uses the client that hey-api makes; it is checked, and then it runs.

import assert from "node:assert/strict"
import { client } from "./hey/client.gen.js"
import { findSubscriber, getImport, importSubscribers, search } from "./hey/index.js"

const { AUDIENCE_URL: baseUrl = "", AUDIENCE_KEYS: keys = "" } = process.env
client.setConfig({ baseUrl, headers: { Authorization: `Basic ${btoa(keys)}` } })
const email = "hey@example.com"

const accepted = await importSubscribers({ body: { subscribers: [{ email, tags: ["hey"], seats: 3 }] } })
assert.ok(accepted.data, JSON.stringify(accepted.error))
for (let finished = false; !finished; ) {
  const progress = await getImport({ path: { import_id: accepted.data.import_id } })
  finished = progress.data?.data.attributes.status === "finished"
}
const found = await findSubscriber({ query: { email } })
assert.equal(found.data?.data?.attributes.fields.seats, 3)
const searched = await search({ body: { tags: ["hey"] } })
assert.deepEqual(searched.data?.data.map((each) => each.attributes.email), [email])
const refused = await getImport({ path: { import_id: "999" } })
assert.equal(refused.error?.code, "import_not_found")
