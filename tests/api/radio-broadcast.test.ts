/** Tests what binds a radio's record to its sound: opening, signals, the end, the recording and its deletion. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { noSound } from "../../scripts/no-sound.ts";
import { domains } from "../../workers/api/domains.ts";
import { unsubscribe } from "../../workers/api/leaving/commands.ts";
import { endBroadcasts } from "../../workers/api/radios/broadcast.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { dispatchOutbox } from "../../workers/api/storage/outbox.ts";
import { collectUploads } from "../../workers/api/uploads/commands.ts";
import type { FinishedRadio, LiveEngine } from "../../workers/contract/live-engine.ts";
import { skipPauses } from "../support/hurry.ts";
import { contextOf, d1, dispatcherOf, servicesOf } from "./support/context.ts";
import { problemOf, productOf } from "./support/product.ts";
import { addMember, addRadio, type Member, runSql, toIsoTime } from "./support/radios.ts";

skipPauses();

const MINUTE_MS = 60_000;

/** The engine of this file: what it was asked, and what it answers. */
const engine = {
  opened: 0,
  /** When the radio that was opened last started. */
  started_at: undefined as string | undefined,
  finished: new Set<string>(),
  /** How often `finish` answers that the recording is not complete. */
  unready: 0,
  signal_ms: new Map<string, number>(),
  recording: true,
  is_down: false,
  /** Runs before `finish` answers with a recording. */
  beforeAnswer: async (): Promise<unknown> => undefined,
};
const requireUp = () => {
  if (engine.is_down) throw new Error("the engine is down");
};
const sound: LiveEngine = {
  ...noSound,
  async open({ radio_id, started_at }) {
    requireUp();
    engine.started_at = started_at;
    if (engine.finished.has(radio_id)) return null;
    engine.opened++;
    return { path: "/media/live/token/ingest", epoch: engine.opened, expires_at: toIsoTime(Date.now() + 900_000) };
  },
  async status({ radio_id }) {
    requireUp();
    const heard = engine.signal_ms.get(radio_id);
    const status = await noSound.status({ radio_id });
    return { ...status, state: "live", listeners: 3, last_signal_at: heard ? toIsoTime(heard) : null };
  },
  async finish({ radio_id }): Promise<FinishedRadio> {
    requireUp();
    engine.finished.add(radio_id);
    if (engine.unready > 0) {
      engine.unready--;
      return { is_complete: false, recording: null };
    }
    if (!engine.recording) return { is_complete: true, recording: null };
    const key = `radios/${radio_id}.m4a`;
    await env.MEDIA.put(key, "sound");
    await engine.beforeAnswer();
    return {
      is_complete: true,
      recording: { key, content_type: "audio/mp4", bytes: 5, duration_ms: 61_000, packets: 2860 },
    };
  },
};
beforeEach(() => {
  Object.assign(engine, { unready: 0, recording: true, is_down: false, beforeAnswer: async () => undefined });
});

const product = productOf({ sound });
const call = async (method: string, path: string, { token }: Partial<Member>) => {
  const answered = await product.ask({ method, path: `/v4/radios/${path}`, token });
  return { outcome: answered.status < 300 ? String(answered.status) : problemOf(answered), json: answered.json };
};
const rowOf = (radio_id: string) =>
  d1
    .prepare("SELECT status, recording_state, duration_ms, bytes, packets FROM radios WHERE radio_id = ?")
    .bind(radio_id)
    .first();
const dispatch = (now_ms = Date.now()) => dispatchOutbox(dispatcherOf({ sound, now_ms }));
const FILE = { duration_ms: 61_000, bytes: 5, packets: 2860 };
/** How often one run of the reaction asks for a recording. */
const QUESTIONS_OF_A_RUN = 4;
const NO_FILE = { duration_ms: null, bytes: null, packets: null };

/** Puts a radio on air and opens its sound. */
async function goOnAir() {
  const owner = await addMember();
  const { radio_id } = await addRadio(owner);
  await call("POST", `${radio_id}/start`, owner);
  const { json } = await call("POST", `${radio_id}/sound`, owner);
  return { owner, radio_id, ingest: json.ingest };
}

/** Moves a radio on air to the past. */
async function letPass(radio_id: string, minutes: number) {
  const at = toIsoTime(Date.now() - minutes * MINUTE_MS);
  await runSql("UPDATE radios SET started_at = ?, last_signal_at = ? WHERE radio_id = ?", at, at, radio_id);
}
const endDue = () => endBroadcasts(servicesOf({ sound, clock: { now: () => Date.now() } }));

