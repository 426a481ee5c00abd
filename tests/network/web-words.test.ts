import { describe, expect, test } from "vitest";
import { sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { type Browser, browser, freshMember, type Member } from "../support/network.ts";
import { ask, NOBODY } from "./support/calls.ts";

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
    expect((await visitor.get(path)).text).toContain("ログイン前の返信");
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
