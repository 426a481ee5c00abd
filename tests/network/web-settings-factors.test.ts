import { beforeAll, describe, expect, test } from "vitest";
import { type Browser, browser, freshMember, type Member, type Page } from "../support/network.ts";
import { codeOf } from "../support/totp.ts";
import { signedIn, textedCode } from "./support/identity.ts";

const main = ({ text }: Page) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = (page: Page) => main(page).replace(/<[^>]*>/g, "");

const TOTP = "/my/settings/factors/totp";
const CODES = "/my/settings/factors/recovery-codes";
const keyOf = (page: Page) => /<code>([A-Z2-7 ]+)<\/code>/.exec(main(page))?.[1] ?? "";
const codesOf = (page: Page) => [...main(page).matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code ?? "");

const bare = (key: string) => key.replaceAll(" ", "");

/** Begins to set up an authenticator app. Returns its key. */
async function begin(own: Browser): Promise<string> {
  expect((await own.post(TOTP, { operation: "start" })).location).toBe(TOTP);
  return keyOf(await own.get(TOTP));
}

/** Returns a browser in the middle of a sign-in that asks for a code. */
async function halfSignedIn(member: Member): Promise<Browser> {
  const own = await browser();
  expect((await own.signIn(member, "/natsume")).location).toBe("/login/factor");
  return own;
}

describe("an authenticator app", () => {
  let member: Member;
  let own: Browser;
  let other: Browser;
  let key: string;
  let codes: string[];
  beforeAll(async () => {
    member = await freshMember("認証アプリの人");
    [own, other] = [await signedIn(member), await signedIn(member)];
    key = await begin(own);
  });

  test("gets its key as a QR code, a link and letters, and the same key on every load", async () => {
    const page = await own.get(TOTP);
    expect(key).toMatch(/^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/);
    expect(keyOf(page)).toBe(key);
    expect(main(page)).toMatch(/<svg[^>]*class="qr-code"[^>]*role="img"[^>]*>/);
    const uri = new URL(/href="(otpauth:[^"]*)"/.exec(main(page))?.[1]?.replaceAll("&amp;", "&") ?? "");
    expect(uri.searchParams.get("secret")).toBe(key.replaceAll(" ", ""));
    expect(decodeURIComponent(uri.pathname)).toContain(member.email);
  });

  test("is not registered by a wrong code, which stays in its field", async () => {
    const wrong = String((Number(codeOf(bare(key))) + 1) % 1_000_000).padStart(6, "0");
    const page = await own.post(TOTP, { operation: "finish", code: wrong, display_name: "わたしのスマホ" });
    expect(page.status).toBe(422);
    expect(main(page)).toContain(`value="${wrong}"`);
    expect(main(page)).toContain('value="わたしのスマホ"');
    expect(words(page)).toContain("コードが正しくありません");
    expect(keyOf(page)).toBe(key);
  });

  test("is registered by its code, and then ten recovery codes are shown", async () => {
    const fields = { operation: "finish", code: codeOf(bare(key)), display_name: "わたしのスマホ" };
    expect((await own.post(TOTP, fields)).location).toBe(CODES);
    codes = codesOf(await own.get(CODES));
    expect(new Set(codes).size).toBe(10);
    const file = await own.get(`${CODES}.txt`);
    expect(file.headers.get("content-disposition")).toContain("attachment");
    for (const code of codes) expect(file.text).toContain(code);
  });

  test("signs every other browser out, and not this one", async () => {
    expect((await other.get("/my/settings/factors")).location).toMatch(/^\/(login|my)/);
    const page = await own.get("/my/settings/factors");
    expect(words(page)).toContain("わたしのスマホ");
    expect(words(page)).toContain("残り 10 個");
  });

  test("never shows its recovery codes again once the member has confirmed them", async () => {
    expect((await own.post(CODES, { operation: "kept" })).location).toBe("/my/settings/factors");
    expect(codesOf(await own.get(CODES))).toEqual([]);
    expect((await own.get(`${CODES}.txt`)).status).toBe(404);
  });

  test("is asked for at the next sign-in", async () => {
    const next = await halfSignedIn(member);
    expect((await next.post("/login/factor", { code: codeOf(bare(key), 1) })).location).toBe("/natsume");
  });

  test("can be replaced by a recovery code, once", async () => {
    const code = codes[0] ?? "";
    const recover = async () => {
      const next = await halfSignedIn(member);
      return next.post("/login/factor?way=recovery", { code });
    };
    expect((await recover()).location).toBe("/natsume");
    expect((await recover()).status).toBe(422);
    expect(words(await own.get("/my/settings/factors"))).toContain("残り 9 個");
  });

  test("gets new recovery codes, which invalidate the old ones", async () => {
    expect((await own.post(CODES, { operation: "make" })).location).toBe(CODES);
    const fresh = codesOf(await own.get(CODES));
    expect(fresh).toHaveLength(10);
    expect(fresh.some((code) => codes.includes(code))).toBe(false);
    const next = await halfSignedIn(member);
    const refused = await next.post("/login/factor?way=recovery", { code: codes[1] ?? "" });
    expect(refused.status).toBe(422);
  });

  test("can be removed, and then no code is asked for", async () => {
    const id = /name="id" value="([^"]+)"/.exec(main(await own.get("/my/settings/factors")))?.[1] ?? "";
    expect((await own.post("/my/settings/factors", { operation: "remove", id })).location).toBe("/my/settings/factors");
    expect(words(await own.get("/my/settings/factors"))).toContain("まだ設定されていません");
    expect((await (await browser()).signIn(member, "/natsume")).location).toBe("/natsume");
  });
});

test("a setup that one member began is not shown to the next member on the same browser", async () => {
  const own = await signedIn(await freshMember("席を立つ人"));
  await begin(own);
  await own.post("/logout");
  await own.signIn(await freshMember("席に着く人"));
  expect(keyOf(await own.get(TOTP))).toBe("");
});

test("a telephone becomes a second factor by the code that is sent to it", async () => {
  const PATH = "/my/settings/factors/phone";
  const own = await signedIn(await freshMember("SMSの人"));
  const wrong = await own.post(PATH, { operation: "send", phone_number: "03-1234" });
  expect([wrong.status, main(wrong).includes('value="03-1234"')]).toEqual([422, true]);
  const number = `090-${String(Date.now()).slice(-8, -4)}-${String(Date.now()).slice(-4)}`;
  expect((await own.post(PATH, { operation: "send", phone_number: number })).location).toBe(PATH);
  expect(words(await own.get(PATH))).toContain(`${number} にコードを送りました`);
  const code = await textedCode(`+81${number.replaceAll("-", "").slice(1)}`);
  const refused = await own.post(PATH, { operation: "finish", code: code === "000000" ? "000001" : "000000" });
  expect([refused.status, words(refused).includes("コードが正しくありません")]).toEqual([422, true]);
  expect((await own.post(PATH, { operation: "finish", code })).location).toBe(CODES);
  expect(words(await own.get("/my/settings/factors"))).toContain(number.slice(-4));
});
