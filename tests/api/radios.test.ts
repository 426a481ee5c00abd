/** Tests the states of radios: on air one at a time, the end by itself, keys, notifications, comments and likes. */
import { describe, expect, test } from "vitest";
import { domains, registry } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { decideReport } from "../../workers/api/operator/commands.ts";
import { endBroadcasts, recordSignals } from "../../workers/api/radios/broadcast.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox, dispatchUntried } from "../../workers/api/storage/outbox.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { contextOf, d1, dispatcherOf, servicesOf } from "./support/context.ts";
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
  radioOf,
  runSql,
  startRadio,
  succeed,
  toIsoTime,
} from "./support/radios.ts";

const MINUTE_MS = 60_000;
const database = openDatabase(d1);

const getRadio = (radio_id: string, { token }: Partial<Member> = {}, url_key?: string) =>
  product.ask({ method: "GET", path: `/v4/radios/${radio_id}`, token, url_key });
const statusOf = (radio_id: string) =>
  d1.prepare("SELECT status FROM radios WHERE radio_id = ?").bind(radio_id).first<string>("status");

describe("a radio", () => {
  test("goes from scheduled to on air to finished, and no other way", async () => {
    const owner = await addMember();
    const { radio_id } = await addRadio(owner);
    const remove = () => outcomeOf({ method: "DELETE", path: `/v4/radios/${radio_id}`, token: owner.token });
    expect(await finishRadio(owner, radio_id)).toBe("radio_transition_refused");
    expect(await startRadio(owner, radio_id)).toBe("200");
    const on_air = (await getRadio(radio_id, owner)).json.radio;
    expect(on_air).toMatchObject({ status: "on_air", finished_at: null });
    expect(on_air.last_signal_at).toBe(on_air.started_at);
    expect(await startRadio(owner, radio_id)).toBe("radio_transition_refused");
    expect(await remove()).toBe("radio_transition_refused");
    expect(await finishRadio(owner, radio_id)).toBe("200");
    const finished = (await getRadio(radio_id, owner)).json.radio;
    expect(finished.status).toBe("finished");
    expect(finished.finished_at >= finished.started_at).toBe(true);
    expect(await startRadio(owner, radio_id)).toBe("radio_transition_refused");
    expect(await finishRadio(owner, radio_id)).toBe("radio_transition_refused");
    expect(await remove()).toBe("204");
    expect((await getRadio(radio_id, owner)).status).toBe(404);
  });

  test("is started once by many calls at the same time, and announced once", async () => {
    const owner = await addMember();
    const { radio_id } = await addRadio(owner);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => startRadio(owner, radio_id)));
    expect(outcomes.filter((outcome) => outcome === "200")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["200", "radio_transition_refused"]));
    const announced = d1.prepare("SELECT COUNT(*) AS n FROM outbox WHERE kind = 'radio_started' AND payload LIKE ?");
    expect(await announced.bind(`%${radio_id}%`).first("n")).toBe(1);
  });

  test("is the only one of its creator on air, however many are started at the same time", async () => {
    const [owner, other] = [await addMember(), await addMember()];
    const radios = await Promise.all(Array.from({ length: 8 }, () => addRadio(owner)));
    const outcomes = await Promise.all(radios.map(({ radio_id }) => startRadio(owner, radio_id)));
    expect(outcomes.toSorted()).toEqual(["200", ...Array(7).fill("radio_already_on_air")]);
    expect(await startRadio(other, (await addRadio(other)).radio_id)).toBe("200");
    const on_air = radios[outcomes.indexOf("200")]?.radio_id ?? "";
    const waiting = radios.find(({ radio_id }) => radio_id !== on_air)?.radio_id ?? "";
    await finishRadio(owner, on_air);
    expect(await startRadio(owner, waiting)).toBe("200");
  });

  test("is announced for a moment to come, which cannot change after the start", async () => {
    const owner = await addMember();
    const tomorrow = toIsoTime(Date.now() + 86_400_000);
    const passed = { ...radioOf(), starts_at: toIsoTime(Date.now() - MINUTE_MS) };
    expect(await outcomeOf({ method: "POST", path: "/v4/radios", token: owner.token, body: passed })).toBe(
      "starts_at_passed",
    );
    const { radio_id } = await addRadio(owner, { starts_at: tomorrow });
    await runSql("UPDATE radios SET starts_at = ? WHERE radio_id = ?", passed.starts_at, radio_id);
    // The broadcaster is late, and corrects the title.
    expect((await changeRadio(owner, radio_id, passed)).status).toBe(200);
    expect(problemOf(await changeRadio(owner, radio_id, { starts_at: toIsoTime(0) }))).toBe("starts_at_passed");
    await startRadio(owner, radio_id);
    const changed = await changeRadio(owner, radio_id, { title: "生放送", starts_at: tomorrow });
    expect(changed.json.radio).toMatchObject({ title: "生放送", starts_at: passed.starts_at, status: "on_air" });
    expect((await getRadio(radio_id, owner)).json).toEqual({ radio: changed.json.radio });
  });

  test("is not changed by a page that read it before another page changed it", async () => {
    const owner = await addMember();
    const { radio_id } = await addRadio(owner, { recording_publish_target_type: "public" });
    const old = "2026-01-01T00:00:00.000Z";
    await runSql("UPDATE radios SET updated_at = ? WHERE radio_id = ?", old, radio_id);
    await startRadio(owner, radio_id);
    await finishRadio(owner, radio_id);
    const hidden = await changeRadio(owner, radio_id, { transcript: "こんばんは。", seen_updated_at: old });
    expect(hidden.status, "a start and an end are no change of the content").toBe(200);
    const stale = { title: "別の題", recording_publish_target_type: "public" };
    expect(problemOf(await changeRadio(owner, radio_id, { ...stale, seen_updated_at: old }))).toBe("radio_conflict");
    expect((await getRadio(radio_id, owner)).json.radio).toEqual(hidden.json.radio);
    const { updated_at } = hidden.json.radio;
    const with_offset = updated_at.replace("Z", "000+00:00");
    const seen = await changeRadio(owner, radio_id, { ...stale, seen_updated_at: with_offset });
    expect(seen.status, "the same moment, written otherwise").toBe(200);
    expect((await changeRadio(owner, radio_id)).status, "a caller without it is not checked").toBe(200);
  });

  test("takes only the plans and pictures of its owner", async () => {
    const [owner, other] = [await addMember(), await addMember()];
    const plan = await addPlan(other);
    const image_id = newId(Date.now());
    await runSql(
      `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
       VALUES (?, ?, 'public', '', 'image/png', 1, 1, ?)`,
      ...[image_id, other.user_id, toIsoTime(Date.now())],
    );
    const of_plan = { publish_target_type: "memberships", publish_target_membership_id: plan } as const;
    const create = (token: string, body: object) =>
      outcomeOf({ method: "POST", path: "/v4/radios", token, body: { ...radioOf(), ...body } });
    expect(await create(owner.token, of_plan)).toBe("membership_not_found");
    expect(await create(owner.token, { image_id })).toBe("image_not_usable");
    expect(await create(owner.token, { publish_target_type: "memberships" })).toBe("validation_failed");
    expect(await create(owner.token, { recording_publish_target_type: "memberships" })).toBe("validation_failed");
    expect(await create(other.token, { ...of_plan, image_id })).toBe("201");
    const body = { ...radioOf(), ...of_plan };
    const { radio_id } = (await succeed({ method: "POST", path: "/v4/radios", token: other.token, body })).radio;
    await runSql("UPDATE memberships SET active_state = 'inactive' WHERE membership_id = ?", plan);
    expect((await changeRadio(other, radio_id, of_plan)).status, "a closed plan stays").toBe(200);
    expect(await create(other.token, of_plan)).toBe("membership_not_found");
  });

  test("is in its owner's list by status, audience and plan", async () => {
    const owner = await addMember();
    const plan = await addPlan(owner);
    const first = await addRadio(owner);
    const second = await addRadio(owner, { publish_target_type: "url" });
    await startRadio(owner, second.radio_id);
    const third = await addRadio(owner, {
      publish_target_type: "memberships",
      publish_target_membership_id: plan,
    });
    const list = async (query: string) => {
      const found = await succeed({ method: "GET", path: `/v4/my/radios?${query}`, token: owner.token });
      return found.radios.map(({ radio_id }: { radio_id: string }) => radio_id);
    };
    expect(await list("")).toEqual([third.radio_id, second.radio_id, first.radio_id]);
    expect(await list("status=on_air")).toEqual([second.radio_id]);
    expect(await list("publish_target_type=public")).toEqual([first.radio_id]);
    expect(await list(`publish_target_membership_id=${plan}`)).toEqual([third.radio_id]);
    expect(await list("page_size=1&page_number=2")).toEqual([second.radio_id]);
  });

  test("is listed by the moment of its broadcast: the start, or the announced one, and not when it was made", async () => {
    const owner = await addMember("owner");
    const radios: string[] = [];
    for (let n = 0; n < 4; n++)
      radios.push((await addRadio(owner, { recording_publish_target_type: "public" })).radio_id);
    const [late, early, announced, made] = radios as [string, string, string, string];
    const finish = (radio_id: string, day: string) =>
      runSql(
        `UPDATE radios SET status = 'finished', started_at = ?1, last_signal_at = ?1, finished_at = ?1, bytes = 1,
          duration_ms = 1, recording_state = 'completed' WHERE radio_id = ?2`,
        ...[`${day}T12:00:00.000Z`, radio_id],
      );
    await finish(late, "2020-02-01");
    await finish(early, "2020-01-01");
    await runSql("UPDATE radios SET starts_at = ? WHERE radio_id = ?", toIsoTime(Date.now() + MINUTE_MS), announced);
    const idsOf = async (path: string, list: string) =>
      (await succeed({ method: "GET", path, token: owner.token }))[list].map(
        (each: { radio_id: string }) => each.radio_id,
      );
    const of_owner = `/v4/users/${owner.user_id}`;
    expect(await idsOf("/v4/my/radios", "radios")).toEqual([announced, made, late, early]);
    expect(await idsOf(`${of_owner}/radios`, "radios")).toEqual([announced, made, late, early]);
    expect(await idsOf(`${of_owner}/radio_recordings`, "recordings")).toEqual([late, early]);
  });

  test("counts a browser once, on air and afterwards, and not its owner", async () => {
    const [owner, fan] = [await addMember(), await addMember()];
    const { radio_id } = await addRadio(owner, { recording_publish_target_type: "public" });
    const listen = async (visit_id: string, { token }: Partial<Member> = {}) => {
      const path = `/v4/radios/${radio_id}/listen`;
      return (await succeed({ method: "POST", path, token, body: { visit_id } })).is_counted;
    };
    expect(await listen("early")).toBe(false);
    await startRadio(owner, radio_id);
    expect(await Promise.all([listen("phone"), listen("desk", fan), listen("mine", owner)])).toEqual([
      true,
      true,
      false,
    ]);
    expect(await listen("phone", fan)).toBe(false);
    await finishRadio(owner, radio_id);
    expect(await listen("late")).toBe(true);
    expect((await getRadio(radio_id, owner)).json.radio.listens_count).toBe(3);
    expect((await getRadio(radio_id, fan)).json.radio.listens_count).toBe(null);
  });
});

