/** The sound of radios for their listeners, and reminders. tests/api/radios-visibility.test.ts has who may hear what. */
import { describe, expect, test } from "vitest";
import { noSound } from "../../scripts/no-sound.ts";
import { findSound } from "../../workers/api/radios/playback.ts";
import type { LiveEngine } from "../../workers/contract/live-engine.ts";
import { contextOf } from "./support/context.ts";
import {
  addMember,
  addRadio,
  block,
  changeRadio,
  follow,
  type Member,
  outcomeOf,
  product,
  runSql,
  startRadio,
  succeed,
} from "./support/radios.ts";

const sources = {
  opus: { playlist: "/media/live/t/opus.m3u8", mime_type: 'audio/mp4; codecs="opus"' },
  hls: "/media/live/t/aac.m3u8",
  progressive: "/media/live/t/live.aac",
  expires_at: "2026-12-24T12:00:00.000Z",
};

/** Returns an engine that plays, counts three listeners, and notes for whom it was asked. */
function playing(parts: Partial<LiveEngine> = {}) {
  const viewers: (string | null)[] = [];
  const engine: LiveEngine = {
    ...noSound,
    playback: async (_, { viewer_id }) => {
      viewers.push(viewer_id);
      return sources;
    },
    status: async () => ({ ...(await noSound.status({ radio_id: "" })), state: "live", listeners: 3 }),
    ...parts,
  };
  return { engine, viewers };
}

async function radioOnAir() {
  const owner = await addMember("owner");
  const { radio_id } = await addRadio(owner);
  await startRadio(owner, radio_id);
  return { owner, radio_id };
}

describe("a radio on air", () => {
  test("has the addresses of one listener, who is a member, a browser or unknown", async () => {
    const { radio_id } = await radioOnAir();
    const fan = await addMember();
    const { engine, viewers } = playing();
    const hear = (user_id: string | null, visit_id?: string) =>
      findSound({ ...contextOf(user_id), sound: engine }, radio_id, visit_id);
    expect(await hear(fan.user_id, "phone")).toEqual({ live: sources, recording: null, listeners_count: 3 });
    await hear(null, "phone");
    await hear(null);
    expect(viewers).toEqual([`user ${fan.user_id}`, "visit phone", null]);
  });

  test("is answered without what the engine fails to say", async () => {
    const { radio_id } = await radioOnAir();
    const fail = () => Promise.reject(new Error("the engine is down"));
    const hear = (parts: Partial<LiveEngine>) =>
      findSound({ ...contextOf(null), sound: playing(parts).engine }, radio_id, undefined);
    expect(await hear({ status: fail })).toEqual({ live: sources, recording: null, listeners_count: null });
    expect(await hear({ playback: fail })).toEqual({ live: null, recording: null, listeners_count: 3 });
  });

  test("is named to everybody who opens its creator's page, unless it is for holders of a key", async () => {
    const { owner, radio_id } = await radioOnAir();
    const onAir = async () =>
      (await succeed({ method: "GET", path: `/v4/users?user_id=${owner.user_id}` })).on_air_radio;
    expect(await onAir()).toEqual({ radio_id, title: "夜ふかし缶詰" });
    await changeRadio(owner, radio_id, { publish_target_type: "url" });
    expect(await onAir()).toBeNull();
  });
});

const remind = ({ token }: Member, radio_id: string, is_reminded = true, url_key?: string) =>
  outcomeOf({
    method: "POST",
    path: `/v4/radios/${radio_id}/reminder`,
    token,
    url_key,
    body: { is_reminded },
  });
/** Returns how many notifications and pushes of a start a member has. */
async function toldOf({ user_id }: Member) {
  const count = async (query: string) => (await runSql(query, user_id)).results.length;
  return {
    page: await count("SELECT 1 FROM notifications WHERE type = 'radio_started' AND user_id = ?"),
    mail: await count("SELECT 1 FROM outbox WHERE kind = 'notification_mailed' AND payload ->> 'user_id' = ?"),
  };
}

/** Starts a radio. Returns how many notifications of it each member gets. */
async function toldAtStart(owner: Member, radio_id: string, members: Member[]): Promise<number[]> {
  await startRadio(owner, radio_id);
  for (let run = 0; run < 3; run++) await product.tick();
  return (await Promise.all(members.map(toldOf))).map(({ page }) => page);
}

