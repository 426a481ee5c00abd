/** Tests a clock of the API that is wrong for a while (an hour behind, a day or a year ahead) and then right again. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { registry } from "../../workers/api/domains.ts";
import { mendWaits } from "../../workers/api/storage/waits.ts";
import { serveMedia } from "../../workers/api/uploads/routes.ts";
import { imageKey, mediaPath, signedQuery } from "../../workers/api/uploads/rules.ts";
import { answerRequest } from "../../workers/http/door.ts";
import { isoTime, japaneseMonthText } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { MEND_STEP, mendAfterJump } from "../../workers/storage/clock-jumps.ts";
import { addUser, contextOf, d1, servicesOf } from "./support/context.ts";
import { type Answered, problemOf, productOf, tokenOf } from "./support/product.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const jumps = { "an hour back": -HOUR_MS, "a day ahead": DAY_MS, "a year ahead": 365 * DAY_MS };
/** Noon in Japan, so that an hour either way is the same day there. */
const NOON_MS = new Date().setUTCHours(3, 0, 0, 0);

/** The true time, and the time the clock shows. */
let true_ms = NOON_MS;
let now_ms = NOON_MS;
const setTrueTime = (ms: number) => {
  true_ms = ms;
  now_ms = ms;
};
const mendClock = () => setTrueTime(true_ms);
const clock = { now: () => now_ms };
const product = productOf({ clock });
afterEach(() => {
  setTrueTime(NOON_MS);
  vi.useRealTimers();
});

let people = 0;
async function addMember() {
  const user_id = await addUser(`clock_${++people}`);
  return { user_id, token: await tokenOf(user_id) };
}
type Somebody = Awaited<ReturnType<typeof addMember>>;
const addPair = () => Promise.all([addMember(), addMember()]);

function sendLetter(fan: Somebody, creator: Somebody, message = "こんにちは", key?: string): Promise<Answered> {
  const body = { receiver_user_id: creator.user_id, message };
  return product.ask({ method: "POST", path: "/v4/free_ofuses", token: fan.token, body, key });
}

async function selectRows(sql: string, ...values: string[]): Promise<Record<string, unknown>[]> {
  return (
    await d1
      .prepare(`SELECT * FROM ${sql}`)
      .bind(...values)
      .all()
  ).results;
}

test("every letter sent with a wrong clock has its own id and is in the box once", async () => {
  const creator = await addMember();
  const ids: string[] = [];
  for (const offset of [0, ...Object.values(jumps), 0, 0]) {
    now_ms = NOON_MS + offset;
    const sent = await sendLetter(await addMember(), creator, `時刻 ${offset}`);
    expect(sent.status).toBe(201);
    ids.push(sent.json.ofuse.ofuse_id);
  }
  expect(new Set(ids).size).toBe(6);
  now_ms = NOON_MS;
  const box: { ofuse_id: string; created_at: string }[] = [];
  for (let page_number = 1; page_number <= 3; page_number++) {
    const query = new URLSearchParams({ page_number: String(page_number), page_size: "2" });
    const page = await product.ask({ method: "GET", path: `/v4/ofuses?${query}`, token: creator.token });
    box.push(...page.json.ofuses);
  }
  expect(box.map(({ ofuse_id }) => ofuse_id).sort()).toEqual(ids.toSorted());
  const times = box.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted().reverse());
});

