import { describe, expect, test } from "vitest";
import type { RumEvent } from "../../app/browser/events.ts";
import { DISPATCH_MS, RumQueue } from "../../app/browser/rum-queue.ts";
import { continueSession, SESSION_MS } from "../../app/browser/rum-session.ts";
import type { MonitoringSession } from "../../app/browser/stored-keys.ts";

/** Returns a visit whose clock and random numbers the test controls. */
function newVisit(chances: number[]) {
  let kept: MonitoringSession | null = null;
  const at = { ms: 1_000_000 };
  const keeper = {
    kept: {
      read: () => kept,
      write: (session: MonitoringSession | null) => {
        kept = session;
      },
    },
    now: () => at.ms,
    random: () => {
      const chance = chances.shift();
      if (chance === undefined) throw new Error("no random number should have been drawn");
      return chance;
    },
  };
  return { at, keep: keeper.kept.write, goOn: (more?: number) => continueSession(keeper, more) };
}

describe("a monitoring session", () => {
  test.each([
    [0, true],
    [0.0099, true],
    [0.01, false],
    [0.99, false],
  ])("with the random number %d is sampled: %s", (chance, is_sampled) => {
    expect(newVisit([chance]).goOn().is_sampled).toBe(is_sampled);
  });

  test("is decided once, lasts while something happens every half hour, and is then replaced", () => {
    const { at, goOn } = newVisit([0, 0.5]);
    goOn(3);
    at.ms += SESSION_MS - 1;
    expect(goOn(1)).toMatchObject({ is_sampled: true, events: 4 });
    at.ms += SESSION_MS - 1;
    expect(goOn()).toMatchObject({ is_sampled: true, events: 4 });
    at.ms += SESSION_MS;
    expect(goOn()).toMatchObject({ is_sampled: false, events: 0 });
  });

  test("that was stored under a clock far ahead does not last permanently", () => {
    const { at, keep, goOn } = newVisit([0.5]);
    keep({ is_sampled: true, ends_at: at.ms + SESSION_MS + 1, events: 0 });
    expect(goOn().is_sampled).toBe(false);
  });
});

const eventOf = (text: string): RumEvent => ({ type: "script_error", text, place: "", pattern: "/" });

/** Returns a queue whose answers the test controls. */
function newQueue(answers: (number | null)[] = [], takes_beacons = true) {
  const { at, goOn } = newVisit([0, 0.5, 0]);
  const sent: { count: number; first: string; dropped: number | undefined }[] = [];
  const noteSent = (events: RumEvent[], dropped?: number) =>
    sent.push({ count: events.length, first: (events[0] as { text: string }).text, dropped });
  const made = new RumQueue({
    continueSession: goOn,
    send: async (events, dropped) => {
      noteSent(events, dropped);
      const answer = answers.shift();
      if (answer === undefined) throw new Error("nothing more should have been sent");
      return answer;
    },
    sendAtOnce: (events, dropped) => {
      noteSent(events, dropped);
      return takes_beacons;
    },
  });
  const record = (count: number, name = "e") => {
    for (let n = 0; n < count; n++) made.record(eventOf(`${name}${n}`));
  };
  return { made, at, sent, record };
}

describe("a monitoring report", () => {
  test("is sent every five seconds, unless it is empty", async () => {
    expect(DISPATCH_MS).toBe(5000);
    const { made, sent } = newQueue();
    await made.dispatch();
    expect(sent).toEqual([]);
  });

  test("is sent in batches of a hundred, and stops after two hundred events of one session", async () => {
    const { made, sent, record } = newQueue([204, 204]);
    record(250);
    await made.dispatch();
    await made.dispatch();
    await made.dispatch();
    expect(sent.map(({ count, first }) => [count, first])).toEqual([
      [100, "e0"],
      [100, "e100"],
    ]);
  });

  test("continues in the next session, if that one is sampled", async () => {
    const { made, at, sent, record } = newQueue([204, 204]);
    record(201, "first");
    await made.dispatch();
    await made.dispatch();
    at.ms += SESSION_MS;
    record(1, "second");
    await made.dispatch();
    expect(sent).toHaveLength(2);
    at.ms += SESSION_MS;
    record(1, "third");
    made.flush();
    expect(sent.at(-1)).toEqual({ count: 1, first: "third0", dropped: undefined });
  });

  test("is retried twice after no answer or a server error, then dropped and counted", async () => {
    const { made, sent, record } = newQueue([null, 503, null, 204, 204]);
    record(2, "lost");
    await made.dispatch();
    record(1, "next");
    await made.dispatch();
    await made.dispatch();
    await made.dispatch();
    expect(sent).toEqual([
      { count: 2, first: "lost0", dropped: undefined },
      { count: 2, first: "lost0", dropped: undefined },
      { count: 2, first: "lost0", dropped: undefined },
      { count: 1, first: "next0", dropped: 2 },
    ]);
    record(1, "after");
    await made.dispatch();
    expect(sent.at(-1)).toEqual({ count: 1, first: "after0", dropped: undefined });
  });

  test("is not retried after a refusal", async () => {
    const { made, sent, record } = newQueue([429, 204]);
    record(3);
    await made.dispatch();
    await made.dispatch();
    expect(sent).toHaveLength(1);
    record(1, "next");
    await made.dispatch();
    expect(sent.at(-1)).toEqual({ count: 1, first: "next0", dropped: 3 });
  });

  test("is sent at once when the page closes, with the failed ones", async () => {
    const { made, sent, record } = newQueue([null]);
    record(120);
    await made.dispatch();
    made.flush();
    made.flush();
    expect(sent.slice(1)).toEqual([
      { count: 100, first: "e0", dropped: undefined },
      { count: 20, first: "e100", dropped: undefined },
    ]);
  });

  test("is counted as dropped when the browser accepts no more", () => {
    const { made, sent, record } = newQueue([], false);
    record(2, "lost");
    made.flush();
    record(1, "next");
    made.flush();
    expect(sent.at(-1)).toEqual({ count: 1, first: "next0", dropped: 2 });
  });

  test("is sent one batch at a time", async () => {
    const answers: ((status: number) => void)[] = [];
    let sent = 0;
    const made = new RumQueue({
      continueSession: () => ({ is_sampled: true, events: 1 }),
      send: () => {
        sent++;
        return new Promise((answer) => answers.push(answer));
      },
      sendAtOnce: () => true,
    });
    made.record(eventOf("a"));
    const first = made.dispatch();
    made.record(eventOf("b"));
    await made.dispatch();
    expect(sent).toBe(1);
    answers[0]?.(204);
    await first;
    void made.dispatch();
    expect(sent).toBe(2);
  });
});
