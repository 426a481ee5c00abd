import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { browser, network } from "../support/network.ts";

test("a visitor's page may run only our own files, and cannot be framed", async () => {
  const page = await (await browser()).get("/natsume");
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-security-policy": expect.stringMatching(
      /default-src 'self'; script-src 'self';.*base-uri 'none'; form-action 'self'; frame-ancestors 'none'/,
    ),
  });
});

test("browsers get HSTS over https only", async () => {
  const { miniflare, url } = await network();
  const web = await miniflare.getWorker("ofuse-web");
  const secure = "https://ofuse.example/natsume";
  // A visitor's page, rendered and cached; and a member's own page.
  for (const cookie of ["", "", "a=1"]) {
    const page = await web.fetch(secure, { headers: { cookie } });
    expect([page.status, page.headers.get("strict-transport-security")]).toEqual([200, "max-age=31536000"]);
    expect(await page.text()).toContain(`<link rel="canonical" href="${secure}"`);
  }
  expect((await fetch(`${url}/natsume`)).headers.get("strict-transport-security")).toBeNull();
});

test("a visitor's page has the one style sheet that its policy allows by its hash", async () => {
  const page = await (await browser()).get("/natsume");
  const sheets = [...page.text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, sheet = ""]) => sheet);
  const hashes = sheets.map((sheet) => `'sha256-${createHash("sha256").update(sheet).digest("base64")}'`);
  expect(hashes).toHaveLength(1);
  expect(page.headers.get("content-security-policy")).toContain(`style-src 'self' ${hashes[0]};`);
  expect(page.text).not.toMatch(/ style="/);
});

test("a member's page runs only scripts that carry its own nonce", async () => {
  const m = await browser();
  await m.signIn("yamato");
  const page = await m.get("/natsume");
  const policy = page.headers.get("content-security-policy");
  const [, nonce] = /script-src 'self' 'nonce-([\w-]{36})';/.exec(policy ?? "") ?? [];
  expect(nonce).toBeDefined();
  const scripts = [...page.text.matchAll(/<script(?! type="application\/ld\+json")[^>]*>/g)];
  expect(scripts.length).toBeGreaterThan(1);
  for (const [script] of scripts) expect(script).toContain(`nonce="${nonce}"`);
  expect((await m.get("/natsume")).headers.get("content-security-policy")).not.toBe(policy);
});

test("every page of a member may play live sound, because a link leads to a radio without a new document", async () => {
  const m = await browser();
  await m.signIn("yamato");
  const [member, visitor] = await Promise.all([m.get("/natsume"), (await browser()).get("/natsume")]);
  expect(member.headers.get("content-security-policy")).toMatch(/; media-src 'self' blob:$/);
  expect(visitor.headers.get("content-security-policy")).not.toContain("media-src");
});
