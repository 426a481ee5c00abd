/** The pages of listeners, without scripts. e2e/listening*.ts plays the sound. */
import { parseRssFeed } from "feedsmith";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createRadio,
  finishRadio,
  getRadio,
  openRadioSound,
  type RadioBody,
  startRadio,
  updateRadio,
} from "../../workers/contract/radios.ts";
import { browser, database, freshMember, type Member, network, openBrowserAs } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask } from "./support/calls.ts";

let owner: Member;
beforeAll(async () => {
  owner = await freshMember("話す人");
});

async function radioOf(who: Member, more: Partial<RadioBody> = {}) {
  const body = { title: "夜ふかし、缶詰", publish_target_type: "public" as const, ...more };
  const { radio } = await ask(createRadio, { token: who.token, body });
  const params = { radio_id: radio.radio_id };
  return { params, body, path: `/${who.user.link_id}/radios/${radio.radio_id}` };
}

/** Gives a finished radio a recording, as the reaction to its end does. */
async function record({ radio_id }: { radio_id: string }) {
  await (await database())
    .prepare("UPDATE radios SET recording_state = 'completed', bytes = 9000, duration_ms = 61000 WHERE radio_id = ?")
    .bind(radio_id)
    .run();
}

const wordsOf = (text: string) => (text.split('<main id="main">')[1] ?? "").replace(/<[^>]*>/g, "");

describe("a radio on air", () => {
  test("plays by ADTS and HLS without a script, on the one page of a visitor that may play blobs", async () => {
    const { params, path } = await radioOf(owner);
    await ask(startRadio, { token: owner.token, params });
    await ask(openRadioSound, { token: owner.token, params });
    const visitor = await browser();
    const page = await visitor.get(path);
    const sourcesOf = ({ text }: { text: string }) => [
      ...text.matchAll(/<source src="(\/media\/live\/[^"]+)" type="([^"]+)"(?: media="([^"]+)")?/g),
    ];
    const sources = sourcesOf(page);
    expect(sources.map(([, , type, media]) => [type, media])).toEqual([
      ["audio/aac", "(scripting: none)"],
      ["application/vnd.apple.mpegurl", undefined],
      ["audio/aac", undefined],
    ]);
    expect(page.text).toMatch(new RegExp(`<noscript>[^<]*<a href="${sources[1]?.[1]}">`));
    expect(page.text).toMatch(
      /<audio[^>]* controls=""[^>]* preload="none"|<audio[^>]* preload="none"[^>]* controls=""/,
    );
    const playlist = await fetch((await network()).url + sources[1]?.[1]);
    expect([playlist.status, (await playlist.text()).slice(0, 7)]).toEqual([200, "#EXTM3U"]);
    expect(page.headers.get("content-security-policy")).toContain("media-src 'self' blob:");
    expect(page.text.match(/<script\b/g)).toHaveLength(1);

    const front = await visitor.get(`/${owner.user.link_id}`);
    expect(front.headers.get("content-security-policy")).not.toContain("media-src");
    await waitUntil(async () => expect((await visitor.get(`/${owner.user.link_id}`)).text).toContain(`href="${path}"`));
    await ask(finishRadio, { token: owner.token, params });
    await waitUntil(async () => {
      const { text, headers } = await visitor.get(`/${owner.user.link_id}`);
      expect([text.includes(`href="${path}"`), headers.get("cache-control")]).toEqual([false, "public, no-cache"]);
    });
  });

  test("counts a browser that plays it once", async () => {
    const speaker = await freshMember("聴かれる人");
    const { token } = speaker;
    const { params, path } = await radioOf(speaker);
    await ask(startRadio, { token, params });
    const visitor = await browser();
    expect((await visitor.get(`${path}/listen`)).status).toBe(404);
    for (const visit_id of ["phone", "phone", "tablet"]) {
      expect((await visitor.post(`${path}/listen`, { visit_id })).status).toBe(204);
    }
    expect((await ask(getRadio, { token, params })).radio.listens_count).toBe(2);
  });
});

