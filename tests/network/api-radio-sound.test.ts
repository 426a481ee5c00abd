/** Recordings over the real network: who gets their bytes, and for how long. */
import { beforeAll, describe, expect, test } from "vitest";
import { signedQuery } from "../../workers/api/uploads/rules.ts";
import {
  createRadio,
  finishRadio,
  getRadioSound,
  listUserRecordings,
  type RadioBody,
  remindOfRadio,
  startRadio,
  URL_KEY_HEADER,
  updateRadio,
} from "../../workers/contract/radios.ts";
import { follow, unfollow } from "../../workers/contract/relationships.ts";
import { database, freshMember, type Member, network, openBrowserAs } from "../support/network.ts";
import { ask, refused } from "./support/calls.ts";

const FILE = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);
const SECRET = "m4a of a radio";

let owner: Member;
beforeAll(async () => {
  owner = await freshMember("録音した人");
});

/** Makes a finished radio with a recording, as the reaction to its end does. Its file begins with a secret. */
async function recorded(audience: RadioBody["recording_publish_target_type"]) {
  const { token } = owner;
  const body = { title: "録音", publish_target_type: "public" as const, recording_publish_target_type: audience };
  const { radio, url_key } = await ask(createRadio, { token, body });
  const params = { radio_id: radio.radio_id };
  await ask(startRadio, { token, params });
  await ask(finishRadio, { token, params });
  const bytes = new Uint8Array([...new TextEncoder().encode(SECRET), ...FILE]);
  const bucket = await (await network()).miniflare.getR2Bucket("MEDIA", "ofuse-api");
  await bucket.put(`radios/${radio.radio_id}.m4a`, bytes);
  await (await database())
    .prepare("UPDATE radios SET recording_state = 'completed', bytes = ?, duration_ms = 61000 WHERE radio_id = ?")
    .bind(bytes.length, radio.radio_id)
    .run();
  return { params, body, url_key: url_key ?? "", bytes };
}

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch((await network()).url + path, { headers });
const as = ({ token }: Member) => ({ authorization: `Bearer ${token}` });

/** Fails unless the address is unknown to the caller, and no byte of the file is in the answer. */
async function expectNothing(path: string, headers: Record<string, string> = {}) {
  const answer = await get(path, headers);
  expect([answer.status, (await answer.text()).includes(SECRET)], path).toEqual([404, false]);
}

async function pathOf(params: { radio_id: string }, call: { token?: string; headers?: Record<string, string> } = {}) {
  const { sound } = await ask(getRadioSound, { params, query: {}, ...call });
  expect(sound).toMatchObject({ live: null, listeners_count: null });
  return sound.recording?.path ?? "";
}

describe("a recording for everybody", () => {
  test("has one address, with ranges, until it is hidden", async () => {
    const { params, body, bytes } = await recorded("public");
    const path = await pathOf(params);
    expect(path).toBe(`/media/${params.radio_id}/recording`);
    const whole = await get(path);
    expect([whole.status, whole.headers.get("content-type"), whole.headers.get("accept-ranges")]).toEqual([
      200,
      "audio/mp4",
      "bytes",
    ]);
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes);
    const part = await get(path, { range: "bytes=100-199" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-199/${bytes.length}`]);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.subarray(100, 200));
    const { recordings } = await ask(listUserRecordings, { params: { user_id: owner.user.user_id } });
    expect(recordings[0]?.file).toEqual({ path, content_type: "audio/mp4", bytes: bytes.length, duration_ms: 61_000 });

    const hidden = { ...body, recording_publish_target_type: "none" as const };
    await ask(updateRadio, { token: owner.token, params, body: hidden });
    await expectNothing(path);
    await refused(getRadioSound, "not_found", { params });
  });
});

describe("a recording for followers", () => {
  test("plays for the follower alone, for four hours, and until they stop following", async () => {
    const [fan, other] = await Promise.all([freshMember("聴く人"), freshMember("ほかに聴く人")]);
    const { params, bytes } = await recorded("fans");
    const following_id = owner.user.user_id;
    for (const { token } of [fan, other]) await ask(follow, { token, body: { following_id } });
    await refused(getRadioSound, "not_found", { params });
    const path = await pathOf(params, { token: fan.token });
    const part = await get(path, { ...as(fan), range: "bytes=0-9" });
    expect([part.status, part.headers.get("cache-control")]).toEqual([206, "private, max-age=300"]);
    const page = await (await openBrowserAs(fan)).get(path);
    expect(page.status).toBe(200);

    const [bare = ""] = path.split("?");
    await expectNothing(path);
    await expectNothing(path, as(other));
    await expectNothing(bare, as(fan));
    await expectNothing(path.replace(/signature=.{4}/, "signature=AAAA"), as(fan));
    const { MEDIA_KEY: media_key } = (await network()).secrets;
    const hours_ago = { media_key, now_ms: Date.now() - 5 * 3_600_000, caller: { user_id: fan.user.user_id } };
    await expectNothing(bare + (await signedQuery(`/media/${params.radio_id}`, hours_ago, 4 * 3_600_000)), as(fan));
    await ask(unfollow, { token: fan.token, query: { following_id } });
    await expectNothing(path, as(fan));
    const own = await get(await pathOf(params, { token: owner.token }), as(owner));
    expect((await own.arrayBuffer()).byteLength).toBe(bytes.length);
  });
});

describe("a recording for holders of a key", () => {
  test("plays without an account, until there is another key", async () => {
    const { params, body, url_key } = await recorded("url");
    await refused(getRadioSound, "not_found", { params });
    const wrong = { [URL_KEY_HEADER]: "x".repeat(22) };
    await refused(getRadioSound, "not_found", { params, headers: wrong });
    const path = await pathOf(params, { headers: { [URL_KEY_HEADER]: url_key } });
    const part = await get(path, { range: "bytes=0-9" });
    expect([part.status, part.headers.get("cache-control")]).toEqual([206, "private, max-age=300"]);
    await expectNothing(path.split("?")[0] ?? "");
    await ask(updateRadio, { token: owner.token, params, body: { ...body, rotates_url_key: true } });
    await expectNothing(path);
  });
});

test("a reminder is asked for before the radio starts", async () => {
  const fan = await freshMember("待つ人");
  const { radio } = await ask(createRadio, {
    token: owner.token,
    body: { title: "これから", publish_target_type: "public" },
  });
  const params = { radio_id: radio.radio_id };
  const call = { token: fan.token, params, body: { is_reminded: true } };
  expect(await ask(remindOfRadio, call)).toEqual({ is_reminded: true });
  await ask(startRadio, { token: owner.token, params });
  await refused(remindOfRadio, "radio_transition_refused", call);
  await ask(finishRadio, { token: owner.token, params });
});