describe("a reminder", () => {
  test("tells once of the start, also a stranger and a follower who wants no such notifications", async () => {
    const owner = await addMember("owner");
    const [stranger, quiet, follower, other] = await Promise.all([addMember(), addMember(), addMember(), addMember()]);
    await Promise.all([follow(quiet, owner), follow(follower, owner)]);
    for (const channel of ["page", "mail"]) {
      await runSql("INSERT INTO notification_settings VALUES (?, 'radio_started', ?, 0)", quiet.user_id, channel);
    }
    const { radio_id } = await addRadio(owner);
    for (const fan of [stranger, quiet, follower, other]) expect(await remind(fan, radio_id)).toBe("200");
    await remind(stranger, radio_id);
    await remind(other, radio_id, false);
    await startRadio(owner, radio_id);
    for (let run = 0; run < 3; run++) await product.tick();
    const told = await Promise.all([stranger, quiet, follower, other].map(toldOf));
    expect(told.map(({ page }) => page)).toEqual([1, 1, 1, 0]);
    expect(told[1]?.mail).toBe(0);
  });

  test("tells nobody who may not hear the radio any more, or is blocked", async () => {
    const owner = await addMember("owner");
    const [former, blocked, follower] = await Promise.all([addMember(), addMember(), addMember()]);
    const { radio_id } = await addRadio(owner);
    for (const fan of [former, blocked, follower]) await remind(fan, radio_id);
    await follow(follower, owner);
    await follow(blocked, owner);
    await block(owner, blocked);
    await changeRadio(owner, radio_id, { publish_target_type: "fans" });
    expect(await toldAtStart(owner, radio_id, [former, blocked, follower])).toEqual([0, 0, 1]);
  });

  test("of a radio with a key tells the holders of the present key alone", async () => {
    const owner = await addMember("owner");
    const [former, holder] = await Promise.all([addMember(), addMember()]);
    const { radio_id, url_key } = await addRadio(owner, { publish_target_type: "url" });
    expect(await remind(former, radio_id)).toBe("not_found");
    expect(await remind(former, radio_id, true, url_key ?? "")).toBe("200");
    const rotated = await changeRadio(owner, radio_id, { publish_target_type: "url", rotates_url_key: true });
    await remind(holder, radio_id, true, rotated.json.url_key);
    expect(await toldAtStart(owner, radio_id, [former, holder])).toEqual([0, 1]);
  });

  test("ends when the broadcast becomes one for key holders, also if the recording had the key already", async () => {
    const owner = await addMember("owner");
    const [stranger, holder] = await Promise.all([addMember(), addMember()]);
    const { radio_id, url_key } = await addRadio(owner, { recording_publish_target_type: "url" });
    expect(await remind(stranger, radio_id)).toBe("200");
    const visibilities = { publish_target_type: "url", recording_publish_target_type: "url" };
    expect((await changeRadio(owner, radio_id, visibilities)).json.url_key).toBeNull();
    await remind(holder, radio_id, true, url_key ?? "");
    // Nothing that concerns the broadcast has changed.
    await changeRadio(owner, radio_id, { ...visibilities, title: "朝まで缶詰" });
    expect(await toldAtStart(owner, radio_id, [stranger, holder])).toEqual([0, 1]);
  });

  test("stays when only the recording gets a key, or another one", async () => {
    const owner = await addMember("owner");
    const fan = await addMember();
    const { radio_id } = await addRadio(owner);
    expect(await remind(fan, radio_id)).toBe("200");
    for (const rotates_url_key of [false, true]) {
      const changed = await changeRadio(owner, radio_id, { recording_publish_target_type: "url", rotates_url_key });
      expect(changed.json.url_key).not.toBeNull();
    }
    expect(await toldAtStart(owner, radio_id, [fan])).toEqual([1]);
  });

  test("is on the radio for the one who asked, and is taken back", async () => {
    const owner = await addMember("owner");
    const [fan, other] = await Promise.all([addMember(), addMember()]);
    const { radio_id } = await addRadio(owner);
    const isReminded = async ({ token }: Member) =>
      (await succeed({ method: "GET", path: `/v4/radios/${radio_id}`, token })).radio.is_reminded;
    await remind(fan, radio_id);
    expect([await isReminded(fan), await isReminded(other)]).toEqual([true, false]);
    await remind(fan, radio_id, false);
    expect(await isReminded(fan)).toBe(false);
  });
});

test("a transcript is saved by its owner, and read by those who may hear", async () => {
  const owner = await addMember("owner");
  const { radio_id } = await addRadio(owner, { publish_target_type: "fans" });
  const transcript = "こんばんは。\n今夜は缶詰の話をします。";
  await changeRadio(owner, radio_id, { publish_target_type: "fans", transcript });
  await startRadio(owner, radio_id);
  const fan = await addMember();
  const read = async () =>
    (await succeed({ method: "GET", path: `/v4/radios/${radio_id}`, token: fan.token })).radio.transcript;
  expect(await read()).toBeNull();
  await follow(fan, owner);
  expect(await read()).toBe(transcript);
});
