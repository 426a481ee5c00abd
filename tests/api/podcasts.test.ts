/** Private podcasts: which recordings they have, for whom, and for how long their addresses work. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { findPodcastRecording, isOfPodcast } from "../../workers/api/radios/podcasts.ts";
import { recordingKey } from "../../workers/api/radios/rules.ts";
import { serveMedia } from "../../workers/api/uploads/routes.ts";
import type { RadioBody, RadioRecording } from "../../workers/contract/radios.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { servicesOf } from "./support/context.ts";
import { problemOf } from "./support/product.ts";
import {
  addMember,
  addPlan,
  addRadio,
  block,
  changeRadio,
  finishRadio,
  follow,
  type Member,
  outcomeOf,
  pay,
  product,
  runSql,
  startRadio,
  succeed,
  toIsoTime,
} from "./support/radios.ts";

const SOUND = Uint8Array.from({ length: 3000 }, (_, index) => index % 251);
type Audience = RadioBody["recording_publish_target_type"];

/** Makes a finished radio with a recording, as the reaction to its end does. */
async function record(owner: Member, recording_publish_target_type: Audience, membership_id?: string) {
  const more = { title: recording_publish_target_type, recording_publish_target_type };
  const { radio_id } = await addRadio(owner, {
    ...more,
    ...(membership_id && { publish_target_membership_id: membership_id }),
  });
  await startRadio(owner, radio_id);
  await finishRadio(owner, radio_id);
  await env.MEDIA.put(recordingKey(radio_id), SOUND);
  await runSql(
    "UPDATE radios SET recording_state = 'completed', bytes = ?, duration_ms = 61000 WHERE radio_id = ?",
    ...[SOUND.length, radio_id],
  );
  return radio_id;
}

const feedPath = (owner: Member) => `/v4/users/${owner.user_id}/podcast_feed`;
const make = async ({ token }: Member, owner: Member, key?: string): Promise<string> =>
  (await succeed({ method: "POST", path: feedPath(owner), token, key })).secret;
const read = (secret: string) => product.ask({ method: "GET", path: "/v4/podcast", url_key: secret });
const recordingsOf = async (secret: string): Promise<RadioRecording[]> => (await read(secret)).json.recordings;
const titlesOf = async (secret: string) => (await recordingsOf(secret)).map(({ title }) => title).sort();
const pathsOf = async (secret: string) => (await recordingsOf(secret)).map(({ file }) => file.path);

/** Requests an address as a podcast app does, without any token. Returns the status, and the bytes if there are any. */
async function listen(path: string, headers: Record<string, string> = {}, method = "GET") {
  const services = servicesOf({ clock: { now: () => Date.now() } });
  try {
    const answer = await serveMedia(new Request(`http://api.internal${path}`, { method, headers }), services, {
      callerOf: async () => null,
      isEventReadable: async () => false,
      findRecording: async (radio_id, search) =>
        isOfPodcast(search) ? findPodcastRecording(radio_id, search, services) : null,
    });
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { status: 404, headers: new Headers(), bytes: new Uint8Array() };
  }
}
const statusesOf = (paths: string[]) => Promise.all(paths.map(async (path) => (await listen(path)).status));

async function world() {
  const [owner, fan] = await Promise.all([addMember("owner"), addMember()]);
  const plan = await addPlan(owner);
  for (const audience of ["public", "fans", "url", "none"] as const) await record(owner, audience);
  await record(owner, "memberships", plan);
  return { owner, fan, plan };
}

