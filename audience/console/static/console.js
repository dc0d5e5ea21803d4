// Choice of theme, "/" for search, menus that close. Everything that reads works without this.
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

