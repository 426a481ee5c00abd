import { exportPKCS8, generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MemoryDatabase } from "../../scripts/memory-d1.ts";
import { FirebaseAdmin } from "../../workers/identity/general/admin.ts";
import { revokeRefreshTokens, updatePibId } from "../../workers/identity/general/commands.ts";
import { isMissingClaims, sendClaims, signOutAtFirebase } from "../../workers/identity/general/firebase-claims.ts";
import { findAccount } from "../../workers/identity/provider/queries.ts";
import { type Identity, openIdentity } from "../../workers/identity/storage/database.ts";
import { bindings, unbound } from "./support.ts";

/** The claims at Firebase, when several writers send them at the same time. */

const ID = "a-uid-of-firebase";
const PROJECT = "ofuse-live";
const NOW_MS = Date.parse("2026-11-20T03:00:00.000Z");

let service_account: string;
let database: MemoryDatabase;
/** The account as Firebase has it. */
let at_firebase: { customAttributes: string; validSince?: string };
/** Answers a call before Firebase does. */
let answerFirst: (method: string) => Response | null;

beforeAll(async () => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  service_account = JSON.stringify({
    project_id: PROJECT,
    private_key_id: "key-of-the-claims",
    private_key: await exportPKCS8(privateKey),
    client_email: `admin@${PROJECT}.iam.gserviceaccount.com`,
  });
  database = new MemoryDatabase("identity");
});
afterAll(() => database.close());

function reset(): void {
  database.run("DELETE FROM accounts", []);
  database.run(
    "INSERT INTO accounts (local_id, valid_since, created_at, key_for_global_sign_out) VALUES (?, ?, ?, 'first-key')",
    [ID, new Date(0).toISOString(), new Date(0).toISOString()],
  );
  at_firebase = { customAttributes: '{"plan":"gold"}' };
  answerFirst = () => null;
}
beforeEach(reset);

interface Writer {
  identity: Identity;
  admin: FirebaseAdmin;
}

/** @param takeTurn resolves when the writer's next statement or call may happen. */
function newWriter(takeTurn: () => Promise<void> = async () => undefined): Writer {
  const DB = database.connect(async (work) => {
    await takeTurn();
    return work();
  });
  const SIGN_OUT_WATCH = { getByName: () => ({ look: async () => undefined }) };
  const identity = openIdentity({ ...bindings, ...unbound, DB, SIGN_OUT_WATCH } as unknown as IdentityEnv, NOW_MS);
  const send = async (url: string, { body }: RequestInit) => {
    if (url.includes("oauth2")) return Response.json({ access_token: "access", expires_in: 3599 });
    await takeTurn();
    const method = url.slice(url.lastIndexOf(":") + 1);
    const first = answerFirst(method);
    if (first) return first;
    if (method === "lookup") return Response.json({ users: [{ localId: ID, ...at_firebase }] });
    const { localId: _, ...change } = JSON.parse(String(body));
    at_firebase = { ...at_firebase, ...change };
    return Response.json({});
  };
  return { identity, admin: new FirebaseAdmin(service_account, { project_id: PROJECT, now_ms: NOW_MS, send }) };
}

type Work = (writer: Writer) => Promise<void>;

/** Runs the works at the same time, one step after the other. `choose` picks the next of the works that wait. */
async function interleave(works: Work[], choose: (waiting: number) => number): Promise<void> {
  const waiting: (() => void)[] = [];
  let moving = works.length;
  let stopMoving = Promise.withResolvers<void>();
  const rest = () => {
    moving--;
    if (moving === 0) stopMoving.resolve();
  };
  const all = works.map((work) => {
    const takeTurn = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      rest();
      return promise;
    };
    return work(newWriter(takeTurn)).finally(rest);
  });
  for (;;) {
    await stopMoving.promise;
    if (waiting.length === 0) break;
    const [next] = waiting.splice(choose(waiting.length), 1);
    moving = 1;
    stopMoving = Promise.withResolvers<void>();
    next?.();
  }
  await Promise.all(all);
}

/** Runs the works in every order of their steps. `check` runs after each order. Returns the number of orders. */
async function interleaveEveryWay(works: Work[], check: () => void): Promise<number> {
  const path: { taken: number; of: number }[] = [];
  let orders = 0;
  do {
    reset();
    let depth = 0;
    await interleave(works, (of) => {
      path[depth] ??= { taken: 0, of };
      return path[depth++]?.taken ?? 0;
    });
    check();
    orders++;
    for (let last = path.at(-1); last && ++last.taken === last.of; last = path.at(-1)) path.pop();
  } while (path.length > 0);
  return orders;
}

