import type Stripe from "stripe";
import * as z from "zod";
import { whereField, whereOneOf, whereRange } from "../storage/filters.ts";
import { randomText } from "../storage/ids.ts";
import { API_VERSION, type Unit } from "../storage/unit.ts";
import { answerList } from "../wire/lists.ts";
import { bool, listing, mergeMetadata, metadata, range, text } from "../wire/params.ts";
import { endpoint } from "./endpoint.ts";

/** Events, and the endpoints that they are delivered to. */

/** Returns an event as it is now: with the number of deliveries that are still to come. */
async function withPending(unit: Unit, body: Stripe.Event): Promise<Stripe.Event> {
  const row = await unit.gateway.env.DB.prepare(
    "SELECT COUNT(*) AS pending FROM deliveries WHERE event_id = ? AND next_at IS NOT NULL",
  )
    .bind(body.id)
    .first<{ pending: number }>();
  return { ...body, pending_webhooks: row?.pending ?? 0 };
}

const url = text.refine((value) => /^https?:\/\//.test(value) && URL.canParse(value));
const enabled_events = z.array(text).min(1).max(200);
const changes = {
  description: text.optional(),
  disabled: bool.optional(),
  enabled_events: enabled_events.optional(),
  metadata: metadata.optional(),
  url: url.optional(),
};

export const eventEndpoints = [
  endpoint(
    "GET",
    "/v1/events",
    { ...listing, created: range.optional(), type: text.optional(), types: z.array(text).max(20).optional() },
    async ({ unit, params }) => {
      const page = await answerList(unit, "event", "/v1/events", {
        ...params,
        where: [
          ...whereRange("created", params.created),
          ...whereField("type", params.type),
          ...(params.types ? whereOneOf("type", params.types) : []),
        ],
      });
      return { ...page, data: await Promise.all(page.data.map((body) => withPending(unit, body))) };
    },
  ),
  endpoint("GET", "/v1/events/:id", {}, async ({ unit, id }) => withPending(unit, (await unit.get("event", id)).body)),
  endpoint(
    "POST",
    "/v1/webhook_endpoints",
    {
      api_version: z.literal(API_VERSION).optional(),
      connect: bool.optional(),
      description: text.optional(),
      enabled_events,
      metadata: metadata.optional(),
      url,
    },
    async ({ unit, params }) => {
      const secret = `whsec_${randomText(32)}`;
      const made = unit.add("webhook_endpoint", {
        hidden: { secret },
        body: {
          object: "webhook_endpoint",
          api_version: params.api_version ?? null,
          application: null,
          created: unit.now,
          description: params.description ?? null,
          enabled_events: params.enabled_events,
          livemode: false,
          metadata: mergeMetadata({}, params.metadata),
          status: "enabled",
          url: params.url,
        },
      });
      // The secret is answered once.
      return { ...made.body, secret };
    },
  ),
  endpoint("GET", "/v1/webhook_endpoints", listing, ({ unit, params }) =>
    answerList(unit, "webhook_endpoint", "/v1/webhook_endpoints", params),
  ),
  endpoint(
    "GET",
    "/v1/webhook_endpoints/:id",
    {},
    async ({ unit, id }) => (await unit.get("webhook_endpoint", id)).body,
  ),
  endpoint("POST", "/v1/webhook_endpoints/:id", changes, async ({ unit, id, params }) => {
    const { body } = unit.save(await unit.get("webhook_endpoint", id));
    if (params.url !== undefined) body.url = params.url;
    if (params.description !== undefined) body.description = params.description;
    if (params.enabled_events !== undefined) body.enabled_events = params.enabled_events;
    if (params.disabled !== undefined) body.status = params.disabled ? "disabled" : "enabled";
    body.metadata = mergeMetadata(body.metadata, params.metadata);
    return body;
  }),
  endpoint("DELETE", "/v1/webhook_endpoints/:id", {}, async ({ unit, id }) => {
    const found = await unit.get("webhook_endpoint", id);
    found.body = { id, object: "webhook_endpoint", deleted: true } as unknown as Stripe.WebhookEndpoint;
    return unit.save(found).body;
  }),
];
