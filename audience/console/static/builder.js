// The visual builder of a segment's rule. Without script, the form has the rule as JSON.
const form = document.querySelector("[data-builder]")
const {groups, subjects, kinds, fields, events, tags, domains} = JSON.parse(form.dataset.builder)
const part = (name) => form.querySelector(`[data-${name}]`)
const json = form.elements.rules
const counted = new Map()
const csrf = document.querySelector("meta[name=csrf]").content
const WAIT_MS = 300
let root, saved, asking, timer

const DAYS = {days: {min: 1, max: 36500}, day: {min: 0, max: 36500}, anniversary: {min: 0, max: 364}}

// A node is a group {kind, parts} or a condition {subject, name, operator, value, times, days}.
function read(rule) {
  if (rule.all || rule.any) return {kind: rule.all ? "all" : "any", parts: (rule.all ?? rule.any).map(read)}
  if (rule.not) return {kind: "not", parts: (rule.not.any ?? [rule.not]).map(read)}
  const subject = Object.keys(subjects).find((name) => rule[name] != null)
  if (subject === "event") return {subject, name: rule.event, times: rule.at_least ?? 1, days: rule.within_days ?? ""}
  const {[subject]: operand, ...beside} = rule
  const named = subjects[subject].has_name
  const asked = named ? beside : typeof operand === "object" ? operand : {is: operand}
  const parts = Object.entries(asked).map(([operator, value]) => {
    const opposite = value === false && {exists: "missing", missing: "exists"}[operator]
    return {subject, name: named ? operand : "", operator: opposite || operator, value: shown(value)}
  })
  return parts.length === 1 ? parts[0] : {kind: "all", parts}
}

// The rule of a node; undefined while something is missing, in all of a group. `conditions` collects what is to be counted.
function write(node, conditions) {
  if (node.kind) {
    const parts = node.parts.map((inner) => write(inner, conditions)).filter(Boolean)
    if (node !== root && node.parts.length && !parts.length) return
    if (node.kind !== "not") return {[node.kind]: parts}
    return {not: parts.length === 1 ? parts[0] : {any: parts}}
  }
  node.rule = condition(node)
  if (node.rule) conditions.push(node.rule)
  return node.rule
}

function condition({subject, name, operator, value, times, days}) {
  if (subjects[subject].has_name && !name) return
  if (subject === "event") {
    const rule = {event: name}
    if (Number(times) > 1) rule.at_least = Number(times)
    if (days) rule.within_days = Number(days)
    return rule
  }
  const operand = meant(subject, operator, value)
  if (operand === undefined) return
  if (subject === "field") return {field: name, [operator]: operand}
  return {[subject]: operator === "is" ? operand : {[operator]: operand}}
}

function meant(subject, operator, value) {
  const kind = kinds[operator], text = String(value ?? "").trim()
  if (kind === "flag") return true
  if (!text) return
  if (["days", "day", "anniversary", "count"].includes(kind)) return Number(text)
  if (kind === "values") return split(text).map((each) => scalar(subject, each))
  return kind === "text" ? unquoted(text) : scalar(subject, text)
}

// Of a field, 12 is a number and "12" a text; of anything else, all is text.
function scalar(subject, text) {
  if (subject !== "field") return unquoted(text)
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  return text === "true" || text === "false" ? text === "true" : unquoted(text)
}

function unquoted(text) {
  try { return /^".*"$/.test(text) ? JSON.parse(text) : text } catch { return text }
}

function split(text) {
  return (text.match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []).map((each) => each.trim()).filter(Boolean)
}

function shown(value) {
  if (Array.isArray(value)) return value.map(quoted).join(", ")
  return typeof value === "string" && scalar("field", value) !== value ? JSON.stringify(value) : String(value)
}

const quoted = (value) => typeof value === "string" && /[,"]/.test(value) ? JSON.stringify(value) : shown(value)

// Drawing
function element(name, attributes = {}, ...inner) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (typeof value === "function") made.addEventListener(key, value)
    else if (value !== false) made.setAttribute(key, value === true ? "" : value)
  made.append(...inner)
  return made
}

