import { expect, test } from "vitest";
import { mediaPath, signedQuery } from "../../workers/api/uploads/rules.ts";
import type { EventSummary } from "../../workers/contract/events.ts";
import { follow, unfollow } from "../../workers/contract/relationships.ts";
import type { User } from "../../workers/contract/users.ts";
import { api, browser, database, freshMember, network, signIn } from "../support/network.ts";

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch((await network()).url + path, { headers });

async function natsume(): Promise<User> {
  return ((await api("GET", "/v4/users?link_id=natsume")).json as { user: User }).user;
}

async function eventsOf(token: string | null): Promise<EventSummary[]> {
  const { user_id } = await natsume();
  const { json } = await api("GET", `/v4/users/${user_id}/events?page_size=25`, { token });
  return (json as { events: EventSummary[] }).events;
}

/** Returns a locked post with a picture, as its owner sees it. */
async function lockedPicture(): Promise<string> {
  const open = new Set((await eventsOf(null)).flatMap(({ image }) => image?.image_id ?? []));
  const event = (await eventsOf(await signIn("natsume"))).find(
    ({ image, publish_target_type }) => image && publish_target_type !== "public" && !open.has(image.image_id),
  );
  if (!event?.image) throw new Error("the demo world has no locked post with a picture");
  return event.image.medium_url;
}

test("an icon is a public cacheable picture that cannot run as a page", async () => {
  const path = (await natsume()).icon_image?.medium_url ?? "";
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/png",
    "cache-control": "public, max-age=86400",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
  expect([...new Uint8Array(await response.arrayBuffer()).slice(1, 4)]).toEqual([..."PNG"].map((c) => c.charCodeAt(0)));
  const again = await get(path, { "if-none-match": response.headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
});

test("a public post's picture needs no signature", async () => {
  const open = (await eventsOf(null)).find(({ image }) => image);
  expect(open?.image?.medium_url).toMatch(/^\/media\/[0-9a-z]{26}\/medium$/);
  const response = await get(open?.image?.medium_url ?? "");
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control"), "its post may be locked").toBe("public, max-age=300");
});

test("a locked post's picture opens only for readers with access", async () => {
  const signed = new URL(await lockedPicture(), "http://here.test");
  const path = signed.pathname + signed.search;
  const owner = { authorization: `Bearer ${await signIn("natsume")}` };
  const allowed = await get(path, owner);
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get("cache-control")).toMatch(/^private/);
  expect(allowed.headers.get("cross-origin-resource-policy")).toBe("same-origin");

  expect((await get(path)).status, "whoever the address was passed on to").toBe(404);
  expect((await get(path, { authorization: `Bearer ${await signIn("fan_hana")}` })).status).toBe(404);
  expect((await get(signed.pathname, owner)).status).toBe(404);
  const visitors = (await eventsOf(null)).filter(({ is_locked }) => is_locked);
  expect(visitors.length).toBeGreaterThan(0);
  // Pictures before a paywall line are public, and need no signature.
  const shown = visitors.flatMap(({ image }) => image?.medium_url ?? []);
  expect(visitors.length - shown.length).toBeGreaterThan(0);
  for (const free of shown) expect([free, (await get(free)).status]).toEqual([expect.not.stringContaining("?"), 200]);
  expect(shown).not.toContain(signed.pathname);
  const { results } = await (await database())
    .prepare("SELECT title FROM events WHERE lead_is_free = 1")
    .all<{ title: string }>();
  const free = results.map(({ title }) => title);
  expect(visitors.filter(({ lead, title }) => lead !== null && !free.includes(title))).toEqual([]);
});

test("a page's pictures open only for the session that loaded the page", async () => {
  const signed = new URL(await lockedPicture(), "http://here.test");
  const path = signed.pathname + signed.search;
  const [owner, other] = [await browser(), await browser()];
  await Promise.all([owner.signIn("natsume"), other.signIn("fan_hana")]);
  expect((await owner.get(path)).status).toBe(200);
  expect((await other.get(path)).status).toBe(404);
  expect((await (await browser()).get(path)).status).toBe(404);
});

test("a reader who loses access cannot open the picture, even with its old URLs", async () => {
  const author = await natsume();
  const fan = await freshMember("途中でやめる人");
  const relate = (method: "POST" | "DELETE") => {
    const asked = { following_id: author.user_id };
    const path = method === "POST" ? follow.path : `${unfollow.path}?${new URLSearchParams(asked)}`;
    return api(method, path, { token: fan.token, ...(method === "POST" && { body: asked }) });
  };
  await relate("POST");
  const event = (await eventsOf(fan.token)).find(
    ({ image, publish_target_type }) => image?.medium_url.includes("?") && publish_target_type === "fans",
  );
  const url = event?.image?.medium_url ?? "";
  const asFan = { authorization: `Bearer ${fan.token}` };
  expect((await get(url, asFan)).status).toBe(200);
  await relate("DELETE");
  expect((await get(url, asFan)).status).toBe(404);
});

test("a signature is valid for its own picture, hour and viewer", async () => {
  const signed = new URL(await lockedPicture(), "http://here.test");
  const { MEDIA_KEY: media_key } = (await network()).secrets;
  const { user_id } = await natsume();
  const owner = { authorization: `Bearer ${await signIn("natsume")}` };
  const own = signed.pathname.replace("/medium", "");
  const at = async (now_ms: number, path = own, viewer = user_id) =>
    signed.pathname + (await signedQuery(path, { media_key, now_ms, caller: { user_id: viewer } }));
  expect((await get(await at(Date.now()), owner)).status).toBe(200);
  expect((await get(await at(Date.now() - 2 * 60 * 60 * 1000), owner)).status).toBe(404);
  expect((await get(await at(Date.now(), mediaPath("01m7w8x4djb0f2bjzhah5xzvz6")), owner)).status).toBe(404);
  expect((await get(await at(Date.now(), own, "01m7w8x4djb0f2bjzhah5xzvz6"), owner)).status).toBe(404);

  const later = new URL(signed);
  later.searchParams.set("expires", String(Number(signed.searchParams.get("expires")) + 1));
  expect((await get(later.pathname + later.search, owner)).status).toBe(404);
});
