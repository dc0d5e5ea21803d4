// Choice of theme, "/" for search, menus that close, ticked people, progress. Everything that reads works without this.
const root = document.documentElement

for (const themes of document.querySelectorAll("[data-themes]")) {
  themes.hidden = false
  for (const button of themes.querySelectorAll("button")) {
    const show = () => button.setAttribute("aria-pressed", String(button.dataset.theme === (root.dataset.theme ?? "")))
    show()
    document.addEventListener("themechange", show)
    button.addEventListener("click", () => {
      const {theme} = button.dataset
      if (theme) localStorage.setItem("theme", root.dataset.theme = theme)
      else { localStorage.removeItem("theme"); delete root.dataset.theme }
      document.dispatchEvent(new Event("themechange"))
    })
  }
}

// A time zone that nobody has typed is the browser's
for (const field of document.querySelectorAll("[data-zone]"))
  if (field.value === field.defaultValue) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]")
  const search = [...document.querySelectorAll("[data-slash]")].find((field) => field.offsetParent)
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && search) {
    event.preventDefault()
    search.focus()
  }
  const menu = event.key === "Escape" && event.target.closest("details.menu[open]")
  if (menu) {
    menu.open = false
    menu.querySelector("summary").focus()
  }
})

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false
})

// A second click waits for what the first has sent; a download leaves the page as it is
document.addEventListener("submit", (event) => {
  const form = event.target
  if (event.defaultPrevented || form.method !== "post" || event.submitter?.formTarget) return
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = "1"
  setTimeout(() => { delete form.dataset.sent }, 3000)
})

// What was typed is not lost unasked, to a link or to the button of another form
const isTyped = (field) => {
  if (field.options) return field.value !== ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked
}
for (const form of document.querySelectorAll("[data-unsaved]"))
  addEventListener("beforeunload", (event) => {
    const isUnsaved = form.dataset.unsaved || [...form.elements].some((field) => field.matches("input, select, textarea") && isTyped(field))
    if (isUnsaved && !form.dataset.sent) event.preventDefault()
  })

// Who goes back to a page, which is fetched anew, finds what was typed, so the token of its form stays the same, too.
// Not after F5 or a link to the same page, which keep `history.state`, either
const tokens = [...document.querySelectorAll("[data-once]")]
if (tokens.length) {
  const place = ({form}) => `${form.action} ${form.elements.key?.value ?? ""}`
  const isBack = performance.getEntriesByType("navigation")[0].type === "back_forward"
  for (const token of tokens) token.value = isBack && history.state?.[place(token)] || token.value
  history.replaceState(Object.fromEntries(tokens.map((token) => [place(token), token.value])), "")
}

// What was asked for after the end of a session is asked for again, by itself
document.querySelector("[data-goes-on]")?.requestSubmit()

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false
  button.addEventListener("click", () => print())
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard // only under https
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    button.lastChild.textContent = "Copied"
  })
}

// Those who are ticked in a list, counted
function countTicked(form) {
  const boxes = [...form.querySelectorAll("[name=uuid]")]
  const whole = document.createElement("input")
  whole.type = "checkbox"
  whole.setAttribute("aria-label", "Select all on this page")
  form.querySelector("thead .w44").replaceChildren(whole)
  const show = () => {
    const ticked = boxes.filter((box) => box.checked).length
    for (const box of boxes) box.closest("tr").classList.toggle("on", box.checked)
    form.querySelector("[data-ticked]").textContent = ticked ? `${ticked} selected` : "Select people"
    whole.checked = ticked === boxes.length
    for (const button of form.querySelectorAll(".bulk button")) button.disabled = !ticked && !form.elements.all.checked
  }
  form.addEventListener("change", (event) => {
    if (event.target === whole) for (const box of boxes) box.checked = whole.checked
    show()
  })
  addEventListener("pageshow", show) // after the browser has put back what was ticked
  show()
}
for (const form of document.querySelectorAll("[data-ticks]")) countTicked(form)

// The list follows what is typed, one question after another, once nothing is typed for a moment
async function find(form) {
  try {
    const answer = await fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form))})
    const page = new DOMParser().parseFromString(await answer.text(), "text/html")
    if (answer.status === 503) return // what is typed stays: Enter asks again
    const before = document.querySelectorAll("[data-found]"), found = page.querySelectorAll("[data-found]")
    if (found.length !== before.length) return form.submit() // to the sign-in
    before.forEach((part, place) => part.replaceWith(found[place]))
    for (const ticks of document.querySelectorAll("[data-ticks]")) countTicked(ticks)
    history.replaceState(null, "", answer.url)
  } catch { /* Enter asks again */ }
}
for (const field of document.querySelectorAll("[data-finds]")) {
  let typed = 0, asking = Promise.resolve()
  field.addEventListener("input", () => {
    const turn = ++typed
    setTimeout(() => { asking = asking.then(() => turn === typed && find(field.form)) }, 250)
  })
}

// What the title of a chart's part says, at once
document.addEventListener("pointerover", ({target}) => {
  const chart = target.closest(".chart"), said = target.closest(".hv")?.textContent
  for (const tip of document.querySelectorAll(".tip")) if (tip.parentElement !== chart) tip.remove()
  if (!said) return
  const tip = chart.querySelector(".tip") ?? chart.appendChild(document.createElement("span"))
  tip.className = "tip"
  tip.textContent = said
})

// What cannot be undone stays off until the number or the name is typed
const plain = (text) => text.replaceAll(",", "").replaceAll(/\s+/g, " ").trim()
for (const field of document.querySelectorAll("[data-typed]")) {
  const show = () => { field.form.querySelector(".acts button").disabled = plain(field.value) !== plain(field.dataset.typed) }
  field.addEventListener("input", show)
  addEventListener("pageshow", show)
}

// What runs is asked for every two seconds, until it has ended
async function follow() {
  try {
    const answer = await fetch(location.href)
    const page = new DOMParser().parseFromString(await answer.text(), "text/html")
    if (answer.status === 503) throw answer
    const id = document.activeElement.id
    const part = document.querySelector("[data-live]").dataset.live || "main"
    const drawn = page.querySelector(part)
    if (answer.redirected || !drawn) return location.reload()
    if (answer.ok) for (const each of [part, "[data-lamp]"]) document.querySelector(each)?.replaceWith(page.querySelector(each))
    if (id) document.getElementById(id)?.focus()
  } catch { /* asked again */ }
  if (document.querySelector("[data-live]")) setTimeout(follow, 2000)
}
if (document.querySelector("[data-live]")) setTimeout(follow, 2000)
