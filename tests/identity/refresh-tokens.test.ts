import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refresh as refreshAt } from "../../workers/identity/provider/sessions.ts";
import { openIdentity } from "../../workers/identity/storage/database.ts";
import { general, refresh, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity, unbound } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const nextTokenOf = async (refresh_token: string) => {
  const { status, body } = await refresh(identity, refresh_token);
  return status === 200 ? String(body.refresh_token) : body.error?.message;
};
/** Simulates that this time passed since every rotation. */
const passTime = (seconds: number) =>
  identity.database
    .prepare("UPDATE refresh_tokens SET rotated_at = ? WHERE rotated_at IS NOT NULL")
    .bind(new Date(Date.now() - seconds * 1000).toISOString())
    .run();
const isSignedOut = async (idToken: string) => {
  const { keyForGlobalSignOut: key } = decodeJwt(idToken);
  const path = `/auth/global-sign-out-status?key=${key}`;
  return ((await (await general(identity, "GET", path, idToken)).json()) as { isSignedOut: boolean }).isSignedOut;
};

describe("a refresh token", () => {
  test("has one successor, the same for a hundred parallel tabs", async () => {
    const { refreshToken } = await signUp(identity, "tabs@example.jp");
    const successors = await Promise.all(Array.from({ length: 100 }, () => nextTokenOf(refreshToken)));
    expect(new Set(successors).size).toBe(1);
    expect(successors[0]).toMatch(/^[\w-]{43}$/);
    expect(successors[0]).not.toBe(refreshToken);
    const { rotated_at } = (await identity.database
      .prepare("SELECT MAX(rotated_at) AS rotated_at FROM refresh_tokens")
      .first()) as { rotated_at: string };
    const env = { ...unbound, ...identity.bindings, DB: identity.database };
    const in_time = openIdentity(env, Date.parse(rotated_at) + 59_999);
    expect((await refreshAt(in_time, refreshToken)).refresh_token).toBe(successors[0]);
    expect(await nextTokenOf(String(successors[0]))).not.toBe(successors[0]);
  });

  test("ends its sign-in when reused after a minute, and no other sign-in", async () => {
    const { refreshToken, idToken } = await signUp(identity, "stolen@example.jp");
    const elsewhere = await signIn(identity, "stolen@example.jp");
    const successor = String(await nextTokenOf(refreshToken));
    await passTime(61);
    expect(await isSignedOut(idToken)).toBe(false);
    expect(await nextTokenOf(refreshToken)).toBe("TOKEN_EXPIRED");
    expect(await nextTokenOf(successor)).toBe("TOKEN_EXPIRED");
    expect(await isSignedOut(idToken), "the status call says the same").toBe(true);
    expect(await nextTokenOf(elsewhere.refreshToken)).toMatch(/^[\w-]{43}$/);
  });

  test("is stored as a hash, like its successor", async () => {
    const { refreshToken } = await signUp(identity, "hashed-token@example.jp");
    const successor = String(await nextTokenOf(refreshToken));
    const { results } = await identity.database.prepare("SELECT * FROM refresh_tokens").all();
    expect(JSON.stringify(results)).not.toContain(refreshToken);
    expect(JSON.stringify(results)).not.toContain(successor);
  });

  test("stops working when the account's valid_since moves past its sign-in", async () => {
    const { refreshToken, localId } = await signUp(identity, "void@example.jp");
    const later = new Date(Date.now() + 5000).toISOString();
    await identity.database
      .prepare("UPDATE accounts SET valid_since = ? WHERE local_id = ?")
      .bind(later, localId)
      .run();
    expect(await nextTokenOf(refreshToken)).toBe("TOKEN_EXPIRED");
  });

  test("is deleted a month after its use, while its sign-in stays valid", async () => {
    const { refreshToken, localId } = await signUp(identity, "long@example.jp");
    await identity.database.prepare("UPDATE accounts SET email_verified = 1 WHERE local_id = ?").bind(localId).run();
    const successor = String(await nextTokenOf(refreshToken));
    const countKept = async () =>
      (
        await identity.database
          .prepare("SELECT COUNT(*) AS n FROM refresh_tokens JOIN sign_ins USING (sign_in_id) WHERE local_id = ?")
          .bind(localId)
          .first<{ n: number }>()
      )?.n;
    await identity.runScheduled(Date.now() + 29 * 86_400_000);
    expect(await countKept()).toBe(2);
    await identity.runScheduled(Date.now() + 31 * 86_400_000);
    expect(await countKept()).toBe(1);
    expect(await nextTokenOf(refreshToken)).toBe("INVALID_REFRESH_TOKEN");
    expect(await nextTokenOf(successor)).toMatch(/^[\w-]{43}$/);
  });
});