describe("an announced radio", () => {
  test("is put into a calendar, in lines of at most 75 bytes", async () => {
    const title = `夜ふかし、缶詰; ${"ながい題".repeat(15)}`;
    const { path } = await radioOf(owner, { title, starts_at: "2099-12-24T12:00:00.000Z" });
    const page = await (await browser()).get(path);
    expect(page.text).toContain(`href="${path}/calendar.ics"`);
    expect(wordsOf(page.text)).toContain("ログインすると、放送が始まったときにお知らせを受け取れます。");
    const { status, headers, text } = await (await browser()).get(`${path}/calendar.ics`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
    const lines = text.split("\r\n");
    expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    const unfolded = text.replaceAll("\r\n ", "").split("\r\n");
    expect(unfolded).toContain("DTSTART:20991224T120000Z");
    expect(unfolded.find((line) => line.startsWith("SUMMARY:"))).toBe(
      `SUMMARY:${title.replace(";", "\\;")}（話す人さんのラジオ）`,
    );
    const undated = await radioOf(owner);
    const missing = await (await browser()).get(`${undated.path}/calendar.ics`);
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(missing.text).toContain("<h1>ページが見つかりません</h1>");
  });

  test("has a form that asks for a notification of the start, and withdraws the request", async () => {
    const fan = await freshMember("待つ人");
    const { path } = await radioOf(owner);
    const fans = await openBrowserAs(fan);
    expect((await fans.get(path)).text).toContain("始まったら知らせる");
    expect((await fans.post(`${path}/reminder`, { operation: "remind" })).location).toBe(path);
    expect(wordsOf((await fans.get(path)).text)).toContain("放送が始まったら、お知らせします。");
    expect((await fans.post(`${path}/reminder`, { operation: "forget" })).location).toBe(path);
    expect((await fans.get(path)).text).toContain("始まったら知らせる");
    const visitor = await (await browser()).post(`${path}/reminder`, { operation: "remind" });
    expect([visitor.status, visitor.location?.startsWith("/login")]).toEqual([303, true]);
  });
});

test("a podcast has the recordings for everybody, until they are hidden", async () => {
  const speaker = await freshMember("録音する人");
  const { token, user } = speaker;
  const made = [];
  for (const recording_publish_target_type of ["public", "fans", "none"] as const) {
    const radio = await radioOf(speaker, { recording_publish_target_type, description: "缶詰 & <夜>" });
    await ask(startRadio, { token, params: radio.params });
    await ask(finishRadio, { token, params: radio.params });
    await record(radio.params);
    made.push(radio);
  }
  const [open] = made;
  if (!open) throw new Error("there is no radio");
  const visitor = await browser();
  const read = async () => {
    const { text, headers } = await visitor.get(`/${user.link_id}/podcast.xml`);
    expect(headers.get("content-type")).toBe("application/rss+xml; charset=utf-8");
    return parseRssFeed(text);
  };
  const { url } = await network();
  const feed = await read();
  expect(feed.title).toBe("録音する人のラジオ");
  expect(feed.items).toMatchObject([
    {
      title: "夜ふかし、缶詰",
      link: url + open.path,
      enclosures: [{ url: `${url}/media/${open.params.radio_id}/recording.m4a`, length: 9000, type: "audio/mp4" }],
      itunes: { duration: 61 },
    },
  ]);
  const page = await visitor.get(open.path);
  expect(page.text).toMatch(new RegExp(`<audio[^>]* src="/media/${open.params.radio_id}/recording"`));
  expect(wordsOf(page.text)).toContain("録音の長さ：1分1秒");
  expect((await visitor.get(`/${user.link_id}/radio`)).text).toContain(`href="/${user.link_id}/radio/podcast"`);
  await ask(updateRadio, { token, params: open.params, body: { ...open.body, recording_publish_target_type: "none" } });
  await waitUntil(async () => expect((await read()).items ?? []).toEqual([]));
});

test("a transcript is written in the form, and read below the recording", async () => {
  const speaker = await freshMember("書き起こす人");
  const { token } = speaker;
  const { params, path } = await radioOf(speaker, { recording_publish_target_type: "public" });
  await ask(startRadio, { token, params });
  await ask(finishRadio, { token, params });
  await record(params);
  const own = await openBrowserAs(speaker);
  const saved = await own.post(`/my/radio/${params.radio_id}/edit`, {
    title: "夜ふかし",
    description: "",
    publish_target_type: "public",
    recording_publish_target_type: "public",
    publish_target_membership_id: "",
    starts_at: "",
    transcript: "こんばんは。\n今夜は缶詰の話です。",
    do: "save",
  });
  expect(saved.status).toBe(303);
  const page = await (await browser()).get(path);
  expect(wordsOf(page.text)).toContain("今夜は缶詰の話です。");
  expect((await own.get(`/my/radio/${params.radio_id}/edit`)).text).toContain("今夜は缶詰の話です。</textarea>");
});