describe("a radio on air", () => {
  /** Starts a radio that long ago, whose broadcaster was last heard that long ago. */
  async function startAgo({ started, heard }: { started: number; heard: number }) {
    const owner = await addMember();
    const { radio_id } = await addRadio(owner);
    await startRadio(owner, radio_id);
    const now_ms = Date.now();
    const at = (minutes: number) => toIsoTime(now_ms - minutes * MINUTE_MS);
    await runSql(
      "UPDATE radios SET started_at = ?, last_signal_at = ? WHERE radio_id = ?",
      ...[at(started), at(heard), radio_id],
    );
    return { owner, radio_id, at, now_ms };
  }
  const tick = (now_ms = Date.now()) => endBroadcasts(servicesOf({ clock: { now: () => now_ms } }));
  const hear = (radio_id: string, last_signal_ms: number) =>
    recordSignals({ d1, database, now_ms: Date.now() }, [{ radio_id, last_signal_ms }]);
  const endOf = (radio_id: string) =>
    d1.prepare("SELECT status, finished_at FROM radios WHERE radio_id = ?").bind(radio_id).first();

  test("ends five minutes after the last signal, as of that moment", async () => {
    const silent = await startAgo({ started: 40, heard: 30 });
    const heard = await startAgo({ started: 40, heard: 4.9 });
    await Promise.all([1, 2, 3].map(() => tick(heard.now_ms)));
    expect(await endOf(silent.radio_id)).toEqual({ status: "finished", finished_at: silent.at(25) });
    expect(await endOf(heard.radio_id)).toEqual({ status: "on_air", finished_at: null });
    expect(await finishRadio(silent.owner, silent.radio_id)).toBe("radio_transition_refused");
  });

  test("that was started by a clock that was ahead ends at its start, not before", async () => {
    const { owner, radio_id, at } = await startAgo({ started: -10, heard: -10 });
    expect(await finishRadio(owner, radio_id)).toBe("200");
    expect(await endOf(radio_id)).toEqual({ status: "finished", finished_at: at(-10) });
  });

  test("goes on while its broadcaster is heard, and ends after 180 minutes all the same", async () => {
    const young = await startAgo({ started: 179, heard: 6 });
    const old = await startAgo({ started: 181, heard: 0 });
    for (const { radio_id } of [young, old]) await hear(radio_id, Date.now());
    await tick();
    expect(await statusOf(young.radio_id)).toBe("on_air");
    expect(await endOf(old.radio_id)).toEqual({ status: "finished", finished_at: old.at(1) });
    await hear(old.radio_id, Date.now());
    expect(await statusOf(old.radio_id)).toBe("finished");
  });

  test("does not end because a worker's clock is wrong", async () => {
    const { radio_id } = await startAgo({ started: 10, heard: 0 });
    await tick(Date.now() + 86_400_000);
    expect(await statusOf(radio_id)).toBe("on_air");
    const lastSignal = () =>
      d1.prepare("SELECT last_signal_at FROM radios WHERE radio_id = ?").bind(radio_id).first<string>("last_signal_at");
    const before = await lastSignal();
    await hear(radio_id, Date.now() - 86_400_000);
    expect(await lastSignal(), "a signal that comes late").toBe(before);
    await hear(radio_id, Date.now() + 86_400_000);
    expect(Date.parse((await lastSignal()) ?? ""), "a signal of a clock that is ahead").toBeLessThanOrEqual(Date.now());
  });

  test("is ended by the clock of the product", async () => {
    const { radio_id } = await startAgo({ started: 40, heard: 30 });
    const services = servicesOf({ clock: { now: () => Date.now() } });
    for (const step of Object.values(registry.due)) await step(services);
    expect(await statusOf(radio_id)).toBe("finished");
  });
});

