"use strict"
const token = location.hash.slice(1)
if (token) {
  history.replaceState(null, "", location.pathname + location.search)
  document.getElementById("token").value = token
  document.getElementById("token-field").hidden = true
}