function select(label, choices, chosen, change) {
  const made = element("select", {"aria-label": label, change: () => change(made.value)})
  for (const [name, options] of choices) {
    const place = name ? made.appendChild(element("optgroup", {label: name})) : made
    for (const [value, text] of options) place.append(element("option", {value, selected: value === chosen}, text))
  }
  return made
}

function input(label, value, change, attributes = {}) {
  const made = element("input", {"aria-label": label, value: value ?? "", required: true, ...attributes})
  made.addEventListener("input", () => { change(made.value); changed() })
  return made
}

const blank = () => ({subject: "tag", operator: "is", value: ""})

function group(node, parent) {
  const heads = Object.entries(groups)
  node.focus = select("How the conditions are combined", [["", heads]], node.kind, (kind) => {
    node.kind = kind
    redraw(node)
  })
  const head = element("div", {class: "gh"}, node.focus)
  if (parent) head.append(remove("Remove this group", node, parent))
  const add = (made) => () => { node.parts.push(made()); redraw(node.parts.at(-1)) }
  const adders = element("div", {class: "chips"},
    element("button", {type: "button", class: "chip add", click: add(blank)}, "Condition"),
    element("button", {type: "button", class: "chip add", click: add(() => ({kind: "any", parts: [blank()]}))}, "Group"))
  return element("div", {class: `grp ${node.kind}`, role: "group", "aria-label": groups[node.kind]}, head,
    element("ul", {}, ...node.parts.map((inner) => element("li", inner.kind ? {} : {class: "cond"}, ...draw(inner, node)))), adders)
}

function draw(node, parent) {
  if (node.kind) return [group(node, parent)]
  const count = element("span", {class: "n s m", title: "people who match this condition alone"})
  node.show = () => { count.textContent = counted.get(JSON.stringify(node.rule))?.toLocaleString("en") ?? "" }
  node.show()
  return [subject(node), ...(node.subject === "event" ? eventOperands(node) : operands(node)), count,
    remove("Remove this condition", node, parent)]
}

function subject(node) {
  const plain = Object.entries(subjects).filter(([, each]) => !each.has_name).map(([name, {label}]) => [name, label])
  const own = (name, known) => [...new Set(node.subject === name && node.name ? [node.name, ...known] : known)]
  const named = (name, words, known) => [...own(name, known).map((each) => [`${name}:${each}`, words(each)]), [`${name}:`, `Another ${name}…`]]
  const chosen = subjects[node.subject].has_name ? `${node.subject}:${node.name}` : node.subject
  const made = select("Subject of the condition", [["", plain],
    ["Fields", named("field", (each) => `${each} (field)`, fields)],
    ["Events", named("event", (each) => `Event ${each}`, events)]], chosen, (value) => {
    const [subject, ...name] = value.split(":")
    Object.assign(node, {subject, name: name.join(":"), value: "", times: 1, days: ""})
    if (!(node.operator in subjects[subject].operators)) node.operator = Object.keys(subjects[subject].operators)[0]
    redraw(node)
  })
  node.focus = made
  if (!subjects[node.subject].has_name || (node.name && !node.naming)) return made
  node.naming = true
  return element("div", {class: "stack tight"}, made,
    input(node.subject === "field" ? "Key of the field" : "Type of the event", node.name, (name) => { node.name = name.trim() }))
}

function eventOperands(node) {
  return [
    element("label", {class: "in"}, "at least ", input("Times at least", node.times, (times) => { node.times = times }, {type: "number", min: 1}), " times"),
    element("label", {class: "in"}, "in ", input("Days; empty for all time", node.days, (days) => { node.days = days },
      {type: "number", min: 1, max: 36500, required: false, placeholder: "all"}), " days")]
}

function operands(node) {
  const {operators, label} = subjects[node.subject]
  const how = select("Comparison", [["", Object.entries(operators)]], node.operator, (operator) => {
    if (kinds[operator] !== kinds[node.operator]) node.value = ""
    node.operator = operator
    redraw(node)
  })
  return [how, operand(node, `Value of ${node.name || label}`)]
}

