/** Tests what people see without JavaScript while the product's database fails, and that nothing they typed is lost. */
import { expect, test, vi } from "vitest";
import { listOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { type Browser, browser, database, freshMember, type Member, type Page } from "../support/network.ts";
import { ask, INSIDES, JAPANESE } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";

const MESSAGE = "\n一行目は空けて、\r\n「<b>&amp;\"' 　👩‍👩‍👧」まで\r\n書いたとおりに";

/** Runs `work` while the table is renamed away. */
async function without<T>(table: string, work: () => Promise<T>): Promise<T> {
  const d1 = await database();
  // Every failure is logged, which is noise here.
  const logged = vi.spyOn(console, "error").mockReturnValue();
  await d1.prepare(`ALTER TABLE ${table} RENAME TO ${table}_away`).run();
  try {
    return await work();
  } finally {
    await d1.prepare(`ALTER TABLE ${table}_away RENAME TO ${table}`).run();
    logged.mockRestore();
  }
}

async function signedIn(member: Member): Promise<Browser> {
  const signed_in = await browser();
  expect((await signed_in.signIn(member, "/")).status).toBe(303);
  return signed_in;
}

function expectTold(page: Page): void {
  expect(page.status).toBeGreaterThanOrEqual(500);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.text).not.toMatch(INSIDES);
  expect(page.text).not.toMatch(/no such table|_away/);
  const sentence = /<h1>.*?<\/h1><p>(.*?)<\/p>/.exec(page.text)?.[1];
  expect(sentence).toMatch(JAPANESE);
  expect(sentence).toContain("もう一度");
  expect(page.text).toContain(page.headers.get("x-request-id"));
  // The page must not claim success.
  expect(page.text).not.toContain("送信しました");
}

const [fan, artist] = await Promise.all([freshMember("書き手"), freshMember("読み手")]);
const path = `/${artist.user.link_id}/ofuse`;
const boxOf = async (member: Member) => (await ask(listOfuses, { token: member.token })).ofuses;
const normalised = (text: string) => text.replaceAll("\r\n", "\n");

test("a letter that cannot be stored is returned whole, and is sent once by resubmitting that page", async () => {
  const writer = await signedIn(fan);
  const form = fieldsOf((await writer.get(path)).text, path);
  const typed = { ...form, message: MESSAGE, is_public: "on" };
  const page = await without("ofuses", () => writer.post(path, typed));
  expectTold(page);
  const kept = fieldsOf(page.text, path);
  expect({ ...kept, message: normalised(kept?.message ?? "") }).toEqual({ ...typed, message: normalised(MESSAGE) });

  for (let time = 0; time < 2; time++) {
    const sent = await writer.post(path, kept ?? {});
    expect({ status: sent.status, location: sent.location }).toEqual({ status: 303, location: path });
  }
  const box = await boxOf(artist);
  expect(box.map(({ message, is_public }) => ({ message, is_public }))).toEqual([
    { message: normalised(MESSAGE).trim(), is_public: true },
  ]);
});

test("a visitor's letter that cannot be kept over the sign-in is returned whole", async () => {
  const visitor = await browser();
  const page = await without("intents", () => visitor.post(path, { message: MESSAGE, is_public: "on" }));
  expectTold(page);
  const kept = fieldsOf(page.text, path);
  expect(normalised(kept?.message ?? "")).toBe(normalised(MESSAGE));
  expect(kept?.is_public).toBe("on");
  const continued = await visitor.post(path, kept ?? {});
  expect(continued.location).toMatch(/^\/login\?/);
});

test("a reply that cannot be stored is returned whole", async () => {
  const body = { receiver_user_id: artist.user.user_id, message: "返信をください" };
  const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body });
  const letter = `/my/box/${ofuse.ofuse_id}`;
  const writer = await signedIn(artist);
  const page = await without("outbox", () => writer.post(letter, { reply: MESSAGE, idempotency_key: "reply-0001" }));
  const kept = fieldsOf(page.text, letter);
  expect(page.status).toBe(500);
  expect(page.text).toContain("時間をおいてもう一度お試しください。");
  expect(page.text).not.toMatch(INSIDES);
  expect(normalised(kept?.reply ?? "")).toBe(normalised(MESSAGE));
  expect(kept?.idempotency_key).toBe("reply-0001");
  expect((await writer.post(letter, kept ?? {})).status).toBe(303);
  expect((await boxOf(artist)).find(({ ofuse_id }) => ofuse_id === ofuse.ofuse_id)?.is_not_replied).toBe(false);
});