describe("the sound of a radio", () => {
  test("is opened by its owner alone, while the radio is on air", async () => {
    const [owner, stranger] = [await addMember(), await addMember()];
    const { radio_id } = await addRadio(owner);
    const open = async (who: Partial<Member>) => (await call("POST", `${radio_id}/sound`, who)).outcome;
    expect(await open(owner)).toBe("radio_transition_refused");
    await call("POST", `${radio_id}/start`, owner);
    expect([await open(stranger), await open({})]).toEqual(["not_found", "unauthenticated"]);
    expect(await open(owner)).toBe("200");
    const { json } = await call("GET", radio_id, owner);
    expect(engine.started_at).toBe((json as { radio: { started_at: string } }).radio.started_at);
    engine.is_down = true;
    expect(await open(owner)).toBe("unavailable");
    engine.is_down = false;
    await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", toIsoTime(Date.now()), owner.user_id);
    expect(await open(owner)).toBe("account_disabled");
    expect(await rowOf(radio_id)).toMatchObject({ status: "finished" });
  });

  test("is opened again by a repeated call, and its token is not stored", async () => {
    const { owner, radio_id, ingest } = await goOnAir();
    const path = `/v4/radios/${radio_id}/sound`;
    const again = await product.ask({ method: "POST", path, token: owner.token, key: `sound-${radio_id}` });
    const repeated = await product.ask({ method: "POST", path, token: owner.token, key: `sound-${radio_id}` });
    expect(again.json.ingest.epoch).toBe(ingest.epoch + 1);
    expect(repeated.json.ingest.epoch).toBe(ingest.epoch + 2);
    const kept = d1.prepare("SELECT COUNT(*) AS n FROM idempotency_keys WHERE answer LIKE '%/media/live/%'");
    expect(await kept.first("n")).toBe(0);
  });

  test("tells the broadcaster alone how many listen, also while the engine is down", async () => {
    const { owner, radio_id } = await goOnAir();
    engine.signal_ms.set(radio_id, Date.now());
    const { json } = await call("GET", `${radio_id}/broadcast`, owner);
    expect(json.broadcast).toMatchObject({ status: "on_air", listeners_count: 3, recording: null });
    expect((await call("GET", `${radio_id}/broadcast`, await addMember())).outcome).toBe("not_found");
    engine.is_down = true;
    const alone = await call("GET", `${radio_id}/broadcast`, owner);
    expect(alone.json.broadcast).toMatchObject({ status: "on_air", listeners_count: null });
  });
});

describe("the clock", () => {
  test("keeps a radio on air whose page is heard, and ends a silent one", async () => {
    const [heard, silent] = [await goOnAir(), await goOnAir()];
    for (const { radio_id } of [heard, silent]) await letPass(radio_id, 30);
    engine.signal_ms.set(heard.radio_id, Date.now() - 10_000);
    await endDue();
    expect(await rowOf(heard.radio_id)).toMatchObject({ status: "on_air" });
    expect(await rowOf(silent.radio_id)).toMatchObject({ status: "finished" });
  });

  test("ends no radio while the engine cannot be read", async () => {
    const { radio_id } = await goOnAir();
    await letPass(radio_id, 200);
    engine.is_down = true;
    await endDue();
    expect(await rowOf(radio_id)).toMatchObject({ status: "on_air" });
    engine.is_down = false;
    await endDue();
    expect(await rowOf(radio_id)).toMatchObject({ status: "finished" });
  });
});

