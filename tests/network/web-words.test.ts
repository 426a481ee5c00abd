import { beforeAll, describe, expect, test } from "vitest";
import { sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import {
  type Browser,
  browser,
  database,
  freshCreator,
  freshMember,
  type Member,
  openBrowserAs,
} from "../support/network.ts";
import { ask, NOBODY } from "./support/calls.ts";
import { shownFields } from "./support/forms.ts";
import { insertPost } from "./support/posts.ts";

const SESSION = "soziIdAuth";
const REFRESH = "soziIdRefresh";

async function member(who: Parameters<Browser["signIn"]>[0]): Promise<Browser> {
  const signed_in = await browser();
  const { status, location } = await signed_in.signIn(who);
  expect({ status, location }).toEqual({ status: 303, location: "/" });
  return signed_in;
}
const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);

describe("words typed into a form", () => {
  test("by a visitor, too many to be kept, are returned at once with the reason", async () => {
    const message = "a".repeat(270_000);
    const page = await (await browser()).post("/natsume/ofuse", { message });
    expect(page.status).toBe(422);
    expect(page.text).toMatch(/メッセージ(は200文字以内|のデータが大きすぎます)/);
    expect(/<textarea[^>]*>([^<]*)<\/textarea>/.exec(page.text)?.[1]).toBe(message);
  });

  test("are shown to their writer alone, on their own page", async () => {
    const [fan, other] = await pair();
    const visitor = await browser();
    await visitor.post("/hibiki/ofuse", { message: "ここだけの言葉", author: fan.user.user_id });
    await visitor.signIn(other, "/hibiki/ofuse");
    expect((await visitor.get("/hibiki/ofuse")).text).not.toContain("ここだけの言葉");
    await visitor.signIn(fan, "/hibiki/ofuse");
    expect((await visitor.get("/sumire/ofuse")).text).not.toContain("ここだけの言葉");
    expect((await visitor.get("/hibiki/ofuse")).text).toContain("ここだけの言葉");
  });

  test("are forgotten when their writer logs out", async () => {
    const signed_in = await member("kanade");
    for (const kind of ["Follow", "Form"]) signed_in.cookies.set(`soziId${kind}Intent`, `${NOBODY}.secret`);
    await signed_in.post("/logout", { scope: "this_device" });
    expect([...signed_in.cookies.keys()]).toEqual(["flash"]);
  });

  test("to an unknown creator stay on the 404 page", async () => {
    const page = await (await member(await freshMember("ファン"))).post("/gone_away/ofuse", {
      message: "間に合わなかった言葉",
    });
    expect(page.status).toBe(404);
    expect(/<textarea[^>]*>([^<]*)<\/textarea>/.exec(page.text)?.[1]).toBe("間に合わなかった言葉");
  });
});

describe("a reply from the page", () => {
  const received = async (): Promise<[artist: Member, ...paths: string[]]> => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "読んでください" };
    const letters = [
      await ask(sendFreeOfuse, { token: fan.token, body }),
      await ask(sendFreeOfuse, { token: fan.token, body }),
    ];
    return [artist, ...letters.map(({ ofuse }) => `/my/box/${ofuse.ofuse_id}`)];
  };

  test("is kept over a sign-in, and forgotten once sent", async () => {
    const [artist, path = ""] = await received();
    const visitor = await browser();
    const fields = { reply: "ログイン前の返信", author: artist.user.user_id };
    expect((await visitor.post(path, fields)).location).toBe(`/login?${new URLSearchParams({ to: path })}`);
    await visitor.signIn(artist, path);
    const page = (await visitor.get(path)).text;
    expect(page).toContain("ログイン前の返信");
    expect(page).toContain("まだ送信も保存もしていません。");
    expect((await visitor.get(path)).text).not.toContain("まだ送信も保存もしていません。");
    expect((await visitor.post(path, fields)).status).toBe(303);
    expect([...visitor.cookies.keys()].sort()).toEqual(["flash", SESSION, REFRESH].sort());
  });

  test("is sent once when the form is sent twice", async () => {
    const [artist, path = ""] = await received();
    const signed_in = await member(artist);
    const fields = { reply: "一度だけ", idempotency_key: crypto.randomUUID() };
    for (let time = 0; time < 2; time++) expect((await signed_in.post(path, fields)).status).toBe(303);
  });

  test("can be sent again from the returned page if its key was used for other words", async () => {
    const [artist, first = "", second = ""] = await received();
    const signed_in = await member(artist);
    const idempotency_key = crypto.randomUUID();
    await signed_in.post(first, { reply: "一通目へ", idempotency_key });
    const page = await signed_in.post(second, { reply: "二通目へ", idempotency_key });
    expect(page.status).toBe(409);
    const [, key = ""] = /name="idempotency_key" value="([^"]+)"/.exec(page.text.split('id="reply"')[1] ?? "") ?? [];
    expect((await signed_in.post(second, { reply: "二通目へ", idempotency_key: key })).status).toBe(303);
  });
});

