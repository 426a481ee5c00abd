import * as z from "zod";
import type { Stored } from "../storage/documents.ts";
import { whereField } from "../storage/filters.ts";
import { randomText } from "../storage/ids.ts";
import type { Unit } from "../storage/unit.ts";
import { GatewayError, invalidRequest } from "../wire/errors.ts";
import { answerList } from "../wire/lists.ts";
import { bool, listing, mergeMetadata, metadata, text } from "../wire/params.ts";
import { declineOf } from "./charges.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { attachMethod, getMethod } from "./payment-methods.ts";

/** Setup intents: keeping a card for later payments without taking money now. */

type Intent = Stored<"setup_intent">;

/** Adds a setup intent that waits for a payment method. */
export function addSetupIntent(unit: Unit, customer: string | null, metadata: Record<string, string>): Intent {
  const intent = unit.add("setup_intent", {
    body: {
      object: "setup_intent",
      allowed_payment_method_types: null,
      application: null,
      automatic_payment_methods: null,
      cancellation_reason: null,
      client_secret: null,
      created: unit.now,
      customer,
      customer_account: null,
      description: null,
      excluded_payment_method_types: null,
      flow_directions: null,
      last_setup_error: null,
      latest_attempt: null,
      livemode: false,
      mandate: null,
      metadata,
      next_action: null,
      on_behalf_of: null,
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: {},
      payment_method_types: ["card"],
      single_use_mandate: null,
      status: "requires_payment_method",
      usage: "off_session",
    },
  });
  intent.body.client_secret = `${intent.id}_secret_${randomText(24)}`;
  unit.emit("setup_intent.created", intent);
  return intent;
}

/**
 * Keeps the method. Its owner must have authenticated a card that asks for it.
 *
 * @throws GatewayError when the card refuses. The intent then waits for another method.
 */
export function succeedSetup(unit: Unit, intent: Intent, method: Stored<"payment_method">): void {
  const decline = declineOf(method.hidden, false);
  if (decline) {
    const error = { code: decline.code, decline_code: decline.decline_code };
    intent.body.last_setup_error = {
      ...error,
      message: decline.message,
      payment_method: method.body,
      type: "card_error",
    };
    unit.emit("setup_intent.setup_failed", unit.save(intent));
    throw new GatewayError(402, "card_error", decline.message, { ...error, setup_intent: intent.body });
  }
  if (intent.body.customer !== null) attachMethod(unit, method, String(intent.body.customer));
  Object.assign(intent.body, { status: "succeeded", payment_method: method.id, last_setup_error: null });
  unit.emit("setup_intent.succeeded", unit.save(intent));
}

function assertOpen({ body }: Intent): void {
  if (body.status === "succeeded" || body.status === "canceled") {
    throw invalidRequest(`This SetupIntent has a status of ${body.status}.`, {
      code: "setup_intent_unexpected_state",
      setup_intent: body,
    });
  }
}

async function confirm(unit: Unit, intent: Intent, payment_method: string | undefined): Promise<void> {
  assertOpen(intent);
  const id = payment_method ?? intent.body.payment_method;
  if (!id)
    throw invalidRequest("You must provide a payment method.", { code: "parameter_missing", param: "payment_method" });
  succeedSetup(unit, intent, await getMethod(unit, String(id)));
}

export const setupIntentEndpoints = [
  endpoint(
    "POST",
    "/v1/setup_intents",
    {
      confirm: bool.optional(),
      customer: text.optional(),
      metadata: metadata.optional(),
      payment_method: text.optional(),
      allowed_payment_method_types: z.tuple([z.literal("card")]).optional(),
      usage: z.literal("off_session").optional(),
    },
    async ({ unit, params }) => {
      const customer = params.customer === undefined ? null : (await getCustomer(unit, params.customer)).id;
      const intent = addSetupIntent(unit, customer, mergeMetadata({}, params.metadata));
      if (params.confirm) await confirm(unit, intent, params.payment_method);
      return intent.body;
    },
  ),
  endpoint("GET", "/v1/setup_intents", { ...listing, customer: text.optional() }, ({ unit, params }) =>
    answerList(unit, "setup_intent", "/v1/setup_intents", {
      ...params,
      where: whereField("customer", params.customer),
    }),
  ),
  endpoint("GET", "/v1/setup_intents/:id", {}, async ({ unit, id }) => (await unit.get("setup_intent", id)).body),
  endpoint(
    "POST",
    "/v1/setup_intents/:id/confirm",
    { payment_method: text.optional() },
    async ({ unit, id, params }) => {
      const intent = await unit.get("setup_intent", id);
      await confirm(unit, intent, params.payment_method);
      return intent.body;
    },
  ),
  endpoint("POST", "/v1/setup_intents/:id/cancel", {}, async ({ unit, id }) => {
    const intent = await unit.get("setup_intent", id);
    assertOpen(intent);
    intent.body.status = "canceled";
    unit.emit("setup_intent.canceled", unit.save(intent));
    return intent.body;
  }),
];