describe("after a clock that was ahead by a year has been set right", () => {
  const present = isoTime(NOON_MS);
  const later = isoTime(NOON_MS + 365 * DAY_MS);
  const services = servicesOf();
  const mend = () =>
    mendAfterJump({ ...services, now_ms: NOON_MS }, () => mendWaits(services.database, registry.waits, NOON_MS));
  const runClock = (done_at: string) =>
    d1
      .prepare("INSERT OR REPLACE INTO clock_runs (step, ended_at, took_ms, is_failed, done_at) VALUES (?, ?, 0, 0, ?)")
      .bind(MEND_STEP, done_at, done_at)
      .run();
  test("acts count for their window, and work under way is looked at again", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const { user_id } = await addMember();
    await d1.batch([
      d1.prepare("INSERT INTO limited_acts (scope, acted_at, act_id) VALUES ('an act', ?, 'a')").bind(later),
      d1
        .prepare(
          `INSERT INTO creator_accounts (user_id, account_type, created_at, check_at, automatic_month)
            VALUES (?, 'individual', ?, ?, '2099-01')`,
        )
        .bind(user_id, present, later),
    ]);
    const readMoments = async () => {
      const [act] = await selectRows("limited_acts WHERE act_id = 'a'");
      const [account] = await selectRows("creator_accounts WHERE user_id = ?", user_id);
      return [act?.acted_at, account?.check_at, account?.automatic_month];
    };
    await runClock(present);
    await mend();
    expect(await readMoments(), "the clock has not jumped").toEqual([later, later, "2099-01"]);
    await runClock(later);
    await mend();
    expect(await readMoments()).toEqual([present, present, japaneseMonthText(NOON_MS)]);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});

describe.each(Object.entries(jumps))("with the clock %s", (_name, offset) => {
  const jumpClock = () => {
    now_ms = true_ms + offset;
  };

  test("a letter retried under its key is the same letter, also after the scheduled work ran", async () => {
    const [fan, creator] = await addPair();
    const key = crypto.randomUUID();
    const sent = await sendLetter(fan, creator, "一通だけ", key);
    jumpClock();
    await product.tick();
    const again = await sendLetter(fan, creator, "一通だけ", key);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.json).toEqual(sent.json);
    mendClock();
    expect((await sendLetter(fan, creator, "一通だけ", key)).json).toEqual(sent.json);
    expect(await selectRows("ofuses WHERE sender_user_id = ?", fan.user_id)).toHaveLength(1);
  });

  test("the scheduled work deletes nothing recent", async () => {
    const [fan, creator] = await addPair();
    // The database's clock is right, so the test's time must be recent for it.
    setTrueTime(Date.now());
    await sendLetter(fan, creator, "新しい", crypto.randomUUID());
    await product.tick();
    const intent = { kind: "form", path: "/natsume/ofuse", fields: { message: "書きかけ" } };
    const kept = await product.ask({ method: "POST", path: "/v4/intents", body: intent });
    const selectRecentRows = () =>
      Promise.all([
        selectRows("notifications WHERE user_id = ?", creator.user_id),
        selectRows("idempotency_keys WHERE scope LIKE ?", `identity of ${fan.user_id}%`),
        selectRows("intents WHERE intent_id = ?", kept.json.intent_id),
        selectRows("outbox WHERE payload ->> 'sender_user_id' = ?", fan.user_id),
      ]);
    const before = await selectRecentRows();
    expect(before.map((found) => found.length)).toEqual([1, 1, 1, 1]);
    jumpClock();
    await product.tick();
    expect(await selectRecentRows()).toEqual(before);
  });

  test("an expired intent is refused with its code, and works once the clock is right", async () => {
    const [fan, creator] = await addPair();
    setTrueTime(Date.now());
    const intent = { kind: "follow", following_id: creator.user_id };
    const { intent_id, secret } = (await product.ask({ method: "POST", path: "/v4/intents", body: intent })).json;
    const redeemIntent = () =>
      product.ask({ method: "POST", path: `/v4/intents/${intent_id}/redeem`, token: fan.token, body: { secret } });
    jumpClock();
    await product.tick();
    if (offset > 0) {
      const refused = await redeemIntent();
      expect([refused.status, problemOf(refused)]).toEqual([410, "intent_unusable"]);
      mendClock();
    }
    expect((await redeemIntent()).status).toBe(200);
    expect(await selectRows("relationships WHERE follower_id = ?", fan.user_id)).toHaveLength(1);
  });

  test("the receiver is notified of a letter once", async () => {
    const [fan, creator] = await addPair();
    jumpClock();
    await sendLetter(fan, creator);
    mendClock();
    await product.tick();
    jumpClock();
    await product.tick();
    expect(await selectRows("notifications WHERE user_id = ?", creator.user_id)).toHaveLength(1);
    await sendLetter(fan, creator, "二通目");
    mendClock();
    await product.tick();
    expect(await selectRows("notifications WHERE user_id = ?", creator.user_id)).toHaveLength(2);
  });

  test("no sender gets more than three letters through on a Japanese day; further letters are refused with their code", async () => {
    const [fan, creator] = await addPair();
    const refused: Answered[] = [];
    const sendNext = async () => {
      const answer = await sendLetter(fan, creator);
      if (answer.status !== 201) refused.push(answer);
    };
    for (let letter = 0; letter < 2; letter++) await sendNext();
    jumpClock();
    for (let letter = 0; letter < 4; letter++) await sendNext();
    mendClock();
    for (let letter = 0; letter < 2; letter++) await sendNext();
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(problemOf(answer)).toBe("free_ofuse_limit_reached");
      const retry_after_s = Number(answer.headers.get("retry-after"));
      expect(retry_after_s).toBeGreaterThan(0);
      expect(retry_after_s).toBeLessThanOrEqual(DAY_MS / 1000);
    }
    const letters = await selectRows("ofuses WHERE sender_user_id = ?", fan.user_id);
    const days = letters.map(({ created_at }) =>
      new Date(String(created_at)).toLocaleDateString("ja-JP", { timeZone: "Asia/Tokyo" }),
    );
    for (const day of days) expect(days.filter((each) => each === day).length).toBeLessThanOrEqual(3);
    // Three today, or those of the wrong day plus two: no letter is lost.
    expect(letters.length).toBeGreaterThanOrEqual(3);
  });

  test("a token is refused with token_invalid, and accepted again when the clock is right", async () => {
    const fan = await addMember();
    const getProfile = () => product.ask({ method: "GET", path: "/v4/profile", token: fan.token });
    expect((await getProfile()).status).toBe(200);
    // The worker's own clock decides whether a token has expired.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offset });
    const meanwhile = await getProfile();
    // With the clock ahead, the token has expired. With the clock behind, it was issued in the future.
    expect([meanwhile.status, problemOf(meanwhile)]).toEqual([401, "token_invalid"]);
    vi.useRealTimers();
    expect((await getProfile()).status).toBe(200);
  });

  test("a locked picture's URL answers 404 when it has expired, and a new URL answers 200", async () => {
    const { user_id } = await addMember();
    const image_id = newId(NOON_MS);
    await d1
      .prepare(
        `INSERT INTO images (image_id, owner_user_id, access, alt, content_type, width, height, created_at)
         VALUES (?, ?, 'event', '', 'image/png', 1, 1, ?)`,
      )
      .bind(image_id, user_id, new Date(NOON_MS).toISOString())
      .run();
    await env.MEDIA.put(imageKey(image_id), "a picture");
    const services = servicesOf({ clock });
    const { media_key } = services;
    const { caller } = contextOf(user_id);
    const asker = { callerOf: async () => caller, isEventReadable: async () => false, findRecording: async () => null };
    const signUrlNow = async () => {
      const query = await signedQuery(mediaPath(image_id), { media_key, now_ms, caller });
      return `https://ofuse.example${mediaPath(image_id)}/medium${query}`;
    };
    const statusOf = async (url: string) => {
      const request = new Request(url);
      const answer = await answerRequest(request, () => serveMedia(request, services, asker));
      await answer.text();
      return answer.status;
    };
    const url = await signUrlNow();
    jumpClock();
    expect(await statusOf(url)).toBe(offset > 0 ? 404 : 200);
    expect(await statusOf(await signUrlNow())).toBe(200);
    mendClock();
    expect(await statusOf(url)).toBe(200);
  });
});