describe("a private podcast", () => {
  test("has what its member may hear at the moment, and never what needs a key or is private", async () => {
    const { owner, fan, plan } = await world();
    const secret = await make(fan, owner);
    expect(await titlesOf(secret)).toEqual(["public"]);
    await follow(fan, owner);
    await pay(fan, plan, 30);
    expect(await titlesOf(secret)).toEqual(["fans", "memberships", "public"]);
    expect(await titlesOf(await make(owner, owner))).toEqual(["fans", "memberships", "public"]);
    const paths = await pathsOf(secret);
    expect(await statusesOf(paths)).toEqual([200, 200, 200]);

    await runSql("DELETE FROM relationships WHERE follower_id = ?", fan.user_id);
    await runSql("UPDATE subscriptions SET paid_until = ? WHERE user_id = ?", toIsoTime(Date.now() - 1), fan.user_id);
    expect(await titlesOf(secret)).toEqual(["public"]);
    expect((await statusesOf(paths)).sort()).toEqual([200, 404, 404]);
  });

  test("serves ranges, privately, under addresses without the secret", async () => {
    const { owner, fan } = await world();
    const secret = await make(fan, owner);
    const [path = ""] = await pathsOf(secret);
    expect(path).not.toContain(secret);
    const part = await listen(path, { range: "bytes=100-199" });
    expect([part.status, part.headers.get("content-range"), part.headers.get("cache-control")]).toEqual([
      206,
      "bytes 100-199/3000",
      "private, max-age=300",
    ]);
    expect(part.bytes).toEqual(SOUND.subarray(100, 200));
    for (const range of ["bytes=100-199", "bytes=3000-"]) {
      const head = await listen(path, { range }, "HEAD");
      expect([head.status, head.headers.get("content-length"), head.headers.get("content-range")]).toEqual([
        200,
        "3000",
        null,
      ]);
    }
    expect(await statusesOf([path.replace(/signature=.{4}/, "signature=AAAA"), path.split("&")[0] ?? ""])).toEqual([
      404, 404,
    ]);
  });

  test("has no address for a recording that its creator hides or makes a secret", async () => {
    const { owner, fan } = await world();
    const radio_id = await record(owner, "public");
    const secret = await make(fan, owner);
    const path = (await pathsOf(secret)).find((each) => each.includes(radio_id)) ?? "";
    for (const recording_publish_target_type of ["url", "none"]) {
      await changeRadio(owner, radio_id, { recording_publish_target_type });
      expect(await statusesOf([path])).toEqual([404]);
    }
    // The owner's own feed has no such address either.
    expect((await pathsOf(await make(owner, owner))).join()).not.toContain(radio_id);
  });

  test.each([
    ["its member revokes it", async (fan: Member, owner: Member) => revoke(fan, owner)],
    ["its member replaces it", async (fan: Member, owner: Member) => void (await make(fan, owner))],
    ["its creator blocks the member", async (fan: Member, owner: Member) => void (await block(owner, fan))],
    ["its member blocks the creator", async (fan: Member, owner: Member) => void (await block(fan, owner))],
    ["its member's account is disabled", (fan: Member) => disable(fan)],
    ["its creator's account is disabled", (_: Member, owner: Member) => disable(owner)],
  ])("ends with the next request when %s", async (_, act) => {
    const { owner, fan } = await world();
    const secret = await make(fan, owner);
    const [path = ""] = await pathsOf(secret);
    expect(await statusesOf([path])).toEqual([200]);
    await act(fan, owner);
    expect(problemOf(await read(secret))).toBe("not_found");
    expect(await statusesOf([path])).toEqual([404]);
  });
});

const revoke = async ({ token }: Member, owner: Member) =>
  void (await succeed({ method: "DELETE", path: feedPath(owner), token }));
const disable = async ({ user_id }: Member) =>
  void (await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", toIsoTime(Date.now()), user_id));

test("the list of a member's podcasts leaves out creators whose account is disabled", async () => {
  const [owner, other, fan] = await Promise.all([addMember("owner"), addMember("owner"), addMember()]);
  for (const creator of [owner, other]) await make(fan, creator);
  await disable(owner);
  const list = async (query = "") => {
    const { feeds } = await succeed({ method: "GET", path: `/v4/my/podcast_feeds${query}`, token: fan.token });
    return feeds.map(({ user }: { user: { user_id: string } }) => user.user_id);
  };
  expect([await list(), await list(`?user_id=${owner.user_id}`)]).toEqual([[other.user_id], []]);
});

describe("the secret of a private podcast", () => {
  test("is stored as a hash alone, also in the answer for retries", async () => {
    const [owner, fan] = await Promise.all([addMember("owner"), addMember()]);
    const secret = await make(fan, owner, "one-press");
    expect(secret).toMatch(/^[\w-]{22}$/);
    expect(await make(fan, owner, "one-press")).toBeNull();
    for (const table of ["podcast_feeds", "idempotency_keys"]) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(results.length).toBeGreaterThan(0);
      expect(JSON.stringify(results)).not.toContain(secret);
    }
  });

  test("opens nothing when it is wrong or missing", async () => {
    for (const secret of ["x".repeat(22), ""]) expect(problemOf(await read(secret))).toBe("not_found");
    expect(problemOf(await product.ask({ method: "GET", path: "/v4/podcast" }))).toBe("not_found");
  });

  test("is not made for a creator who is gone, disabled or blocked", async () => {
    const [owner, fan] = await Promise.all([addMember("owner"), addMember()]);
    const call = { method: "POST", path: feedPath(owner), token: fan.token };
    await block(owner, fan);
    expect(await outcomeOf(call)).toBe("blocked");
    await disable(owner);
    expect(await outcomeOf(call)).toBe("not_found");
  });
});