/** Returns what D1 has, and whether the account's key was used for a sign-out. */
function stored() {
  const [row] = database.run(
    `SELECT pib_id, key_for_global_sign_out AS key,
       EXISTS (SELECT 1 FROM global_sign_outs WHERE key = key_for_global_sign_out) AS is_used FROM accounts`,
    [],
  ).results;
  return row as { pib_id: string | null; key: string; is_used: number };
}

const sendOnly: Work = ({ identity, admin }) => sendClaims(identity, admin, ID);
const setPibId: Work = async ({ identity, admin }) => {
  await updatePibId(identity, ID, "pib-1");
  await sendClaims(identity, admin, ID);
};
const signOut: Work = ({ identity, admin }) =>
  signOutAtFirebase(identity, admin, ID, (next_key) => revokeRefreshTokens(identity, ID, next_key));

test.each<[string, Work]>([
  ["a sign-out", signOut],
  ["a new personal id", setPibId],
])("Firebase has the claims of D1 after a page and %s, in every order of their steps", async (_, work) => {
  const orders = await interleaveEveryWay([sendOnly, work], () => {
    const { pib_id, key, is_used } = stored();
    expect(is_used, "the key was used").toBe(0);
    expect(JSON.parse(at_firebase.customAttributes)).toEqual({
      plan: "gold",
      keyForGlobalSignOut: key,
      ...(pib_id && { pibId: pib_id }),
    });
  });
  expect(orders).toBeGreaterThan(400);
});

test("sends nothing when Firebase has the claims", async () => {
  at_firebase = { customAttributes: '{"keyForGlobalSignOut":"first-key","plan":"gold"}' };
  const asked: string[] = [];
  answerFirst = (method) => {
    asked.push(method);
    return null;
  };
  await sendOnly(newWriter());
  expect(asked).toEqual(["lookup"]);
});

test("gives up when the claims change in every round", async () => {
  let changes = 0;
  answerFirst = () => {
    database.run("UPDATE accounts SET pib_id = ?", [`pib-${changes++}`]);
    return null;
  };
  await expect(sendOnly(newWriter())).rejects.toMatchObject({ code: "unavailable" });
  expect(changes).toBeLessThan(20);
});

test("a sign-out that Firebase refuses changes nothing in D1", async () => {
  answerFirst = (method) => (method === "update" ? new Response(null, { status: 500 }) : null);
  await expect(signOut(newWriter())).rejects.toMatchObject({ code: "unavailable" });
  expect(stored()).toEqual({ pib_id: null, key: "first-key", is_used: 0 });
});

test("a sign-out succeeds when Firebase is silent only afterwards", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  answerFirst = () => (stored().key === "first-key" ? null : new Response(null, { status: 500 }));
  await signOut(newWriter());
  expect(JSON.parse(at_firebase.customAttributes).keyForGlobalSignOut).toBe(stored().key);
  expect(at_firebase.validSince).toBe(String(NOW_MS / 1000));
  expect(logged).toHaveBeenCalledOnce();
  logged.mockRestore();
});

describe("a token shows that Firebase lacks claims", () => {
  const now_s = NOW_MS / 1000;
  const isMissing = async (claims: { auth_time?: number; keyForGlobalSignOut?: string; pibId?: string }) => {
    const { identity } = newWriter();
    const account = await findAccount(identity, ID);
    if (!account) throw new Error("there is no account");
    return isMissingClaims(identity, account, { sub: ID, auth_time: now_s, ...claims });
  };

  test("when it has no key, or a used one, or no personal id", async () => {
    await signOut(newWriter());
    const { key } = stored();
    expect(await isMissing({})).toBe(true);
    expect(await isMissing({ keyForGlobalSignOut: "first-key" })).toBe(true);
    expect(await isMissing({ keyForGlobalSignOut: key })).toBe(false);
    expect(await isMissing({ keyForGlobalSignOut: "of another writer" })).toBe(false);
    database.run("UPDATE accounts SET pib_id = 'pib-1'", []);
    expect(await isMissing({ keyForGlobalSignOut: key })).toBe(true);
    expect(await isMissing({ keyForGlobalSignOut: key, pibId: "pib-0" })).toBe(true);
    expect(await isMissing({ keyForGlobalSignOut: key, pibId: "pib-1" })).toBe(false);
  });

  test("but not when its sign-in is older than the sign-out", async () => {
    await signOut(newWriter());
    expect(await isMissing({ auth_time: now_s - 1 })).toBe(false);
    expect(await isMissing({ auth_time: now_s - 1, keyForGlobalSignOut: "first-key" })).toBe(false);
  });
});
