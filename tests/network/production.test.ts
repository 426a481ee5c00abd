import { afterAll, beforeAll, expect, test } from "vitest";
import { type Network, startTestNetwork } from "../support/network.ts";

let unfit: Network;

beforeAll(async () => {
  // What a local network is made of, called production: a demo project, own keys, the embedded provider.
  unfit = await startTestNetwork({ ENVIRONMENT: "production" });
});
afterAll(() => unfit.stop());

test.each([
  "/",
  "/natsume",
  "/login",
  "/v4/users?link_id=natsume",
  "/api/maintenance",
  "/media/x/medium",
  "/v2/general/auth/custom-token",
  "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x",
  "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
  "/emulator/v1/projects/demo-ofuse/mails",
  "/dev/outbox",
])("a deployment that must not serve does not serve %s, nor say why", async (path) => {
  const response = await fetch(unfit.url + path);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toMatch(/demo|secret|JWKS|なつめ/i);
});
