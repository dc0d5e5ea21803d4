// The chosen theme, before anything is drawn; without a choice, the system's.
const theme = localStorage.getItem("theme")
if (theme) document.documentElement.dataset.theme = theme
