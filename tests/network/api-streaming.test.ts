/** Overlays over the real network, and their pages without scripts. tests/api/streaming.test.ts has what they show. */
import { load } from "cheerio";
import { beforeAll, describe, expect, test } from "vitest";
import { createBlock } from "../../workers/contract/blocks.ts";
import { exportAccount } from "../../workers/contract/leaving.ts";
import { listOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { URL_KEY_HEADER } from "../../workers/contract/radios.ts";
import { reportOfuse } from "../../workers/contract/reports.ts";
import {
  getOverlay,
  getStreaming,
  type OverlayNews,
  sendTestOfuse,
  updateLiveHeartbeat,
  updateStreaming,
  updateTimelineToken,
} from "../../workers/contract/streaming.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { type Browser, database, freshMember, type Member, network, openBrowserAs } from "../support/network.ts";
import { ask, refused } from "./support/calls.ts";

const PATH = "/my/streaming";
const settings = {
  min_amount: "500",
  ng_words: "ネタバレ\n荒らし",
  duration_seconds: "10",
  font_size: "48",
  volume: "25",
  card_opacity: "50",
  shown_letters: "paid",
  animation: "pop",
  sound: "bell",
  voice_speed: "fast",
  text_color: "#ffffff",
  accent_color: "#ff8800",
  card_color: "#000000",
  goal_title: "新しいマイク",
  goal_amount: "30000",
  goal_from: "2026-11-01",
};

async function streamer(): Promise<Member> {
  const owner = await freshMember("配信する人");
  await ask(updateProfile, { token: owner.token, body: { accepts_free_ofuses: true } });
  return owner;
}
/** Statuses for a wrong token. Other tests may have used up the wrong ones of this address. */
const CLOSED = [404, 429];
const makeToken = async ({ token }: Member) => (await ask(updateTimelineToken, { token })).token ?? "";
const write = ({ token }: Member, { user }: Member, message: string) =>
  ask(sendFreeOfuse, { token, body: { receiver_user_id: user.user_id, message, is_public: true } });
const read = (url_key: string) => ask(getOverlay, { headers: { [URL_KEY_HEADER]: url_key }, query: {} });
const addressIn = (text: string) => /value="(http[^"]*\/overlay\/[\w-]{22})"/.exec(text)?.[1] ?? "";