function operand(node, label) {
  const kind = kinds[node.operator], change = (value) => { node.value = value }
  if (kind === "flag") return element("span")
  if (node.subject === "status") {
    if (!node.value) node.value = "subscribed"
    return select(label, [["", [["subscribed", "subscribed"], ["unsubscribed", "unsubscribed"]]]], node.value,
      (value) => { node.value = value; changed() })
  }
  if (kind in DAYS) return input(label, node.value, change, {type: "number", ...DAYS[kind]})
  const isDay = subjects[node.subject].is_date && /^(\d{4}-\d\d-\d\d)?$/.test(node.value ?? "")
  if (isDay) return input(label, node.value, change, {type: "date"})
  return suggested(node, input(label, node.value, change, {autocomplete: "off",
    placeholder: kind === "values" ? "several, separated by commas" : ""}))
}

let lists = 0
function suggested(node, field) {
  const list = element("datalist", {id: `values-${++lists}`})
  field.setAttribute("list", list.id)
  const offer = (values) => list.replaceChildren(...values.map((value) => element("option", {value: shown(value)})))
  if (node.subject === "tag") offer(tags)
  if (node.subject === "email_domain") offer(domains)
  if (node.subject === "field") field.addEventListener("focus", async () => {
    const answer = await fetch(`${form.dataset.values}?field=${encodeURIComponent(node.name)}`)
    if (answer.ok) offer(await answer.json())
  }, {once: true})
  return element("div", {}, field, list)
}

function remove(label, node, parent) {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  mark.setAttribute("class", "i")
  mark.setAttribute("viewBox", "0 0 16 16")
  mark.setAttribute("aria-hidden", "true")
  mark.append(document.createElementNS("http://www.w3.org/2000/svg", "path"))
  mark.firstChild.setAttribute("d", "m4 4 8 8M12 4l-8 8")
  return element("button", {type: "button", class: "ico", "aria-label": label, click: () => {
    const place = parent.parts.indexOf(node)
    parent.parts.splice(place, 1)
    redraw(parent.parts[place] ?? parent.parts[place - 1] ?? parent)
  }}, mark)
}

function redraw(focus) {
  part("tree").replaceChildren(group(root))
  changed()
  focus.focus.focus()
}

// Counting
function changed() {
  json.value = JSON.stringify(write(root, []), null, 2)
  part("state").hidden = json.value === saved
  ask()
}

function ask() {
  clearTimeout(timer)
  timer = setTimeout(preview, WAIT_MS)
}

function conditions(node) {
  return node.kind ? node.parts.flatMap(conditions) : [node]
}

async function preview() {
  asking?.abort()
  asking = new AbortController()
  const found = []
  const rules = JSON.stringify(write(root, found))
  const wanted = [...new Set(found.map((each) => JSON.stringify(each)))].filter((each) => !counted.has(each))
  try {
    const answer = await fetch(form.dataset.preview, {
      method: "POST", headers: {"X-CSRF-Token": csrf}, signal: asking.signal,
      body: new URLSearchParams({rules, conditions: `[${wanted}]`})})
    const said = await answer.json()
    part("problem").hidden = answer.ok
    part("problem").textContent = said.problem ?? ""
    if (!answer.ok) return
    wanted.forEach((each, place) => { if (place in said.counts) counted.set(each, said.counts[place]) })
    for (const each of conditions(root)) each.show?.()
    part("words").textContent = said.words
    part("people").innerHTML = said.people
  } catch (error) {
    if (error.name !== "AbortError") {
      part("problem").hidden = false
      part("problem").textContent = "Not counted: the service cannot be reached, or you are no longer signed in."
    }
  }
}

function begin() {
  const rule = read(JSON.parse(json.value))
  root = rule.kind ? rule : {kind: "all", parts: [rule]}
  part("tree").replaceChildren(group(root))
  ask()
}

try {
  begin()
  saved = JSON.stringify(write(root, []), null, 2)
  part("try").hidden = true
  json.closest("details").open = false
} catch { part("tree").textContent = "This rule cannot be shown here: change it as JSON below." }

json.addEventListener("change", () => {
  try { begin() } catch { return }
  part("state").hidden = false
})
