/**
 * Whether the time of an answer tells that an address is a member's: every road that takes an address, asked of known and
 * unknown ones in random turn, with the limits lifted. `node scripts/bench/identity-timing.ts [samples]` runs it alone.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../build.ts";
import { startNetwork } from "../network.ts";
import { Refusal } from "../refusal.ts";
import { reportStep } from "../steps.ts";
import { advantage, atMost, median, type Ratio } from "./figures.ts";

const SAMPLES = 2000;
const WARM_UP = 40;
/** As many known as unknown, and each asked as often: what the limits count is then alike too. */
const ADDRESSES = 100;
/** How much better than by chance one answer may be told from another: three times what 2,000 samples of one kind show. */
const MOST_ADVANTAGE = 0.08;
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
  call: string;
  body(email: string): object;
}

const roads: Road[] = [
  {
    name: "password",
    call: "signInWithPassword",
    body: (email) => ({ email, password: "not the password" }),
  },
  { name: "reset", call: "sendOobCode", body: (email) => ({ requestType: "PASSWORD_RESET", email }) },
  { name: "e-mail link", call: "sendOobCode", body: (email) => ({ requestType: "EMAIL_SIGNIN", email }) },
  {
    name: "other ways",
    call: "createAuthUri",
    body: (identifier) => ({ identifier, continueUri: "http://localhost" }),
  },
];

export interface TimedRoad {
  road: string;
  samples: number;
  known_ms: number;
  unknown_ms: number;
  /** 0 where the two cannot be told apart, 1 where always. */
  advantage: number;
}

type Ask = (call: string, body: object) => Promise<{ status: number; text: string }>;

/** Asks until `samples` answers are timed. Throws where an answer's words tell the two apart. */
async function time(ask: Ask, road: Road, samples: number): Promise<TimedRoad> {
  const times = { known: [] as number[], unknown: [] as number[] };
  const words = { known: new Set<string>(), unknown: new Set<string>() };
  for (let index = -WARM_UP; index < samples; index += 2) {
    const email = (kind: string) => `${kind}-${Math.abs(index / 2) % ADDRESSES}@bench.example`;
    const pair = Math.random() < 0.5 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
    for (const kind of pair) {
      const address = email(kind);
      const began_at = performance.now();
      const { status, text } = await ask(road.call, road.body(address));
      const took_ms = performance.now() - began_at;
      words[kind].add(`${status} ${text.replaceAll(address, "<address>")}`);
      if (index >= 0) times[kind].push(took_ms);
    }
  }
  const [known, unknown] = [[...words.known], [...words.unknown]];
  if (known.length !== 1 || known[0] !== unknown.join()) {
    throw new Error(`${road.name}: ${known.join(" | ")} is not ${unknown.join(" | ")}`);
  }
  return {
    road: road.name,
    samples: times.known.length + times.unknown.length,
    known_ms: Number(median(times.known).toFixed(2)),
    unknown_ms: Number(median(times.unknown).toFixed(2)),
    advantage: Number(advantage(times.known, times.unknown).toFixed(3)),
  };
}

/** Times every road of a network of its own, whose accounts nobody else uses. */
export async function measureIdentityTiming(samples = SAMPLES): Promise<TimedRoad[]> {
  const data_dir = mkdtempSync(join(tmpdir(), "ofuse-bench-identity-"));
  const network = await startNetwork({ data_dir, demo: false, overrides: LIMITS });
  const { url, secrets } = network;
  const ask: Ask = async (call, body) => {
    const response = await fetch(
      `${url}/identitytoolkit.googleapis.com/v1/accounts:${call}?key=${secrets.IDENTITY_API_KEY}`,
      { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    );
    return { status: response.status, text: await response.text() };
  };
  try {
    for (let index = 0; index < ADDRESSES; index++) {
      const { status } = await ask("signUp", { email: `known-${index}@bench.example`, password: PASSWORD });
      if (status !== 200) throw new Error(`signing up was answered with ${status}`);
    }
    const rows: TimedRoad[] = [];
    for (const road of roads) rows.push(await time(ask, road, samples));
    return rows;
  } finally {
    await network.stop();
    rmSync(data_dir, { recursive: true, force: true });
  }
}

/** The one figure that is judged. */
export function timingRatio(rows: TimedRoad[]): Ratio {
  const most = Math.max(...rows.map((row) => row.advantage));
  return atMost("members told from others by the time of an answer, best road", most, MOST_ADVANTAGE);
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
