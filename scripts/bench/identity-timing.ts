/**
 * Tests whether response times reveal that an address has an account. It calls every endpoint that takes an address,
 * for known and unknown addresses in random order, without rate limits. `node scripts/bench/identity-timing.ts
 * [samples]` runs it alone.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../build.ts";
import { startNetwork } from "../network.ts";
import { Refusal } from "../refusal.ts";
import { reportStep } from "../steps.ts";
import { advantageOf, atMost, medianOf, type Ratio } from "./figures.ts";

const SAMPLES = 2000;
const WARM_UP = 40;
/**
 * The number of known addresses, and of unknown ones. Each is requested equally often, so that the attempt counters
 * also stay equal.
 */
const ADDRESSES = 100;
/**
 * A multiple of the difference that chance causes between identical kinds. In one run of a thousand, some endpoint
 * exceeds it by chance.
 */
const MOST_BY_CHANCE = 3.5;
const PASSWORD = "a password of the bench";

const UNLIMITED = "1000000";
const LIMITS = {
  SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: UNLIMITED,
  SIGN_IN_FAILURES_PER_ADDRESS_10_MIN: UNLIMITED,
  SIGN_UPS_PER_ADDRESS_HOUR: UNLIMITED,
  MAILS_PER_RECIPIENT_HOUR: UNLIMITED,
  MAILS_PER_ADDRESS_HOUR: UNLIMITED,
};

interface Road {
  name: string;
  ask(doors: Doors, email: string): Promise<Answer>;
  /** The call creates an account for the address, so each unknown address is used only once. */
  makes_known?: boolean;
}

const WRONG = "not the password";

const roads: Road[] = [
  { name: "password", ask: ({ call }, email) => call("signInWithPassword", { email, password: WRONG }) },
  { name: "reset", ask: ({ call }, email) => call("sendOobCode", { requestType: "PASSWORD_RESET", email }) },
  { name: "e-mail link", ask: ({ call }, email) => call("sendOobCode", { requestType: "EMAIL_SIGNIN", email }) },
  {
    name: "other ways",
    ask: ({ call }, identifier) => call("createAuthUri", { identifier, continueUri: "http://localhost" }),
  },
  {
    name: "sign-up form",
    ask: ({ form }, email) => form("/signup", { email, password: WRONG, to: "/" }),
    makes_known: true,
  },
];

export interface TimedRoad {
  road: string;
  samples: number;
  known_ms: number;
  unknown_ms: number;
  /** 0 when the times of the two kinds do not differ, 1 when they do not overlap. */
  advantage: number;
}

interface Answer {
  status: number;
  /** Everything in the answer that could differ. */
  text: string;
}

/** Sends a call to the identity provider, or a form to the site. */
interface Doors {
  call(name: string, body: object): Promise<Answer>;
  form(path: string, fields: Record<string, string>): Promise<Answer>;
}

/** Returns as many of each kind in random order. Work that one answer leaves behind then delays both kinds equally. */
function shuffleKinds(count: number): ("known" | "unknown")[] {
  const kinds = Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? ("known" as const) : ("unknown" as const),
  );
  return kinds
    .map((kind) => ({ kind, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ kind }) => kind);
}

/** Sends requests until `samples` answers are timed. Throws when the content of an answer reveals its kind. */
async function timeRoad(doors: Doors, road: Road, samples: number): Promise<TimedRoad> {
  const times = { known: [] as number[], unknown: [] as number[] };
  const words = { known: new Set<string>(), unknown: new Set<string>() };
  for (const kinds of [shuffleKinds(WARM_UP), shuffleKinds(samples)]) {
    for (const list of Object.values(times)) list.length = 0;
    for (const [index, kind] of kinds.entries()) {
      const is_fresh = road.makes_known && kind === "unknown";
      const address = `${kind}-${is_fresh ? randomUUID() : index % ADDRESSES}@bench.example`;
      const began_at = performance.now();
      const { status, text } = await road.ask(doors, address);
      times[kind].push(performance.now() - began_at);
      words[kind].add(`${status} ${text.replaceAll(address, "<address>")}`);
    }
  }
  const [known, unknown] = [[...words.known], [...words.unknown]];
  if (known.length !== 1 || known[0] !== unknown.join()) {
    throw new Error(`${road.name}: ${known.join(" | ")} is not ${unknown.join(" | ")}`);
  }
  return {
    road: road.name,
    samples: times.known.length + times.unknown.length,
    known_ms: Number(medianOf(times.known).toFixed(2)),
    unknown_ms: Number(medianOf(times.unknown).toFixed(2)),
    advantage: Number(advantageOf(times.known, times.unknown).toFixed(3)),
  };
}

/** Times every endpoint on a new network, so that no other program uses its accounts. */
export async function measureIdentityTiming(samples = SAMPLES): Promise<TimedRoad[]> {
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-bench-identity-"));
  const network = await startNetwork({ data_dir, world: "site", overrides: LIMITS });
  const { url, secrets } = network;
  const doors: Doors = {
    async call(name, body) {
      const response = await fetch(
        `${url}/identitytoolkit.googleapis.com/v1/accounts:${name}?key=${secrets.IDENTITY_API_KEY}`,
        { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
      );
      return { status: response.status, text: await response.text() };
    },
    async form(path, fields) {
      const response = await fetch(url + path, {
        method: "POST",
        redirect: "manual",
        headers: { origin: url, "sec-fetch-site": "same-origin" },
        body: new URLSearchParams(fields),
      });
      const cookies = response.headers.getSetCookie().map((line) => [line.split("=")[0], line.length]);
      const text = await response.text();
      return { status: response.status, text: JSON.stringify([response.headers.get("location"), cookies, text]) };
    },
  };
  try {
    for (let index = 0; index < ADDRESSES; index++) {
      const { status } = await doors.call("signUp", { email: `known-${index}@bench.example`, password: PASSWORD });
      if (status !== 200) throw new Error(`signing up was answered with ${status}`);
    }
    const rows: TimedRoad[] = [];
    for (const road of roads) rows.push(await timeRoad(doors, road, samples));
    return rows;
  } finally {
    await network.stop();
    rmSync(data_dir, { recursive: true, force: true });
  }
}

/** Returns the one figure that has a target. */
export function timingRatio(rows: TimedRoad[]): Ratio {
  const most = Math.max(...rows.map(({ advantage, samples }) => advantage * Math.sqrt(0.75 * samples)));
  return atMost("members told from others by the time of an answer / by chance", most, MOST_BY_CHANCE);
}

if (import.meta.main) {
  try {
    const samples = Number(process.argv[2] ?? SAMPLES);
    if (!Number.isInteger(samples) || samples < 100) throw new Refusal("samples: a number from 100");
    const built = await buildIfStale();
    if (built && !built.passed) {
      reportStep(built);
      process.exit(1);
    }
    const rows = await measureIdentityTiming(samples);
    console.table(Object.fromEntries(rows.map(({ road, ...figure }) => [road, figure])));
    const ratio = timingRatio(rows);
    console.table([ratio]);
    process.exitCode = ratio.is_met ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
