import * as z from "zod";
import { text } from "../wire/params.ts";
import { getCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";

/** How long a portal's page may be opened. Source: https://docs.stripe.com/api/customer_portal/sessions, an hour of use. */
export const PORTAL_S = 60 * 60;

export const portalEndpoints = [
  endpoint(
    "POST",
    "/v1/billing_portal/sessions",
    {
      configuration: text.optional(),
      customer: text,
      locale: z.enum(["auto", "ja"]).optional(),
      return_url: text.optional(),
    },
    async ({ unit, params }) => {
      const customer = await getCustomer(unit, params.customer);
      const session = unit.add("billing_portal.session", {
        body: {
          object: "billing_portal.session",
          after_expiration: null,
          configuration: params.configuration ?? "bpc_demo",
          created: unit.now,
          customer: customer.id,
          customer_account: null,
          flow: null,
          livemode: false,
          locale: params.locale ?? null,
          on_behalf_of: null,
          return_url: params.return_url ?? null,
          url: "",
        },
      });
      session.body.url = `${unit.gateway.env.SITE_ORIGIN}/payment-gateway/portal/${session.id}`;
      unit.emit("billing_portal.session.created", session);
      return session.body;
    },
  ),
];
