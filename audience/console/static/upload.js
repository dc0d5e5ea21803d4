// Sends a file with progress, and takes one that is dropped. Without script the form does the same.
const form = document.querySelector("[data-upload]")
const part = (name) => form.querySelector(`[data-${name}]`)
const file = form.elements.file

form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over") })
form.addEventListener("dragleave", () => form.classList.remove("over"))
form.addEventListener("drop", (event) => {
  event.preventDefault()
  form.classList.remove("over")
  if (!event.dataTransfer.files.length) return
  file.files = event.dataTransfer.files
  form.requestSubmit()
})

file.addEventListener("change", () => form.requestSubmit())

form.addEventListener("submit", (event) => {
  event.preventDefault()
  const request = new XMLHttpRequest()
  const say = (text) => { part("problem").textContent = text; form.querySelector("button").disabled = false }
  request.upload.addEventListener("progress", ({loaded, total}) => {
    const percent = Math.floor(100 * loaded / total)
    part("percent").textContent = `${percent}%`
    form.querySelector("progress").value = percent
  })
  request.addEventListener("error", () => say("The file was not sent completely: try again."))
  request.addEventListener("load", () => {
    const isPage = request.getResponseHeader("Content-Type").startsWith("text/html") // after a redirect: the sign-in
    if (request.status === 200) return location.assign(isPage ? request.responseURL : JSON.parse(request.responseText).page)
    const page = new DOMParser().parseFromString(request.responseText, "text/html")
    say((page.querySelector("[role=alert]") ?? page.querySelector("main") ?? page.body).textContent.trim())
  })
  part("progress").hidden = false
  say("")
  form.querySelector("button").disabled = true
  request.open("POST", form.action)
  request.setRequestHeader("X-CSRF-Token", form.elements.csrf.value)
  request.send(new FormData(form))
})
