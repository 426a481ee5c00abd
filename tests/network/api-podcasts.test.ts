/** Private podcasts over the real network, and their pages without scripts. tests/api/podcasts.test.ts tests the permissions. */
import { parseRssFeed } from "feedsmith";
import { beforeAll, describe, expect, test } from "vitest";
import { recordingKey } from "../../workers/api/radios/rules.ts";
import { exportAccount } from "../../workers/contract/leaving.ts";
import { createPodcastFeed, deletePodcastFeed, getPodcast, listPodcastFeeds } from "../../workers/contract/podcasts.ts";
import { createRadio, finishRadio, startRadio, URL_KEY_HEADER } from "../../workers/contract/radios.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { browser, database, freshMember, type Member, network, openBrowserAs } from "../support/network.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";

let owner: Member;
beforeAll(async () => {
  owner = await freshMember("録音する人");
  await record("fans");
});

const SOUND = new TextEncoder().encode("the sound of a radio for followers");

/** Makes a finished radio of the owner's with a recording, as the reaction to its end does. */
async function record(audience: "public" | "fans") {
  const { token } = owner;
  const body = {
    title: "缶詰 & <夜>",
    publish_target_type: "public" as const,
    recording_publish_target_type: audience,
  };
  const { radio } = await ask(createRadio, { token, body });
  const params = { radio_id: radio.radio_id };
  await ask(startRadio, { token, params });
  await ask(finishRadio, { token, params });
  const bucket = await (await network()).miniflare.getR2Bucket("MEDIA", "ofuse-api");
  await bucket.put(recordingKey(radio.radio_id), SOUND);
  await (await database())
    .prepare("UPDATE radios SET recording_state = 'completed', bytes = ?, duration_ms = 61000 WHERE radio_id = ?")
    .bind(SOUND.length, radio.radio_id)
    .run();
}

async function follower(): Promise<Member> {
  const fan = await freshMember("聴く人");
  await ask(follow, { token: fan.token, body: { following_id: owner.user.user_id } });
  return fan;
}

const pagePath = () => `/${owner.user.link_id}/radio/podcast`;
const addressIn = (text: string) => /value="(http[^"]*\/podcast\/[\w-]{22})"/.exec(text)?.[1];

describe("the page of podcasts", () => {
  test("makes an address that an app subscribes to, shows it once, and revokes it", async () => {
    const own = await openBrowserAs(await follower());
    expect((await own.get(`/${owner.user.link_id}/radio`)).text).toContain(`href="${pagePath()}"`);
    const made = await own.post(pagePath(), { do: "make" });
    expect(made.status).toBe(200);
    const address = addressIn(made.text) ?? "";
    expect(addressIn((await own.get(pagePath())).text)).toBeUndefined();

    const app = (url: string) => fetch(url, { headers: { "user-agent": "AntennaPod/3.5" } });
    const answer = await app(address);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/rss+xml; charset=utf-8",
      "cache-control": "private, no-store",
      "x-robots-tag": "noindex, nofollow",
    });
    const feed = parseRssFeed(await answer.text());
    expect(feed.itunes?.block).toBe(true);
    expect(feed.items).toMatchObject([
      { title: "缶詰 & <夜>", enclosures: [{ length: SOUND.length, type: "audio/mp4" }], itunes: { duration: 61 } },
    ]);
    const enclosure = feed.items?.[0]?.enclosures?.[0]?.url ?? "";
    expect(new URL(enclosure).pathname).toMatch(/\/recording\.m4a$/);
    const part = await fetch(enclosure, { headers: { range: "bytes=4-8" } });
    expect([part.status, await part.text()]).toEqual([206, "sound"]);

    expect((await own.post(pagePath(), { do: "revoke" })).location).toBe(pagePath());
    for (const url of [address, enclosure]) expect((await app(url)).status).toBe(404);
  });

  test("replaces an address", async () => {
    const own = await openBrowserAs(await follower());
    const [first = "", second = ""] = [
      addressIn((await own.post(pagePath(), { do: "make" })).text),
      addressIn((await own.post(pagePath(), { do: "make" })).text),
    ];
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200]);
  });

  test("leads visitors to the sign-in and to the podcast for everybody", async () => {
    const visitor = await browser();
    const { text } = await visitor.get(pagePath());
    expect(text).toContain(`href="/${owner.user.link_id}/podcast.xml"`);
    expect(text).toContain("ログインしてアドレスを作る");
    expect((await visitor.post(pagePath(), { do: "make" })).location).toMatch(/^\/login\?to=/);
  });

  test("is answered with 404 for a secret of another form, and with 400 for an unknown button", async () => {
    const { url } = await network();
    for (const secret of ["short", "x".repeat(22)]) {
      expect((await fetch(`${url}/${owner.user.link_id}/podcast/${secret}`)).status).toBe(404);
    }
    const own = await openBrowserAs(await follower());
    expect((await own.post(pagePath(), { do: "everything" })).status).toBe(400);
  });
});

test("the settings list a member's addresses and revoke one", async () => {
  const fan = await follower();
  const own = await openBrowserAs(fan);
  await own.post(pagePath(), { do: "make" });
  expect((await own.get("/my/settings/podcasts")).text).toContain(owner.user.name);
  await own.post("/my/settings/podcasts", { user_id: owner.user.user_id });
  expect((await own.get("/my/settings/podcasts")).text).toContain("自分用のアドレスはありません");
  expect((await ask(listPodcastFeeds, { token: fan.token, query: {} })).feeds).toEqual([]);
});

describe("an address of a podcast", () => {
  const params = () => ({ user_id: owner.user.user_id });

  test("is listed without its secret, and exported without it", async () => {
    const { token } = await follower();
    const { feed, secret } = await ask(createPodcastFeed, { token, params: params() });
    expect(feed.user.user_id).toBe(owner.user.user_id);
    const listed = await ask(listPodcastFeeds, { token, query: params() });
    expect(listed.feeds).toEqual([feed]);
    expect((await ask(listPodcastFeeds, { token, query: { user_id: NOBODY } })).feeds).toEqual([]);
    const exported = await ask(exportAccount, { token, query: { part: "profile" } });
    expect(exported.items[0]?.podcast_feeds).toEqual([
      { creator_user_id: owner.user.user_id, created_at: feed.created_at },
    ]);
    expect(JSON.stringify([listed, exported])).not.toContain(secret);
    const headers = { [URL_KEY_HEADER]: secret ?? "" };
    expect((await ask(getPodcast, { headers })).recordings).toHaveLength(1);
    await ask(deletePodcastFeed, { token, params: params() });
    await ask(deletePodcastFeed, { token, params: params() });
    await refused(getPodcast, "not_found", { headers });
  });

  test("is refused for an unknown creator", async () => {
    const { token } = await follower();
    await refused(createPodcastFeed, "not_found", { token, params: { user_id: NOBODY } });
  });
});