describe("words of one account, sent while another one is signed in,", () => {
  let writer: Member;
  let other: Member;
  let signed_in: Browser;
  let event_id: string;
  beforeAll(async () => {
    [writer, other] = await Promise.all([freshCreator("書いた人"), freshCreator("別の人")]);
    event_id = await insertPost(writer);
    signed_in = await openBrowserAs(other);
  });

  // The last one would delete the account.
  test.each<[path: string, fields: Record<string, string>]>([
    ["/natsume/ofuse", { message: "別の人の手紙" }],
    ["/natsume/ofuse/paid", { message: "別の人の有料の手紙", price: "own", own_amount: "120", sender_name: "別の人" }],
    ["EVENT/comments", { message: "別の人の感想" }],
    ["EVENT/report", { detail: "別の人の通報", reason: "others" }],
    ["/my/posts/categories", { title: "別の人の日記" }],
    ["/my/memberships/new", { title: "別の人のプラン", amount: "500" }],
    ["/my/radio/new", { title: "別の人のラジオ" }],
    ["/my/settings/reactions", { free_ofuse_message: "別の人のお礼" }],
    ["/my/settings", { name: "別の人の名前", bio: "" }],
    ["/my/settings/link_id", { link_id: `other_${Date.now() % 1_000_000}` }],
    ["/my/settings/email", { new_email: "another-person@example.com", operation: "change" }],
    ["/my/settings/leave", { confirmation: "退会する" }],
  ])("are refused at %s, and stay on the page", async (at, fields) => {
    const path = at.replace("EVENT", `/${writer.user.link_id}/events/${event_id}`);
    const refused = await signed_in.post(path, { ...fields, author: writer.user.user_id });
    expect([refused.status, refused.location]).toEqual([403, null]);
    expect(refused.text).toContain("いま別のアカウントでログインしています");
    const [typed = ""] = Object.values(fields);
    expect(refused.text).toContain(typed);
    // Pressing the button again must not delete the other account.
    if (path === "/my/settings/leave") expect(shownFields(refused.text)).toContain("confirmation=");
    // The same form of the right account is taken.
    const taken = await signed_in.post(path, { ...fields, author: other.user.user_id });
    expect([taken.status, taken.text]).toEqual([expect.toBeOneOf([302, 303]), ""]);
  });
});

describe("a form without words that one account has opened, sent while another one is signed in,", () => {
  let owner: string;
  let signed_in: Browser;
  beforeAll(async () => {
    const [one, other] = await Promise.all([freshCreator("開いた人"), freshCreator("あとの人")]);
    const opened = await (await openBrowserAs(one)).get("/my/settings/sessions");
    [, owner = ""] = /name="owner" value="([^"]+)"/.exec(opened.text) ?? [];
    signed_in = await openBrowserAs(other);
  });

  test.each<[path: string, fields: Record<string, string>]>([
    ["/my/settings/password", { password: "correct horse battery", password_again: "correct horse battery" }],
    ["/my/settings/bank", { invoice_number: "T7000012050002" }],
    ["/my/settings/payments", { do: "limit", monthly_limit: "300" }],
    ["/my/settings/notifications", { mail_language: "en" }],
    ["/my/settings/factors/totp", { operation: "start" }],
    ["/my/settings/sessions", { operation: "end_all" }],
    ["/my/transactions", { operation: "automatic_on" }],
    ["/my/transactions/payout?amount=1000", { amount: "1000" }],
  ])("is refused at %s", async (path, fields) => {
    const refused = await signed_in.post(path, { ...fields, owner });
    expect([refused.status, refused.location]).toEqual([403, null]);
    expect(refused.text).toContain("いま別のアカウントでログインしています");
  });
});

test("words of another account are refused at a radio of which the browser has a key", async () => {
  const [writer, other] = await pair();
  const radio = await (await database())
    .prepare(
      "SELECT radio_id, link_id FROM radios JOIN users USING (user_id) WHERE publish_target_type = 'public' AND status = 'finished'",
    )
    .first<{ radio_id: string; link_id: string }>();
  const signed_in = await openBrowserAs(other);
  signed_in.cookies.set("radioKeys", `${radio?.radio_id}.${"k".repeat(32)}`);
  const path = `/${radio?.link_id}/radios/${radio?.radio_id}/comments`;
  const refused = await signed_in.post(path, { message: "別の人の感想", author: writer.user.user_id });
  expect([refused.status, refused.text.includes("別の人の感想")]).toEqual([403, true]);
});

test("a form returns after the sign-in with each value of a list, and with the boxes that were not ticked", async () => {
  const creator = await freshCreator("配信する人");
  const signed_in = await openBrowserAs(creator);
  const fields = new URLSearchParams(shownFields((await signed_in.get("/my/streaming")).text).join("&"));
  for (const name of [...fields.keys()]) if (/^(is_|hides_|shows_|stamp_ids)/.test(name)) fields.delete(name);
  for (const stamp of ["cheer", "heart", "tea"]) fields.append("stamp_ids", stamp);
  fields.set("author", creator.user.user_id);
  const visitor = await browser();
  const sent = await visitor.send("/my/streaming", { method: "POST", body: fields, headers: visitor.sameOrigin() });
  expect(sent.location).toMatch(/^\/login/);
  await visitor.signIn(creator, "/my/streaming");
  const { text } = await visitor.get("/my/streaming");
  const ticked = [...text.matchAll(/<input(?=[^>]*type="checkbox")(?=[^>]*\bchecked\b)[^>]*>/g)].map(
    ([input]) => /\bvalue="([^"]*)"/.exec(input)?.[1],
  );
  expect(ticked.sort()).toEqual(["cheer", "heart", "tea"]);
});