describe("the key of a radio", () => {
  test("appears in one answer, and is stored as a hash", async () => {
    const owner = await addMember();
    const key = `radio-${newId(Date.now())}`;
    const asked = { method: "POST", path: "/v4/radios", token: owner.token, key };
    const body = radioOf({ publish_target_type: "url" });
    const { radio, url_key } = await succeed({ ...asked, body });
    expect(url_key).toMatch(/^[\w-]{22}$/);
    expect((await getRadio(radio.radio_id, owner)).json).not.toHaveProperty("url_key");
    expect(await succeed({ ...asked, body }), "a repeated call").toEqual({
      radio,
      url_key: null,
      is_url_key_new: true,
    });
    const { results } = await d1.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{ name: string }>();
    for (const { name } of results.filter(({ name }) => /^(radios|idempotency_keys|outbox)$/.test(name))) {
      const rows = await d1.prepare(`SELECT * FROM ${name}`).all();
      expect(JSON.stringify(rows.results), name).not.toContain(url_key);
    }
  });

  test("opens its own radio, for visitors too, until it is replaced", async () => {
    const owner = await addMember();
    const [one, other] = [
      await addRadio(owner, { publish_target_type: "url" }),
      await addRadio(owner, { publish_target_type: "url" }),
    ];
    const key = one.url_key ?? "";
    expect((await getRadio(one.radio_id, {}, key)).json.radio.title).toBe("夜ふかし缶詰");
    expect((await getRadio(one.radio_id, await addMember(), key)).status).toBe(200);
    for (const wrong of [undefined, other.url_key ?? "", "x", key.slice(1), `${key}x`]) {
      expect((await getRadio(one.radio_id, {}, wrong)).status).toBe(404);
    }
    const kept = await changeRadio(owner, one.radio_id, { publish_target_type: "url", title: "別の題" });
    expect(kept.json.url_key).toBe(null);
    expect((await getRadio(one.radio_id, {}, key)).status).toBe(200);
    const rotated = await changeRadio(owner, one.radio_id, { publish_target_type: "url", rotates_url_key: true });
    expect(rotated.json.url_key).toMatch(/^[\w-]{22}$/);
    expect((await getRadio(one.radio_id, {}, key)).status).toBe(404);
    expect((await getRadio(one.radio_id, {}, rotated.json.url_key)).status).toBe(200);
  });

  test("ends with the visibility, and a new one comes with it", async () => {
    const owner = await addMember();
    const { radio_id, url_key } = await addRadio(owner, { publish_target_type: "url" });
    await changeRadio(owner, radio_id, { publish_target_type: "fans", rotates_url_key: true });
    expect((await getRadio(radio_id, {}, url_key ?? "")).status).toBe(404);
    const again = await changeRadio(owner, radio_id, {
      publish_target_type: "fans",
      recording_publish_target_type: "url",
    });
    expect(again.json.url_key).not.toBe(url_key);
    await startRadio(owner, radio_id);
    expect((await getRadio(radio_id, {}, again.json.url_key)).json.radio.is_locked).toBe(true);
    await finishRadio(owner, radio_id);
    expect((await getRadio(radio_id, {}, again.json.url_key)).json.radio.is_locked).toBe(false);
    expect((await getRadio(radio_id, {}, url_key ?? "")).status).toBe(404);
  });
});

