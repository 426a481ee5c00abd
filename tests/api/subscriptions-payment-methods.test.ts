import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  chooseCard,
  createCustomerPortal,
  createPaymentMethod,
  listPaymentMethods,
} from "../../workers/api/subscriptions/payment-methods.ts";
import { skipPauses } from "../support/hurry.ts";
import { payCheckout } from "./support/gateway.ts";
import { expectSoundLedger } from "./support/ledger.ts";
import {
  addPerson,
  addPlan,
  asFan,
  beginAt,
  codeOf,
  DAY_MS,
  fan,
  join,
  listen,
  moveTo,
  now_ms,
} from "./support/subscriptions.ts";

skipPauses();
beforeEach(() => beginAt("2038-03-10T03:00:00Z"));
afterEach(expectSoundLedger);

describe("ways to pay", () => {
  test("are opened at the gateway twenty times a day, so that nobody tries stolen cards there", async () => {
    for (let times = 0; times < 10; times++) {
      await createPaymentMethod(asFan());
      await createCustomerPortal(asFan());
    }
    expect(await codeOf(createPaymentMethod(asFan()))).toBe("too_many_requests");
    expect(await codeOf(createCustomerPortal(asFan()))).toBe("too_many_requests");
    moveTo(now_ms + DAY_MS);
    expect(await codeOf(createCustomerPortal(asFan()))).toBe("done");
  });

  test("are listed as the gateway has them, and added and removed on its pages", async () => {
    expect(await listPaymentMethods(asFan(), fan)).toEqual([]);
    const { setup_url } = await createPaymentMethod(asFan());
    await payCheckout(setup_url);
    await join(await addPlan(), "3566 0020 2036 0505");
    await listen();
    const card = { last4: "4242", exp_month: 12, exp_year: 2060, is_default: false, plans: [] };
    expect(await listPaymentMethods(asFan(), fan)).toEqual([
      expect.objectContaining({ brand: "jcb", is_default: true }),
      expect.objectContaining({ brand: "visa", ...card }),
    ]);
    const { portal_url } = await createCustomerPortal(asFan());
    expect(portal_url).toMatch(/^http:\/\/site\.test\/payment-gateway\/portal\//);
    expect(await codeOf(chooseCard(asFan(), "pm_of_somebody"))).toBe("not_found");
  });

  test("name the plans that they pay, also when each plan was joined with a card of its own", async () => {
    const first = await join(await addPlan());
    const second = await join(await addPlan(800, await addPerson(1)), "3566 0020 2036 0505");
    const shown = async () =>
      (await listPaymentMethods(asFan(), fan)).map(({ brand, is_default, plans }) => [
        brand,
        is_default,
        plans.map(({ subscription_id }) => subscription_id).toSorted(),
      ]);
    expect(await shown()).toEqual([
      ["jcb", true, [second]],
      ["visa", true, [first]],
    ]);
    const [jcb] = await listPaymentMethods(asFan(), fan);
    await chooseCard(asFan(), jcb?.payment_method_id ?? "");
    expect(await shown()).toEqual([
      ["jcb", true, [first, second].toSorted()],
      ["visa", false, []],
    ]);
  });
});
