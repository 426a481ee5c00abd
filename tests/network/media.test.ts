import { expect, test } from "vitest";
import { signedPath } from "../../workers/api/uploads/rules.ts";
import type { EventSummary } from "../../workers/contract/events.ts";
import type { User } from "../../workers/contract/users.ts";
import { api, network, signIn } from "../support/network.ts";

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

/** A post only some may see, as its owner sees it: with a picture. */
async function lockedPicture(): Promise<string> {
  const event = (await eventsOf(await signIn("natsume"))).find(
    ({ image, publish_target_type }) => image && publish_target_type !== "public",
  );
  if (!event?.image) throw new Error("the demo world has no locked post with a picture");
  return event.image.medium_url;
}

test("an icon is a picture anybody may fetch and keep, and nothing that could run", async () => {
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

test("a locked post's picture is there for who may see it, and for nobody else", async () => {
  const signed = new URL(await lockedPicture(), "http://here.test");
  const allowed = await get(signed.pathname + signed.search);
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get("cache-control")).toMatch(/^private/);
  expect(allowed.headers.get("cross-origin-resource-policy")).toBe("same-origin");

  expect((await get(signed.pathname)).status).toBe(404);
  const visitors = (await eventsOf(null)).filter(({ is_locked }) => is_locked);
  expect(visitors.length).toBeGreaterThan(0);
  expect(visitors.every(({ image, lead }) => image === null && lead === null)).toBe(true);
});

test("a signature is good for its own picture and its own hour", async () => {
  const signed = new URL(await lockedPicture(), "http://here.test");
  const { MEDIA_KEY: media_key } = (await network()).secrets;
  const at = async (now_ms: number, path = signed.pathname) => signedPath(path, { media_key, now_ms });
  expect((await get(await at(Date.now()))).status).toBe(200);
  expect((await get(await at(Date.now() - 2 * 60 * 60 * 1000))).status).toBe(404);

  const later = new URL(signed);
  later.searchParams.set("expires", String(Number(signed.searchParams.get("expires")) + 1));
  expect((await get(later.pathname + later.search)).status).toBe(404);
  const foreign = await at(Date.now(), "/media/01m7w8x4djb0f2bjzhah5xzvz6/medium");
  expect((await get(signed.pathname + new URL(foreign, "http://here.test").search)).status).toBe(404);
});
