// What pages for people do by script: solve the challenge of a step, and confirm for somebody who is there.
"use strict"

const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16))
const hex = (found) => Array.from(new Uint8Array(found), (byte) => byte.toString(16).padStart(2, "0")).join("")

async function solve({nonce, salt, cost, prefix}) {
  const begin = bytes(nonce), password = new Uint8Array(begin.length + 4)
  const how = {name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations: Number(cost)}
  password.set(begin)
  for (let counter = 0; ; counter++) {
    new DataView(password.buffer).setUint32(begin.length, counter)
    const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"])
    const found = hex(await crypto.subtle.deriveBits(how, key, 256))
    if (found.startsWith(prefix)) return `${counter}:${found}`
  }
}

const step = document.querySelector("form[data-nonce]")
if (step) {
  const show = (moment) => {
    document.getElementById("moment").hidden = !moment
    document.getElementById("button").hidden = moment
  }
  const ask = () => show(false)
  show(true)
  setTimeout(ask, 10_000)
  addEventListener("pageshow", (event) => event.persisted && ask())
  solve(step.dataset).then((solution) => {
    const [, checked, sent] = document.querySelectorAll(".steps li")
    checked.className = ""
    sent.className = "now"
    step.elements.solution.value = solution
    step.submit()
  }).catch(ask)
}

const confirmation = document.querySelector("form[data-by]")
if (confirmation) {
  const EVENTS = ["pointerdown", "pointermove", "keydown", "touchstart", "wheel"] // no scroll: a script scrolls, too
  const MODIFIERS = ["Alt", "Control", "Meta", "Shift"]
  let timer
  const stop = () => {
    clearTimeout(timer)
    for (const name of EVENTS) removeEventListener(name, begin)
  }
  const go = () => {
    confirmation.elements.by.value = confirmation.dataset.by
    confirmation.submit()
  }
  const begin = (event) => {
    if (!event.isTrusted || document.visibilityState !== "visible" || MODIFIERS.includes(event.key)) return
    stop()
    timer = setTimeout(go, 3_000) // enough to go to the link that declines, which stops it
  }
  for (const name of EVENTS) addEventListener(name, begin, {passive: true})
  for (const name of ["pointerover", "touchstart", "focusin"]) document.getElementById("not-you").addEventListener(name, stop, {passive: true})
}