describe("the start of a radio", () => {
  async function dispatchAll(): Promise<void> {
    const dispatcher = dispatcherOf({ now_ms: Date.now() });
    await dispatchOutbox(dispatcher);
    while (await dispatchUntried(dispatcher));
  }
  async function notifiedOf(owner: Member): Promise<string[]> {
    const rows = d1.prepare("SELECT user_id FROM notifications WHERE type = 'radio_started' AND actor_user_id = ?");
    return (await rows.bind(owner.user_id).all<{ user_id: string }>()).results.map(({ user_id }) => user_id).sort();
  }
  /** Adds a creator with a follower, a member of the plan, and people who must get no notification. */
  async function world() {
    const [owner, fan, member, silent, blocked] = await Promise.all(Array.from({ length: 5 }, () => addMember()));
    if (!owner || !fan || !member || !silent || !blocked) throw new Error("five members");
    const plan = await addPlan(owner);
    await pay(member, plan, 10);
    await Promise.all([fan, silent, blocked].map((each) => follow(each, owner)));
    await runSql("UPDATE relationships SET receives_notifications = 0 WHERE follower_id = ?", silent.user_id);
    await block(owner, blocked);
    return { owner, fan, member, plan };
  }

  test.each(["public", "fans"] as const)("notifies the followers who want it, once: %s", async (audience) => {
    const { owner, fan } = await world();
    const { radio_id } = await addRadio(owner, { publish_target_type: audience });
    await startRadio(owner, radio_id);
    await dispatchAll();
    expect(await notifiedOf(owner)).toEqual([fan.user_id]);
    await runSql("UPDATE outbox SET processed_at = NULL WHERE payload LIKE ?", `%${radio_id}%`);
    await dispatchAll();
    expect(await notifiedOf(owner)).toEqual([fan.user_id]);
    const list = await succeed({ method: "GET", path: "/v4/notifications", token: fan.token });
    expect(list.notifications[0]).toMatchObject({
      type: "radio_started",
      message: expect.stringMatching(/さんがラジオの放送を始めました。$/),
    });
  });

  test("of a plan's radio notifies its members", async () => {
    const { owner, member, plan } = await world();
    const of_plan = { publish_target_type: "memberships", publish_target_membership_id: plan } as const;
    await startRadio(owner, (await addRadio(owner, of_plan)).radio_id);
    await dispatchAll();
    expect(await notifiedOf(owner)).toEqual([member.user_id]);
  });

  test("notifies nobody when a key opens the radio or the radio has ended, and no one with the topic switched off", async () => {
    const keyed = await world();
    await startRadio(keyed.owner, (await addRadio(keyed.owner, { publish_target_type: "url" })).radio_id);
    const ended = await world();
    const { radio_id } = await addRadio(ended.owner);
    await startRadio(ended.owner, radio_id);
    await finishRadio(ended.owner, radio_id);
    const off = await world();
    await runSql("INSERT INTO notification_settings VALUES (?, 'radio_started', 'page', 0)", off.fan.user_id);
    await startRadio(off.owner, (await addRadio(off.owner)).radio_id);
    await dispatchAll();
    for (const { owner } of [keyed, ended, off]) expect(await notifiedOf(owner)).toEqual([]);
  });
});

