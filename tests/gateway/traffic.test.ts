import { expect, test } from "vitest";
import { toTrafficLine } from "../../workers/gateway/wire/traffic.ts";

test("a recording has no account number and no secret, and keeps their shapes", () => {
  const line = toTrafficLine({
    method: "POST",
    path: "/v1/accounts/acct_1/external_accounts",
    params: { external_account: { account_number: "7654321", routing_number: "0001210" } },
    status: 200,
    body: {
      bank_account: { last4: "4321" },
      intents: [{ client_secret: "pi_1_secret_abcdef" }, { client_secret: null }],
      endpoint: { secret: "whsec_abcdef" },
    },
  });
  expect(JSON.parse(line)).toEqual({
    method: "POST",
    path: "/v1/accounts/acct_1/external_accounts",
    params: { external_account: { account_number: "0001234", routing_number: "0001210" } },
    status: 200,
    body: {
      bank_account: { last4: "4321" },
      intents: [{ client_secret: "pi_1_secret_masked" }, { client_secret: null }],
      endpoint: { secret: "whsec_masked" },
    },
  });
});
