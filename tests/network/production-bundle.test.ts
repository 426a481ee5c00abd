import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import { type Network, startTestNetwork } from "../support/network.ts";

const root = resolve(import.meta.dirname, "../..");

/** Returns every deployed text: the workers, the browser's files, and wrangler's configuration. */
function deployedTexts(): [string, string][] {
  return ["build/server", "build/client", "dist"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(js|json|html|css|txt|webmanifest)$/.test(file))
      .map((file): [string, string] => [join(folder, file), readFileSync(join(root, folder, file), "utf8")]),
  );
}

test("the deployed files contain no secret, no demo account and no key", () => {
  const texts = deployedTexts();
  expect(texts.length).toBeGreaterThan(50);
  const forbidden = [DEMO_PASSWORD, demoEmail("natsume"), demoEmail("fan_hana"), "@demo.example"];
  const found = texts.flatMap(([file, text]) => [
    ...forbidden.filter((each) => text.includes(each)).map((each) => `${file}: ${each}`),
    ...(/-----BEGIN (RSA )?PRIVATE KEY-----\s*\\?n?[A-Za-z0-9+/]{40}/.test(text) ? [`${file}: a private key`] : []),
    ...(/"private_key"\s*:\s*"-----BEGIN/.test(text) ? [`${file}: a service account`] : []),
  ]);
  expect(found).toEqual([]);
});

test("the deployed configuration is for production, names no project yet, and names secrets without values", () => {
  for (const path of [
    "build/server/wrangler.json",
    "dist/ofuse_identity/wrangler.json",
    "dist/ofuse_api/wrangler.json",
  ]) {
    const { vars, secrets } = JSON.parse(readFileSync(join(root, path), "utf8"));
    expect(vars).toMatchObject({ ENVIRONMENT: "production", PROJECT_ID: "" });
    expect(JSON.stringify(vars)).not.toMatch(/identity\.internal|demo-|localhost/);
    for (const name of secrets.required) expect(vars).not.toHaveProperty(name);
  }
});

test("the deployed limits on guessing and signing up are the decided ones", () => {
  const { vars } = JSON.parse(readFileSync(join(root, "dist/ofuse_identity/wrangler.json"), "utf8"));
  expect(vars).toMatchObject({
    SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "10",
    SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "20",
    SIGN_UPS_PER_ADDRESS_HOUR: "5",
  });
});

describe("in production", () => {
  let deployed: Network;
  beforeAll(async () => {
    const site = JSON.parse(JSON.stringify(demoSite).replaceAll("（デモ）", "").replaceAll(".example", ".jp"));
    deployed = await startTestNetwork({
      ENVIRONMENT: "production",
      PROJECT_ID: "ofuse-live",
      JWKS_URL: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
      IDENTITY_TOOLKIT_URL: "https://identitytoolkit.googleapis.com",
      SECURE_TOKEN_URL: "https://securetoken.googleapis.com",
      SITE: JSON.stringify(site),
    });
  });
  afterAll(() => deployed.stop());

  test.each([
    "/dev/outbox",
    "/emulator/v1/projects/ofuse-live/mails",
    "/emulator/v1/projects/ofuse-live/oobCodes",
    "/developer-idp/google.com/authorize?client_id=ofuse-live",
    "/developer-idp/google.com/keys",
    "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x",
    "/securetoken.googleapis.com/v1/token?key=x",
    "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
  ])("there is no %s", async (path) => {
    const { url } = deployed;
    const form = { method: "POST", body: new URLSearchParams({ x: "1" }), headers: { origin: url } };
    expect((await fetch(url + path)).status).toBe(404);
    expect([404, 405]).toContain((await fetch(url + path, form)).status);
  });
});
