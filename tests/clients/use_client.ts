// Uses the types that openapi-typescript makes, with openapi-fetch; they are checked, and then it runs.

import assert from "node:assert/strict"
import createClient from "openapi-fetch"
import type { components, paths, webhooks } from "./api.js"

const { AUDIENCE_URL: baseUrl = "", AUDIENCE_KEYS: keys = "" } = process.env
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Basic ${btoa(keys)}` } })
const email = "ts@example.com"

const fields = { plan: "pro", seats: 3, more: { places: ["Oslo"] } }
const created = await client.POST("/v1/fetch/subscribers", {
  body: { subscriber: { email, first_name: "Ann", tags: ["ts"], fields } },
})
assert.ok(created.data?.data, JSON.stringify(created.error))
assert.equal(created.data.data.attributes.fields.plan, "pro")
const left: string | null = created.data.data.attributes.unsubscribed_at
assert.equal(left, null)

const found = await client.GET("/v1/fetch/subscribers", { params: { query: { email } } })
assert.equal(found.data?.data?.attributes.uuid, created.data.data.attributes.uuid)
const nobody = await client.GET("/v1/fetch/subscribers", { params: { query: { email: "nobody@example.com" } } })
assert.equal(nobody.data?.data, null)

const searched = await client.GET("/v1/fetch/search", {
  params: { query: { "created_at[gt]": "2026-01-01", tags: ["ts"] } },
})
assert.deepEqual(searched.data?.data.map((each) => each.attributes.email), [email])
assert.deepEqual(searched.data?.meta.ignored, [])
const before = await client.POST("/v1/fetch/search", { body: { created_at: { lt: "2026-01-01" } } })
assert.deepEqual(before.data?.data, [])

const rules: components["schemas"]["Rule"] = {
  all: [{ tag: "ts" }, { created_at: { gt: "2026-01-01" } }, { not: { field: "plan", in: ["free", 5] } }],
}
const preview = await client.POST("/v1/fetch/segments/preview", { body: { segment: { rules } } })
assert.equal(preview.data?.user_count, 1)
assert.equal(preview.data?.data[0]?.attributes.email, email)
const saved = await client.POST("/v1/fetch/segments", { body: { segment: { name: "Ts", rules } } })
assert.ok(saved.data?.data)
assert.deepEqual(saved.data.data.attributes.rules, rules)
const counts = await client.GET("/v1/stats/segment", { params: { query: { segment_id: saved.data.data.id } } })
assert.equal(counts.data?.subscriber_count, 1)

const site = await client.GET("/v1/stats/site")
assert.ok(site.data)
assert.equal(site.data.user_count, site.data.subscriber_count + site.data.unsubscriber_count)
const missing = await client.GET("/v1/stats/segment", { params: { query: { segment_id: "999" } } })
assert.match(missing.error?.error ?? "", /^Segment not found/)

const judged = await client.POST("/v1/experimental/validation", { body: { email: "ann@gmial.com" } })
assert.equal(judged.data?.suggestion, "ann@gmail.com")

const received = await client.POST("/v1/batch/imports", {
  params: { query: { map: { Mail: "email" }, tag: ["moved", "ts"], consent: "subscribed" } },
  headers: { "Content-Type": "text/csv" },
  body: "Mail,Town\ncyd@example.com,Oslo\n",
  bodySerializer: (file) => file,
})
assert.equal(received.data?.data?.attributes.total, 1)
assert.deepEqual(received.data?.meta?.columns.map((column) => column.meaning), ["email", "field:Town"])

const log = await client.GET("/v1/fetch/changes", { params: { query: { after: 0 } } })
type Message = webhooks["message"]["post"]["requestBody"]["content"]["application/json"]
const message: Message = { type: "changes", timestamp: "2026-08-21T02:08:30.364Z", data: log.data?.data ?? [] }
assert.ok(message.data.some((each) => each.attributes.email === email))
