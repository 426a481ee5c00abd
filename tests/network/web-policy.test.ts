import { expect, test } from "vitest";
import { browser, startTestNetwork } from "../support/network.ts";

test("a visitor's page may run no script and stand in no frame", async () => {
  const page = await (await browser()).get("/natsume");
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-security-policy": expect.stringMatching(/default-src 'self'; script-src 'none';.*frame-ancestors 'none'/),
  });
});

test("a member's page runs only scripts that carry its own nonce", async () => {
  const m = await browser();
  await m.signIn("yamato");
  const page = await m.get("/natsume");
  const policy = page.headers.get("content-security-policy");
  const [, nonce] = /script-src 'self' 'nonce-([\w-]{36})';/.exec(policy ?? "") ?? [];
  expect(nonce).toBeDefined();
  for (const [script] of page.text.matchAll(/<script[^>]*>/g)) expect(script).toContain(`nonce="${nonce}"`);
  expect((await m.get("/natsume")).headers.get("content-security-policy")).not.toBe(policy);
});

test("an address a client claims for itself does not lift the limits of the identity service", async () => {
  const { url, secrets, stop } = await startTestNetwork({ SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: "3" });
  try {
    const path = `/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`;
    const messages: unknown[] = [];
    for (let n = 0; n < 4; n++) {
      const headers = { "content-type": "application/json", "cf-connecting-ip": `203.0.113.${n}` };
      const body = JSON.stringify({ email: `guess${n}@example.jp`, password: "wrong password" });
      const answer = await fetch(url + path, { method: "POST", headers, body });
      messages.push(((await answer.json()) as { error: { message: string } }).error.message);
    }
    expect(messages.at(-1)).toMatch(/^TOO_MANY_ATTEMPTS_TRY_LATER/);
  } finally {
    await stop();
  }
});
