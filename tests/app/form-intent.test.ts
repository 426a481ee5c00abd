import { describe, expect, test } from "vitest";
import { announceKeptForm } from "../../app/forms/intent.ts";
import { readFlash } from "../../app/request/flash.ts";
import type { V4 } from "../../app/v4/client.ts";
import { contextOfBrowser } from "./support/browser-context.ts";

const COOKIE = "__Host-soziIdFormIntent=01k7pv3m08xq6ttjqb44twk30e.secret";
const PATH = "/natsume/ofuse";

/** Signs in the member `u` of the account `a`, and returns what the next page says. */
async function signIn({ fields = {}, to = PATH, cookie = COOKIE }: { fields?: object; to?: string; cookie?: string }) {
  const { context, jar } = contextOfBrowser(cookie);
  const intent = { kind: "form", path: PATH, fields: { message: "手紙", ...fields } };
  const v4 = { send: async () => ({ ok: true, answer: { intent } }) } as unknown as V4;
  await announceKeptForm(context, v4, to, { user_id: "u", account_id: "a" });
  const flash = jar.lines().find((line) => line.includes("flash=")) ?? "";
  return readFlash(contextOfBrowser(flash).context)?.text ?? null;
}

describe("a form that waited for the sign-in", () => {
  const sentence = "まだ送信も保存もしていません。内容を確かめて、もう一度ボタンを押してください";

  test.each([
    ["a visitor wrote it", {}],
    ["the same member wrote it", { fields: { author: "u", owner: "a" } }],
    ["its page has a query and a hash", { to: `${PATH}?after=x#letters` }],
  ])("is said not to be sent when %s", async (_, given) => {
    expect(await signIn(given)).toBe(sentence);
  });

  test.each([
    ["another member wrote it", { fields: { author: "other" } }],
    ["another account wrote it", { fields: { owner: "other" } }],
    ["the sign-in leads to another page", { to: "/" }],
    ["the browser has none, because it was sent", { cookie: "" }],
  ])("is not mentioned when %s", async (_, given) => {
    expect(await signIn(given)).toBeNull();
  });
});