describe("the recording of a radio", () => {
  test("is being written from the end on, and complete with its file", async () => {
    const { owner, radio_id } = await goOnAir();
    const { json } = await call("POST", `${radio_id}/finish`, owner);
    expect(json.radio.recording_state).toBe("processing");
    expect(await rowOf(radio_id)).toMatchObject({ recording_state: "processing" });
    engine.unready = 2;
    await dispatch();
    expect(await rowOf(radio_id)).toEqual({ status: "finished", recording_state: "completed", ...FILE });
    const { broadcast } = (await call("GET", `${radio_id}/broadcast`, owner)).json;
    expect(broadcast.recording).toMatchObject({ duration_ms: 61_000, bytes: 5 });
    expect(engine.finished.has(radio_id)).toBe(true);
  });

  test("is not there when nothing was sent", async () => {
    const [opened, owner] = [await goOnAir(), await addMember()];
    const { radio_id } = await addRadio(owner);
    await call("POST", `${radio_id}/start`, owner);
    expect((await call("POST", `${radio_id}/finish`, owner)).json.radio.recording_state).toBe("none");
    await call("POST", `${opened.radio_id}/finish`, opened.owner);
    engine.recording = false;
    await dispatch();
    for (const id of [radio_id, opened.radio_id]) expect(await rowOf(id)).toMatchObject({ recording_state: "none" });
  });

  test("is waited for, however long the engine fails, and given up after three days", async () => {
    const { owner, radio_id } = await goOnAir();
    await call("POST", `${radio_id}/finish`, owner);
    engine.is_down = true;
    for (let run = 0; run < 21; run++) await dispatch();
    expect(await rowOf(radio_id)).toMatchObject({ recording_state: "processing" });
    const logged = vi.spyOn(console, "error").mockReturnValue();
    await dispatch(Date.now() + 4 * 24 * 60 * MINUTE_MS);
    const lines = logged.mock.calls.map(([line]) => JSON.parse(line));
    logged.mockRestore();
    expect(await rowOf(radio_id)).toMatchObject({ recording_state: "failed", ...NO_FILE });
    const last_error = "the engine is down";
    expect(lines).toContainEqual(
      expect.objectContaining({ message: "a recording was given up", radio_id, last_error }),
    );
  });

  /** Ends a radio whose recording the outbox gives up. */
  async function giveUp() {
    const { owner, radio_id } = await goOnAir();
    await call("POST", `${radio_id}/finish`, owner);
    await runSql("UPDATE outbox SET attempts = 19 WHERE outbox_id = ?", `radio-finished-${radio_id}`);
    engine.unready = QUESTIONS_OF_A_RUN;
    await dispatch(Date.now() + 4 * 24 * 60 * MINUTE_MS);
    expect(await rowOf(radio_id)).toMatchObject({ recording_state: "failed" });
    return { owner, radio_id };
  }

  test("that was given up is taken when its owner looks and the engine has written it", async () => {
    const { owner, radio_id } = await giveUp();
    const look = async () => (await call("GET", `${radio_id}/broadcast`, owner)).json.broadcast;
    engine.unready = 1;
    expect(await look()).toMatchObject({ recording_state: "failed", recording: null });
    engine.is_down = true;
    expect(await look()).toMatchObject({ recording_state: "failed", recording: null });
    engine.is_down = false;
    engine.finished.delete(radio_id);
    expect((await call("GET", `${radio_id}/broadcast`, await addMember())).outcome).toBe("not_found");
    expect(engine.finished.has(radio_id)).toBe(false);
    expect(await rowOf(radio_id)).toMatchObject({ recording_state: "failed" });
    expect(await look()).toMatchObject({ recording_state: "completed", recording: { duration_ms: 61_000, bytes: 5 } });
    expect(await rowOf(radio_id)).toEqual({ status: "finished", recording_state: "completed", ...FILE });
  });

  test("that was given up stays deleted when its owner deletes it while the engine is asked for it", async () => {
    const { owner, radio_id } = await giveUp();
    engine.beforeAnswer = () => runSql("UPDATE radios SET recording_state = 'none' WHERE radio_id = ?", radio_id);
    await call("GET", `${radio_id}/broadcast`, owner);
    expect(await rowOf(radio_id)).toEqual({ status: "finished", recording_state: "none", ...NO_FILE });
  });

  test.each(["is written in the moment of the last question", "is written in the second run"])(
    "is not given up after four days without a run, when it %s",
    async (when) => {
      const { owner, radio_id } = await goOnAir();
      await call("POST", `${radio_id}/finish`, owner);
      const later_ms = Date.now() + 4 * 24 * 60 * MINUTE_MS;
      engine.unready = QUESTIONS_OF_A_RUN;
      await dispatch(later_ms);
      expect(await rowOf(radio_id)).toMatchObject({ recording_state: "processing" });
      if (when === "is written in the moment of the last question") {
        await runSql("UPDATE outbox SET attempts = 19 WHERE outbox_id = ?", `radio-finished-${radio_id}`);
        engine.unready = QUESTIONS_OF_A_RUN - 1;
      }
      await dispatch(later_ms);
      expect(await rowOf(radio_id)).toMatchObject({ recording_state: "completed", ...FILE });
    },
  );

  test.each(["by an operator", "by leaving"])("is made of a radio that is ended %s", async (way) => {
    const { owner, radio_id } = await goOnAir();
    if (way === "by leaving") await unsubscribe(contextOf(owner.user_id, { now_ms: Date.now() }), domains);
    else await runSql("UPDATE users SET disabled_at = ? WHERE user_id = ?", toIsoTime(Date.now()), owner.user_id);
    await dispatch();
    expect(engine.finished.has(radio_id)).toBe(true);
    // A person who leaves takes the radio and its file along.
    const row = await rowOf(radio_id);
    if (way === "by leaving") expect(row).toBe(null);
    else expect(row).toMatchObject({ status: "finished", recording_state: "completed" });
  });

  test("is deleted alone, or with its radio, and so is its file", async () => {
    const [alone, whole] = [await goOnAir(), await goOnAir()];
    for (const { owner, radio_id } of [alone, whole]) await call("POST", `${radio_id}/finish`, owner);
    const remove = async ({ owner, radio_id }: typeof alone, path = "") =>
      (await call("DELETE", radio_id + path, owner)).outcome;
    await dispatch();
    expect((await call("DELETE", `${alone.radio_id}/recording`, whole.owner)).outcome).toBe("not_found");
    expect([await remove(alone, "/recording"), await remove(alone, "/recording")]).toEqual(["204", "204"]);
    // Deleted before its recording was written: the end must not bring it back.
    const early = await goOnAir();
    expect(await remove(early, "/recording")).toBe("radio_transition_refused");
    await call("POST", `${early.radio_id}/finish`, early.owner);
    await remove(early, "/recording");
    expect(await remove(whole)).toBe("204");
    await dispatch();
    for (const { radio_id } of [alone, early]) {
      expect(await rowOf(radio_id)).toEqual({ status: "finished", recording_state: "none", ...NO_FILE });
    }
    const services = servicesOf({ clock: { now: () => Date.now() }, database: openDatabase(d1) });
    await collectUploads(services);
    for (const { radio_id } of [alone, early, whole]) {
      expect(await env.MEDIA.head(`radios/${radio_id}.m4a`)).toBe(null);
    }
  });
});
