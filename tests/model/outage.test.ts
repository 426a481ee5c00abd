/**
 * The gateway is silent, answers 500, hangs up, answers something else or loses its answer, at each call that an act makes. A minute after
 * its return the books agree with it to the yen, and nothing was charged twice. The clock is the test's.
 */
import { expect, test } from "vitest";
import { World } from "./money.ts";
import type { Fault } from "./site.ts";
import { type Act, sure } from "./stories.ts";
import { takeOverTime } from "./support.ts";

takeOverTime();

/** What people and the clock do that calls the gateway, and how often it calls. */
const ACTS: [string, Act, ...Act[]][] = [
  ["a letter is begun", sure("letter", 0, 300)],
  ["a comment is begun", sure("comment", 1, 300)],
  ["a plan is joined", sure("join", 3, 303)],
  ["the page after a payment is read", sure("look", 4, 0), sure("letter", 0, 303), sure("pay", 0, 1)],
  ["a plan is changed", sure("change", 0, 302)],
  ["a plan is left", sure("end", 0, 0)],
  ["the customer portal is opened", sure("card", 0, 100)],
  ["another card is chosen", sure("card", 0, 600)],
  ["earnings are paid out", sure("payout", 0, 300)],
  ["somebody registers", sure("automatic", 0, 850)],
  ["a payment is refunded", sure("refund", 0, 0)],
];
/** 13 days: the place of this wait among the waits. */
const LONG_WAIT = 13;

/** A world in which each act can be done: with letters, a plan and released earnings. */
async function prepare(): Promise<World> {
  const world = await World.begin(4);
  const paid = (kind: "letter" | "join", which: number, choice: number) => [
    sure(kind, which, choice),
    sure("pay", 0, 1),
  ];
  for (const act of [...paid("letter", 0, 300), ...paid("letter", 0, 301), ...paid("letter", 0, 302)])
    await world.act(act);
  for (const act of [...paid("join", 1, 300), sure("hear", 0, 0)]) await world.act(act);
  await world.rest(2);
  await world.act(sure("wait", LONG_WAIT, 0));
  await world.rest(2);
  await world.check();
  return world;
}
const prepared = prepare();

interface Outage {
  fault: Fault;
  /** The call with which it begins. */
  calls_before: number;
  minutes: number;
  /** Whether the gateway's webhooks arrive. */
  is_heard: boolean;
}
const at = (fault: Fault, calls_before: number, minutes = 1, is_heard = false): Outage => ({
  ...{ fault, calls_before, minutes, is_heard },
});
/** An outage that is longer than the clock has patience with a row that always fails. */
const LONG_MIN = 25;
const FIRST_CALL = [at("500", 0), at("reset", 0), at("garbage", 0), at("silent", 0, LONG_MIN, true)];
/** More calls than any act makes. */
const MOST_CALLS = 20;

test.each(ACTS)(
  "when the gateway fails while %s, all is well a minute after its return",
  async (_what, act, ...before) => {
    const suffer = async (outage: Outage): Promise<boolean> => {
      const world = (await prepared).fork();
      for (const each of before) await world.act(each);
      const is_struck = await world.outlast(act, outage);
      await world.check({ is_resting: false }).catch((cause: unknown) => {
        throw new Error(`not well after ${JSON.stringify(outage)}`, { cause });
      });
      await world.site.close();
      return is_struck;
    };
    for (const outage of FIRST_CALL) expect([outage, await suffer(outage)]).toEqual([outage, true]);
    let calls = 0;
    while (
      calls < MOST_CALLS &&
      (await suffer(at("lost", calls, 1, calls === 0))) &&
      (await suffer(at("silent", calls)))
    )
      calls++;
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(MOST_CALLS);
  },
  120_000,
);