describe("a comment on a radio", () => {
  async function world() {
    const [owner, fan, other] = [await addMember(), await addMember(), await addMember()];
    const { radio_id } = await addRadio(owner, { recording_publish_target_type: "public" });
    const path = `/v4/radios/${radio_id}/comments`;
    const write = ({ token }: Member, message = "よい声") =>
      product.ask({ method: "POST", path, token, body: { message } });
    const comment = async (who: Member, message?: string) =>
      (await write(who, message)).json.comment.comment_id as string;
    const remove = ({ token }: Member, comment_id: string) =>
      outcomeOf({ method: "DELETE", path: `${path}/${comment_id}`, token });
    const list = async (who: Partial<Member> = {}) =>
      (await succeed({ method: "GET", path, token: who.token })).comments as {
        comment_id: string;
        message: string;
        can_delete: boolean;
      }[];
    return { owner, fan, other, radio_id, path, write, comment, remove, list };
  }

  test("is listed newest first, and deleted by its writer or by the radio's owner alone", async () => {
    const { owner, fan, other, radio_id, comment, remove, list } = await world();
    const [first, second] = [await comment(fan, "一"), await comment(fan, "二")];
    expect((await list()).map(({ message }) => message)).toEqual(["二", "一"]);
    expect((await list(fan)).map(({ can_delete }) => can_delete)).toEqual([true, true]);
    expect((await list(other)).map(({ can_delete }) => can_delete)).toEqual([false, false]);
    expect(await remove(other, first)).toBe("not_found");
    // The writer may delete it after losing the right to hear.
    await changeRadio(owner, radio_id, { publish_target_type: "url" });
    expect(await remove(fan, first)).toBe("204");
    expect(await remove(owner, second)).toBe("204");
    expect(await remove(owner, second)).toBe("not_found");
    expect((await getRadio(radio_id, owner)).json.radio.comments_count).toBe(0);
  });

  test("is refused between people of whom one has blocked the other, and hidden from a listener who blocked", async () => {
    const { owner, fan, other, write, comment, list, remove } = await world();
    const comment_id = await comment(fan, "見えない");
    await block(other, fan);
    expect((await list(other)).map(({ message }) => message)).toEqual([]);
    await block(owner, fan);
    expect(problemOf(await write(fan))).toBe("blocked");
    expect(await list()).toHaveLength(1);
    // The owner alone can delete it for everybody.
    expect(await list(owner)).toMatchObject([{ comment_id, can_delete: true }]);
    expect(await remove(owner, comment_id)).toBe("204");
  });

  test("loses its words in answers kept for retries when it is deleted", async () => {
    const { fan, path, remove } = await world();
    const asked = {
      method: "POST",
      path,
      token: fan.token,
      key: `say-${newId(Date.now())}`,
      body: { message: "消す" },
    };
    const { comment } = await succeed(asked);
    expect((await succeed(asked)).comment.comment_id).toBe(comment.comment_id);
    await remove(fan, comment.comment_id);
    expect(await outcomeOf(asked)).toBe("not_found");
  });

  test("is reported once, then hidden from the reporter, and from all when an operator removes it", async () => {
    const { owner, fan, other, radio_id, path, comment, list } = await world();
    const comment_id = await comment(fan);
    const report = (who: Member) =>
      outcomeOf({
        method: "POST",
        path: `${path}/${comment_id}/report`,
        token: who.token,
        body: { reason: "slander" },
      });
    expect(await report(fan)).toBe("cannot_report_yourself");
    expect([await report(other), await report(other)]).toEqual(["200", "200"]);
    expect([await list(other), await list(owner)].map(({ length }) => length)).toEqual([0, 1]);
    const reports = d1.prepare("SELECT report_id FROM reports WHERE subject_id = ?").bind(comment_id);
    const report_id = (await reports.first<string>("report_id")) ?? "";
    const operator = { name: "当番" } as never;
    await decideReport({ ...contextOf(null), operator }, report_id, { decision: "removed", note: null } as never);
    expect([await list(owner), await list(fan)]).toEqual([[], []]);
    expect((await getRadio(radio_id)).json.radio.comments_count).toBe(0);
  });

  test("and a recording are liked once by each person, by visitors too, whose likes become a member's", async () => {
    const { owner, fan, radio_id, path, comment } = await world();
    const comment_id = await comment(fan);
    await startRadio(owner, radio_id);
    const on = { comment: `${path}/${comment_id}/like`, recording: `/v4/radios/${radio_id}/recording_like` };
    const like = (where: keyof typeof on, is_liked: boolean, who: Partial<Member> = {}, guest_token?: string) =>
      product.ask({ method: "POST", path: on[where], token: who.token, body: { is_liked, guest_token } });
    expect(problemOf(await like("recording", true, owner)), "there is no recording yet").toBe("not_found");
    await finishRadio(owner, radio_id);
    await runSql("UPDATE radios SET recording_state = 'completed' WHERE radio_id = ?", radio_id);
    for (const where of ["comment", "recording"] as const) {
      await Promise.all([like(where, true, fan), like(where, true, fan)]);
      expect((await like(where, true, fan)).json).toMatchObject({ is_liked: true, likes_count: 1 });
      expect((await like(where, false, fan)).json).toMatchObject({ is_liked: false, likes_count: 0 });
      expect((await like(where, true, fan)).json.likes_count).toBe(1);
    }
    const guest = (await like("comment", true)).json.guest_token;
    expect((await like("recording", true, {}, guest)).json).toMatchObject({ likes_count: 2 });
    const newcomer = await addMember();
    const claim = {
      method: "POST",
      path: "/v4/guest_likes/claim",
      token: newcomer.token,
      body: { guest_token: guest },
    };
    expect(await succeed(claim)).toEqual({ claimed_count: 2 });
    expect((await getRadio(radio_id, newcomer)).json.radio).toMatchObject({
      is_recording_liked: true,
      likes_count: 2,
    });
  });
});