/** Reads server-sent events until the wanted one arrives. */
async function readEvent(response: Response, is_wanted: (event: string, data: string) => boolean): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the events have ended: ${text}`);
    text += decoder.decode(value, { stream: true });
    for (const [, event = "", data = ""] of text.matchAll(/event: (\w+)\ndata: ?(.*)\n\n/g)) {
      if (!is_wanted(event, data)) continue;
      await reader.cancel();
      return data;
    }
  }
}

describe("the page of settings", () => {
  let owner: Member;
  let own: Browser;
  beforeAll(async () => {
    owner = await streamer();
    own = await openBrowserAs(owner);
  });

  test("shows an address once, which opens the overlay and the timeline until it is made again", async () => {
    const address = addressIn((await own.post(PATH, { do: "make" })).text);
    expect((await own.get(PATH)).text).not.toContain("/overlay/");
    for (const url of [address, `${address}/timeline`]) {
      const page = await fetch(url);
      expect(page.status).toBe(200);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        "cache-control": "private, no-store",
        "referrer-policy": "no-referrer",
        "x-robots-tag": "noindex, nofollow",
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'nonce-[\w-]+'; .*frame-ancestors 'none'$/,
        ),
      });
      const text = await page.text();
      expect(text).not.toMatch(/<script(?![^>]*(type="application\/json"|src="\/assets\/overlay-))/);
    }
    const next = addressIn((await own.post(PATH, { do: "make" })).text);
    for (const path of ["", "/timeline", "/events", "/news.json"]) {
      expect(CLOSED, path).toContain((await fetch(address + path)).status);
    }
    expect((await fetch(next)).status).toBe(200);
    const { url } = await network();
    const unknown = ["short", "x".repeat(22)].map((token) => `${url}/overlay/${token}`);
    // The viewers of a stream see what its software loads.
    for (const closed of [address, `${address}/timeline`, ...unknown]) {
      const page = await fetch(closed);
      expect(CLOSED, closed).toContain(page.status);
      expect(page.headers.get("content-type"), closed).toBe("text/html; charset=utf-8");
      expect(await page.text(), closed).toContain("<body></body>");
    }
  });

  test("saves all settings without a script, and gives back what was typed wrong", async () => {
    const refused = await own.post(PATH, { ...settings, goal_amount: "三万" });
    expect(refused.status).toBe(422);
    const page = load(refused.text);
    expect(page("[name=goal_amount]").val()).toBe("三万");
    expect(page("[name=ng_words]").text()).toContain("荒らし");
    expect(page.text()).toContain("目標の金額は、数字だけで入力してください。");
    expect((await own.post(PATH, { ...settings, is_read_aloud: "on", stamp_ids: "tea" })).location).toBe(PATH);
    const saved = load((await own.get(PATH)).text);
    for (const [name, value] of Object.entries(settings)) {
      const field = saved(`[name=${name}]`);
      expect([name, field.is("select") ? field.find("[selected]").val() : field.val()]).toEqual([name, value]);
    }
    expect(saved("[name=is_read_aloud]").is("[checked]")).toBe(true);
    expect(
      saved("[name=stamp_ids][checked]")
        .map((_, each) => saved(each).val())
        .get(),
    ).toEqual(["tea"]);
    const preview = await own.get("/my/streaming/preview");
    expect(preview.text).toContain("--accent:#ff8800");
    expect(preview.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  });

  test("sends a test letter, which is on the timeline and not in the box", async () => {
    const address = addressIn((await own.post(PATH, { do: "make" })).text);
    await own.post(PATH, settings);
    expect((await own.post(PATH, { do: "test", amount: "5000" })).location).toBe(PATH);
    const timeline = load(await (await fetch(`${address}/timeline`)).text());
    expect(timeline("article").text()).toContain("ファンさんから5,000円のofuseが届きましたテスト");
    expect((await ask(listOfuses, { token: owner.token, query: {} })).ofuses).toEqual([]);
  });

  test("lists the overlays that are open", async () => {
    const address = addressIn((await own.post(PATH, { do: "make" })).text);
    const { origin } = new URL(address);
    const headers = { origin, "sec-fetch-site": "same-origin" };
    const beat = (id: string) =>
      fetch(`${address}/news.json`, { method: "POST", headers, body: new URLSearchParams({ id }) });
    expect((await beat("timeline-1")).status).toBe(204);
    expect((await beat("no id")).status).toBe(404);
    expect(load((await own.get(PATH)).text)(".overlay-list").text()).toContain("タイムライン");
  });
});

test("a letter reaches the open connection, and a connection with another token ends when it is replaced", async () => {
  const [owner, fan] = await Promise.all([streamer(), freshMember("送る人")]);
  const { url } = await network();
  const token = await makeToken(owner);
  const events = await fetch(`${url}/overlay/${token}/events`);
  expect(events.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(events.headers.get("content-encoding")).toBeNull();
  await write(fan, owner, "配信、見ています");
  const data = await readEvent(events, (event, text) => event === "news" && text.includes("配信、見ています"));
  const { letters, last_number } = JSON.parse(data) as OverlayNews;
  expect([letters.map(({ sender_name }) => sender_name), last_number]).toEqual([["送る人"], 1]);
  const again = await fetch(`${url}/overlay/${token}/events`, { headers: { "last-event-id": "0" } });
  const [missed] = await Promise.all([readEvent(again, (event) => event === "news")]);
  expect(JSON.parse(missed).letters).toHaveLength(1);
  const old = await fetch(`${url}/overlay/${token}/events`);
  const ended = readEvent(old, (event) => event === "gone");
  await makeToken(owner);
  expect(await ended).toBe("");
});

test("letters of people who are blocked or reported disappear", async () => {
  const owner = await streamer();
  const [blocked, reported, fan] = await Promise.all(["困った人", "通報した人", "送る人"].map(freshMember));
  const token = await makeToken(owner);
  if (!blocked || !reported || !fan) throw new Error("nobody");
  await write(blocked, owner, "一");
  await write(reported, owner, "二");
  const { ofuse } = await write(reported, owner, "三");
  await write(fan, owner, "四");
  const messages = async () => (await read(token)).letters.map(({ message }) => message);
  expect(await messages()).toEqual(["一", "二", "三", "四"]);
  await ask(createBlock, { token: owner.token, body: { blocking_id: blocked.user.user_id } });
  await ask(reportOfuse, { token: owner.token, params: { ofuse_id: ofuse.ofuse_id }, body: { reason: "slander" } });
  expect(await messages()).toEqual(["四"]);
});

test("everybody reads and changes their own overlays alone, and exports them without a secret", async () => {
  const [owner, stranger] = await Promise.all([streamer(), streamer()]);
  const token = await makeToken(owner);
  await ask(updateStreaming, { token: owner.token, body: { goal_amount: 1000, hides_names: true } });
  await ask(sendTestOfuse, { token: owner.token, body: {} });
  await ask(updateLiveHeartbeat, { query: { id: "box", token } });
  const own = await ask(getStreaming, { token: owner.token });
  expect(own).toMatchObject({
    settings: { goal_amount: 1000 },
    goal: { total: 0 },
    open_overlays: [{ kind: "alerts" }],
  });
  const other = await ask(getStreaming, { token: stranger.token });
  expect(other).toMatchObject({
    settings: { goal_amount: null },
    token_created_at: null,
    open_overlays: [],
    goal: null,
  });
  await refused(sendTestOfuse, "not_found", { token: stranger.token, body: {} });
  await refused(getStreaming, "unauthenticated");
  for (const operation of [updateStreaming, updateTimelineToken, sendTestOfuse])
    await refused(operation, "unauthenticated", { body: {} });
  const exported = await ask(exportAccount, { token: owner.token, query: { part: "profile" } });
  expect(exported.items[0]?.overlays).toMatchObject({ token_created_at: own.token_created_at });
  const row = await (await database())
    .prepare("SELECT token_hash FROM overlays WHERE user_id = ?")
    .bind(owner.user.user_id)
    .first<{ token_hash: string }>();
  for (const secret of [token, row?.token_hash ?? ""]) expect(JSON.stringify(exported)).not.toContain(secret);
});
