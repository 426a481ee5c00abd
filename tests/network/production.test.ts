import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoSite } from "../../scripts/demo-site.ts";
import { type Network, startTestNetwork } from "../support/network.ts";

let unfit: Network;

beforeAll(async () => {
  // The parts of a local network, called production: a demo project, its own keys, the embedded provider.
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
])("a deployment with unsafe settings refuses %s, without a reason", async (path) => {
  const response = await fetch(unfit.url + path);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toMatch(/demo|secret|JWKS|なつめ/i);
});

describe("a deployment with safe settings", () => {
  const FIT = {
    ENVIRONMENT: "production",
    PROJECT_ID: "ofuse-live",
    JWKS_URL: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    IDENTITY_TOOLKIT_URL: "https://identitytoolkit.googleapis.com",
    SECURE_TOKEN_URL: "https://securetoken.googleapis.com",
  };
  const site = JSON.parse(JSON.stringify(demoSite).replaceAll("（デモ）", "").replaceAll(".example", ".jp"));

  const noticeWith = async (phone: string) => {
    const SITE = JSON.stringify({ ...site, notice: { ...site.notice, phone } });
    const deployed = await startTestNetwork({ ...FIT, SITE });
    try {
      const response = await fetch(`${deployed.url}/transactions`);
      return { status: response.status, text: await response.text() };
    } finally {
      await deployed.stop();
    }
  };

  test("serves with the name of its operator in the legal notice", async () => {
    const { status, text } = await noticeWith("03-1234-5678");
    expect(status).toBe(200);
    expect(text).toContain("<dd><p>03-1234-5678</p></dd>");
  });

  test("refuses to serve without the legal notice", async () => {
    expect(await noticeWith(" ")).toEqual({ status: 500, text: "Service misconfigured" });
  });
});
