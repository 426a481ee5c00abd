/** The random stories that the model of money plays: acts of people, operators, banks, the gateway and the clock. */
import fc from "fast-check";
import type { Fault } from "./site.ts";

/** Where worlds begin: before a month's end, a leap day, a 20th in Japan, a year's end, and on an ordinary day. */
export const BEGINNINGS = [
  "2028-01-30T14:50:00Z",
  "2028-02-27T03:00:00Z",
  "2027-03-18T14:58:00Z",
  "2027-12-30T15:00:00Z",
  "2027-06-10T03:00:00Z",
];

export type ActKind =
  | "letter"
  | "comment"
  | "again"
  | "pay"
  | "shop"
  | "atShop"
  | "look"
  | "join"
  | "change"
  | "end"
  | "resume"
  | "card"
  | "close"
  | "block"
  | "refund"
  | "refundThere"
  | "dispute"
  | "decide"
  | "payout"
  | "cancelPayout"
  | "hold"
  | "holdPayment"
  | "automatic"
  | "bank"
  | "hear"
  | "forge"
  | "tick"
  | "wait";

export interface Act {
  kind: ActKind;
  /** Which of the things that the act may be about. */
  which: number;
  yen: number;
  /** Decides what else the act leaves open. */
  choice: number;
  fault: { kind: Fault; calls_before: number } | null;
  kill: { after: number; does_last: boolean } | null;
}

const often = (kind: ActKind, times: number): ActKind[] => Array.from({ length: times }, () => kind);
const kinds = [
  ...often("letter", 7),
  ...often("comment", 3),
  ...often("again", 3),
  ...often("pay", 12),
  ...often("shop", 2),
  ...often("atShop", 2),
  ...often("look", 3),
  ...often("join", 4),
  ...often("change", 3),
  ...often("end", 2),
  ...often("resume", 1),
  ...often("card", 2),
  ...often("close", 1),
  ...often("block", 1),
  ...often("refund", 3),
  ...often("refundThere", 1),
  ...often("dispute", 2),
  ...often("decide", 2),
  ...often("payout", 4),
  ...often("cancelPayout", 2),
  ...often("hold", 1),
  ...often("holdPayment", 3),
  ...often("automatic", 1),
  ...often("bank", 1),
  ...often("hear", 14),
  ...often("forge", 2),
  ...often("tick", 8),
  ...often("wait", 12),
];

const calm = (among: readonly ActKind[]): fc.Arbitrary<Act> =>
  fc.record({
    kind: fc.constantFrom(...among),
    which: fc.nat(1000),
    yen: fc.integer({ min: 100, max: 11_000 }),
    choice: fc.nat(999),
    fault: fc.constant(null),
    kill: fc.constant(null),
  });

/** What happens in a story of webhooks, in which only they tell the product of anything. */
const TOLD: readonly ActKind[] = [
  ...(["letter", "letter", "comment", "join", "join", "pay", "pay", "pay", "pay", "shop", "atShop", "look"] as const),
  ...(["end", "card", "change", "refund", "refundThere", "dispute", "decide"] as const),
];

/** How an event arrives. */
export interface Arrival {
  /** Its place among the others. */
  place: number;
  times: number;
  is_late: boolean;
  /** A forgery that comes with it: none in most cases. */
  forgery: "none" | "other secret" | "stale" | "changed" | "invented";
}

/** A story of webhooks: what happened, and how the gateway's events about it arrive. */
export interface ToldStory extends Story {
  arrivals: Arrival[];
}
export const toldStories: fc.Arbitrary<ToldStory> = fc.noBias(
  fc.record({
    beginning: fc.nat(BEGINNINGS.length - 1),
    acts: fc.array(calm(TOLD), { minLength: 4, maxLength: 12, size: "max" }).map((list): Act[] => [...BOUGHT, ...list]),
    arrivals: fc.array(
      fc.record({
        place: fc.nat(),
        times: fc.constantFrom(1, 1, 2, 3),
        is_late: fc.constantFrom(false, false, false, true),
        forgery: fc.constantFrom<Arrival["forgery"]>(
          ...([
            "none",
            "none",
            "none",
            "none",
            "none",
            "none",
            "other secret",
            "stale",
            "changed",
            "invented",
          ] as const),
        ),
      }),
      { minLength: 40, maxLength: 40, size: "max" },
    ),
  }),
);
export const sure = (kind: ActKind, which: number, choice: number): Act => ({
  kind,
  which,
  choice,
  yen: 1000,
  fault: null,
  kill: null,
});
/** Every such story begins with a letter that is paid and a plan that is joined. */
const BOUGHT = [sure("letter", 0, 300), sure("pay", 0, 0), sure("join", 1, 301), sure("pay", 1, 0)];

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...kinds),
  which: fc.nat(1000),
  yen: fc.integer({ min: 100, max: 11_000 }),
  choice: fc.nat(999),
  fault: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom<Fault>("silent", "500", "reset", "lost", "garbage"),
        calls_before: fc.nat(4),
      }),
    },
  ),
  kill: fc.oneof(
    { weight: 7, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ after: fc.nat(30), does_last: fc.boolean() }) },
  ),
});

/** A story: where it begins, and its acts. */
export interface Story {
  beginning: number;
  acts: Act[];
}

/** Makes stories with `minLength` to `maxLength` acts. */
export const stories = (minLength: number, maxLength: number): fc.Arbitrary<Story> =>
  fc.noBias(
    fc.record({
      beginning: fc.nat(BEGINNINGS.length - 1),
      acts: fc.array(act, { minLength, maxLength, size: "max" }),
    }),
  );