test("a person who leaves takes their radios and comments along", async () => {
  const [leaver, friend] = [await addMember("leaver"), await addMember("friend")];
  const [own, keyed] = [await addRadio(leaver), await addRadio(leaver, { publish_target_type: "url" })];
  const other = await addRadio(friend);
  await startRadio(leaver, own.radio_id);
  for (const [radio_id, { token }] of [
    [own.radio_id, friend],
    [other.radio_id, leaver],
  ] as const) {
    await succeed({ method: "POST", path: `/v4/radios/${radio_id}/comments`, token, body: { message: "声" } });
  }
  const exported = async (part: string) =>
    (await succeed({ method: "GET", path: `/v4/export?part=${part}`, token: leaver.token })).items;
  expect(await exported("radios")).toMatchObject([{ radio_id: own.radio_id }, { radio_id: keyed.radio_id }]);
  expect(await exported("radio_comments")).toMatchObject([{ radio_id: other.radio_id, message: "声" }]);
  await unsubscribe(contextOf(leaver.user_id, { now_ms: Date.now() }), domains);
  expect((await getRadio(own.radio_id)).status).toBe(404);
  expect((await getRadio(keyed.radio_id, {}, keyed.url_key ?? "")).status).toBe(404);
  await dispatchOutbox(dispatcherOf({ now_ms: Date.now() }));
  const count = (table: string) =>
    d1.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE user_id = ?`).bind(leaver.user_id).first("n");
  expect([await count("radios"), await count("radio_comments")]).toEqual([0, 0]);
  expect((await getRadio(other.radio_id)).json.radio.comments_count).toBe(0);
});
