// Uses the functions that orval makes; they are checked, and then they run.

import assert from "node:assert/strict"
import { findSubscriber, getImport, importSubscribers, search } from "./orval.js"

const { AUDIENCE_URL = "", AUDIENCE_KEYS = "" } = process.env
const send = globalThis.fetch
globalThis.fetch = (path, options) => send(`${AUDIENCE_URL}${path}`, options)
const options = { headers: { Authorization: `Basic ${btoa(AUDIENCE_KEYS)}` } }
const email = "orval@example.com"

const accepted = await importSubscribers({ subscribers: [{ email, tags: ["orval"], seats: 3 }] }, {}, options)
assert.ok(accepted.status === 200)
assert.equal(accepted.data.failed, 0)
for (let finished = false; !finished; ) {
  const progress = await getImport(accepted.data.import_id, {}, options)
  assert.ok(progress.status === 200)
  finished = progress.data.data.attributes.status === "finished"
}
const found = await findSubscriber({ email }, options)
assert.ok(found.status === 200)
assert.equal(found.data.data?.attributes.fields.seats, 3)
const searched = await search({ tags: ["orval"] }, {}, options)
assert.ok(searched.status === 200)
assert.deepEqual(searched.data.data.map((each) => each.attributes.email), [email])
const refused = await getImport("999", {}, options)
assert.ok(refused.status === 404)
assert.equal(refused.data.code, "import_not_found")
