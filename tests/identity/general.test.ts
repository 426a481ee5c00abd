import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problem } from "../../workers/contract/problem.ts";
import { call, general, problemCode, refresh, refusal, signIn, signUp } from "./people.ts";
import { PIB_API_KEY, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const bearerCalls: [method: string, path: string, body?: unknown][] = [
  ["DELETE", "/auth/refresh-token"],
  ["GET", "/auth/custom-token"],
  ["GET", "/auth/global-sign-out-status?key=k"],
  ["PUT", "/auth/key-for-global-sign-out", { key: "k" }],
  ["POST", "/users/unsubscribe"],
];

describe.each(bearerCalls)("%s %s", (method, path, body) => {
  test("refuses a caller without a token, with a bad one, deleted or disabled", async () => {
    const email = `${method}-${path.length}@example.jp`;
    const { idToken, localId } = await signUp(identity, email);
    const nobody = await general(identity, method, path, undefined, body);
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("www-authenticate")).toBe("Bearer");
    expect(nobody.headers.get("content-type")).toBe("application/problem+json");
    expect(problem.parse(await nobody.json())).toMatchObject({
      code: "unauthenticated",
      request_id: nobody.headers.get("x-request-id"),
    });
    expect(await problemCode(await general(identity, method, path, "a.b.c", body))).toBe("token_invalid");
    const updateAccount = (sql: string) => identity.database.prepare(sql).bind(localId).run();
    await updateAccount("UPDATE accounts SET disabled = 1 WHERE local_id = ?");
    expect(await problemCode(await general(identity, method, path, idToken, body))).toBe("token_invalid");
    await updateAccount("DELETE FROM accounts WHERE local_id = ?");
    expect(await problemCode(await general(identity, method, path, idToken, body))).toBe("token_invalid");
  });
});

test("a refresh issues a new ID token of the same sign-in", async () => {
  const { idToken, refreshToken, localId } = await signUp(identity, "refresh@example.jp");
  const { status, body } = await refresh(identity, refreshToken);
  expect(status).toBe(200);
  expect(body).toEqual({
    access_token: body.id_token,
    id_token: expect.any(String),
    refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    expires_in: "3600",
    token_type: "Bearer",
    user_id: localId,
    project_id: "demo-ofuse",
  });
  const [before, after] = [decodeJwt(idToken), decodeJwt(String(body.id_token))];
  expect(after.auth_time).toBe(before.auth_time);
  expect(before.keyForGlobalSignOut).toEqual(expect.any(String));
  expect(after.keyForGlobalSignOut).toBe(before.keyForGlobalSignOut);
  expect(after.signInId).toBe(before.signInId);
  const again = decodeJwt((await signIn(identity, "refresh@example.jp")).idToken);
  expect(again.keyForGlobalSignOut, "shared until it is used").toBe(before.keyForGlobalSignOut);
  expect(again.signInId).not.toBe(before.signInId);
});

test("revoking ends every refresh token of the account and of no other", async () => {
  const first = await signUp(identity, "revoke@example.jp");
  const second = await signIn(identity, "revoke@example.jp");
  const other = await signUp(identity, "bystander@example.jp");
  const response = await general(identity, "DELETE", "/auth/refresh-token", first.idToken);
  expect([response.status, await response.text()]).toEqual([204, ""]);
  for (const { refreshToken } of [first, second]) {
    expect((await refresh(identity, refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
  }
  expect((await refresh(identity, other.refreshToken)).status).toBe(200);
  await signIn(identity, "revoke@example.jp");
});

test("an ID token from before the revocation can no longer change the account", async () => {
  const { idToken, localId } = await signUp(identity, "thief@example.jp");
  const later = new Date(Date.now() + 2000).toISOString();
  await identity.database.prepare("UPDATE accounts SET valid_since = ? WHERE local_id = ?").bind(later, localId).run();
  expect(await refusal(identity, "update", { idToken, password: "of the thief" })).toBe("TOKEN_EXPIRED");
  expect(await problemCode(await general(identity, "GET", "/auth/custom-token", idToken))).toBe("token_invalid");
});

describe("global sign-out", () => {
  test("ends every sign-in that shares the key, even if repeated; later sign-ins share another key", async () => {
    const here = await signUp(identity, "global@example.jp");
    const there = await signIn(identity, "global@example.jp");
    const bystander = await signUp(identity, "not-global@example.jp");
    const key = String(decodeJwt(there.idToken).keyForGlobalSignOut);
    const readStatus = async (token: string) =>
      (await general(identity, "GET", `/auth/global-sign-out-status?key=${key}`, token)).json();
    expect(await readStatus(here.idToken)).toEqual({ isSignedOut: false });
    for (let times = 0; times < 2; times++) {
      const response = await general(identity, "PUT", "/auth/key-for-global-sign-out", here.idToken, { key });
      expect(response.status).toBe(204);
    }
    expect(await readStatus(there.idToken)).toEqual({ isSignedOut: true });
    for (const { refreshToken, idToken } of [here, there]) {
      expect((await refresh(identity, refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
      expect(await readStatus(idToken)).toEqual({ isSignedOut: true });
    }
    expect((await refresh(identity, bystander.refreshToken)).status).toBe(200);
    const later = await signIn(identity, "global@example.jp");
    expect(decodeJwt(later.idToken).keyForGlobalSignOut).not.toBe(key);
    // The used key, and a token that carries it, no longer have an effect.
    for (const used of [key, String(decodeJwt(later.idToken).keyForGlobalSignOut)]) {
      await general(identity, "PUT", "/auth/key-for-global-sign-out", here.idToken, { key: used });
    }
    expect((await refresh(identity, later.refreshToken)).status).toBe(200);
  });

  test("keeps the key and other sign-ins valid when only one sign-in ends", async () => {
    const here = await signUp(identity, "one-device@example.jp");
    const there = await signIn(identity, "one-device@example.jp");
    const { signInId, keyForGlobalSignOut } = decodeJwt(here.idToken);
    const endSignIn = () => general(identity, "DELETE", `/auth/sign-ins?id=${signInId}`, here.idToken);
    expect([(await endSignIn()).status, (await endSignIn()).status]).toEqual([204, 401]);
    expect((await refresh(identity, here.refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    const { body } = await refresh(identity, there.refreshToken);
    expect(decodeJwt(String(body.id_token)).keyForGlobalSignOut).toBe(keyForGlobalSignOut);
    // A token of the ended sign-in must not end the account's other sign-ins by the key they share.
    const key = keyForGlobalSignOut;
    await general(identity, "PUT", "/auth/key-for-global-sign-out", here.idToken, { key });
    expect((await refresh(identity, String(body.refresh_token))).status).toBe(200);
  });

  test("happens with every change of credentials: the old key is used, and the new sign-in has another", async () => {
    const { idToken, localId } = await signUp(identity, "changed-password@example.jp");
    const { body } = await call(identity, "update", {
      idToken,
      password: "another battery staple",
      returnSecureToken: true,
    });
    const [before, after] = [decodeJwt(idToken), decodeJwt(String(body.idToken))];
    expect(after.keyForGlobalSignOut).not.toBe(before.keyForGlobalSignOut);
    const used = await identity.database
      .prepare("SELECT key FROM global_sign_outs WHERE local_id = ?")
      .bind(localId)
      .all();
    expect(used.results).toEqual([{ key: before.keyForGlobalSignOut }]);
    expect((await refresh(identity, String(body.refreshToken))).status).toBe(200);
  });

  test("keeps the ended sign-in's ID token from creating a sign-in or changing the account", async () => {
    const { idToken } = await signUp(identity, "ended@example.jp");
    const key = String(decodeJwt(idToken).keyForGlobalSignOut);
    await general(identity, "PUT", "/auth/key-for-global-sign-out", idToken, { key });
    expect(await problemCode(await general(identity, "GET", "/auth/custom-token", idToken))).toBe("token_invalid");
    expect(await problemCode(await general(identity, "POST", "/users/unsubscribe", idToken))).toBe("token_invalid");
    expect(await refusal(identity, "update", { idToken, password: "of the thief" })).toBe("TOKEN_EXPIRED");
    expect(await problemCode(await general(identity, "DELETE", "/auth/refresh-token", idToken))).toBe("token_invalid");
  });

  test("does not affect another account", async () => {
    const mine = await signUp(identity, "mine@example.jp");
    const stranger = await signUp(identity, "stranger@example.jp");
    const key = String(decodeJwt(mine.idToken).keyForGlobalSignOut);
    await general(identity, "PUT", "/auth/key-for-global-sign-out", stranger.idToken, { key });
    const response = await general(identity, "GET", `/auth/global-sign-out-status?key=${key}`, mine.idToken);
    expect(await response.json()).toEqual({ isSignedOut: false });
    expect((await refresh(identity, mine.refreshToken)).status).toBe(200);
  });

  test("is remembered for 180 days, whatever the account's id begins with", async () => {
    const { idToken, localId } = await signUp(identity, "forgotten-keys@example.jp");
    const readKeys = async (id: string) =>
      (
        await identity.database
          .prepare("SELECT key FROM global_sign_outs WHERE local_id = ? ORDER BY key")
          .bind(id)
          .all<{ key: string }>()
      ).results.map(({ key }) => key);
    const ids = [localId, "-first", "_middle", "zebra", "~last"];
    const at_ms = Date.now();
    const daysAgo = (days: number) => new Date(at_ms - days * 24 * 60 * 60_000).toISOString();
    await general(identity, "PUT", "/auth/key-for-global-sign-out", idToken, { key: "new" });
    for (const id of ids) {
      await identity.database
        .prepare("INSERT OR IGNORE INTO accounts (local_id, valid_since, created_at) VALUES (?, '', '')")
        .bind(id)
        .run();
      for (const [key, days] of [
        ["old", 181],
        ["young", 179],
      ] as const) {
        await identity.database
          .prepare("INSERT INTO global_sign_outs (local_id, key, registered_at) VALUES (?, ?, ?)")
          .bind(id, key, daysAgo(days))
          .run();
      }
    }
    // Each minute's run covers a slice of the accounts.
    for (let minute = 0; minute < 62; minute++) await identity.runScheduled(at_ms + minute * 60_000);
    expect(await Promise.all(ids.map(readKeys))).toEqual([
      ["new", "young"],
      ["young"],
      ["young"],
      ["young"],
      ["young"],
    ]);
  });

  test("keeps at most 200 keys: the oldest are deleted, the newest and other accounts' stay", async () => {
    const { idToken, localId } = await signUp(identity, "many-keys@example.jp");
    const other = await signUp(identity, "few-keys@example.jp");
    await general(identity, "PUT", "/auth/key-for-global-sign-out", other.idToken, { key: "theirs" });
    await identity.database
      .prepare(
        `INSERT INTO global_sign_outs (local_id, key, registered_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
         SELECT ?, 'written-' || n, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || n || ' minutes') FROM n`,
      )
      .bind(localId)
      .run();
    await general(identity, "PUT", "/auth/key-for-global-sign-out", idToken, { key: "last" });
    const left = (await identity.database.prepare("SELECT local_id, key FROM global_sign_outs").all()).results;
    const mine = left.filter(({ local_id }) => local_id === localId).map(({ key }) => key);
    expect(mine).toHaveLength(200);
    expect(mine).toEqual(expect.arrayContaining(["last", "written-1", "written-199"]));
    expect(left).toContainEqual({ local_id: other.localId, key: "theirs" });
  });

  test("refuses a missing, an empty and an endless key", async () => {
    const { idToken } = await signUp(identity, "keys@example.jp");
    for (const query of ["", "?key=", `?key=${"k".repeat(129)}`]) {
      const response = await general(identity, "GET", `/auth/global-sign-out-status${query}`, idToken);
      expect([response.status, await problemCode(response)]).toEqual([422, "validation_failed"]);
    }
    for (const body of [{}, { key: "" }, { key: 1 }, [], null]) {
      const response = await general(identity, "PUT", "/auth/key-for-global-sign-out", idToken, body);
      expect(response.status).toBe(422);
    }
  });
});

describe("a custom token", () => {
  test("signs in to its account", async () => {
    const { idToken, localId } = await signUp(identity, "custom@example.jp");
    const response = await general(identity, "GET", "/auth/custom-token", idToken);
    const { token } = (await response.json()) as { token: string };
    const { status, body } = await call(identity, "signInWithCustomToken", { token, returnSecureToken: true });
    expect([status, body.isNewUser]).toEqual([200, false]);
    const claims = decodeJwt(String(body.idToken));
    expect(claims.sub).toBe(localId);
    expect(claims.firebase).toEqual({ identities: { email: ["custom@example.jp"] }, sign_in_provider: "custom" });
    expect((await refresh(identity, String(body.refreshToken))).status).toBe(200);
  });

  test("ends with the sign-in it was made for", async () => {
    const thief = await signUp(identity, "kept@example.jp");
    const owner = await signIn(identity, "kept@example.jp");
    const { token } = (await (await general(identity, "GET", "/auth/custom-token", thief.idToken)).json()) as {
      token: string;
    };
    const { signInId } = decodeJwt(thief.idToken);
    await general(identity, "DELETE", `/auth/sign-ins?id=${signInId}`, owner.idToken);
    expect(await refusal(identity, "signInWithCustomToken", { token })).toBe("INVALID_CUSTOM_TOKEN");
  });

  test("carries the key for global sign-out, and so does its session", async () => {
    const { idToken } = await signUp(identity, "custom-key@example.jp");
    const { token } = (await (await general(identity, "GET", "/auth/custom-token", idToken)).json()) as {
      token: string;
    };
    const key = decodeJwt(idToken).keyForGlobalSignOut;
    expect(decodeJwt(token).claims).toEqual({ keyForGlobalSignOut: key });
    const { body } = await call(identity, "signInWithCustomToken", { token, returnSecureToken: true });
    expect(decodeJwt(String(body.idToken)).keyForGlobalSignOut).toBe(key);
    await general(identity, "PUT", "/auth/key-for-global-sign-out", String(body.idToken), { key });
    const next = await call(identity, "lookup", { idToken });
    expect(next.body.error?.message).toBe("TOKEN_EXPIRED");
    expect(await refusal(identity, "signInWithCustomToken", { token })).toBe("INVALID_CUSTOM_TOKEN");
  });

  test("is refused for deleted and disabled accounts; it is not an ID token, nor an ID token a custom token", async () => {
    const { idToken, localId } = await signUp(identity, "misused@example.jp");
    const response = await general(identity, "GET", "/auth/custom-token", idToken);
    const { token } = (await response.json()) as { token: string };
    expect(await problemCode(await general(identity, "GET", "/auth/custom-token", token))).toBe("token_invalid");
    expect(await refusal(identity, "lookup", { idToken: token })).toBe("INVALID_ID_TOKEN");
    expect(await refusal(identity, "signInWithCustomToken", { token: idToken })).toBe("INVALID_CUSTOM_TOKEN");
    expect(await refusal(identity, "signInWithCustomToken", { token: "a.b.c" })).toBe("INVALID_CUSTOM_TOKEN");
    expect(await refusal(identity, "signInWithCustomToken", {})).toBe("MISSING_CUSTOM_TOKEN");
    await identity.database.prepare("UPDATE accounts SET disabled = 1 WHERE local_id = ?").bind(localId).run();
    expect(await refusal(identity, "signInWithCustomToken", { token })).toBe("USER_DISABLED");
    await identity.database.prepare("DELETE FROM accounts WHERE local_id = ?").bind(localId).run();
    expect(await refusal(identity, "signInWithCustomToken", { token })).toBe("USER_NOT_FOUND");
  });
});

describe("the personal id", () => {
  test("is set by the holder of the key and carried by new ID tokens", async () => {
    const { localId, refreshToken } = await signUp(identity, "pib@example.jp");
    const path = `/users/pib-id?id=${localId}&api_key=${PIB_API_KEY}`;
    expect((await general(identity, "PUT", path, undefined, { pibId: "pib-123" })).status).toBe(204);
    const { body } = await refresh(identity, refreshToken);
    expect(decodeJwt(String(body.id_token)).pibId).toBe("pib-123");
  });

  test("is refused without the key, with another, and for an unknown account", async () => {
    const { localId, idToken } = await signUp(identity, "pib-refused@example.jp");
    const putPibId = (query: string) =>
      general(identity, "PUT", `/users/pib-id?${query}`, idToken, { pibId: "pib-123" });
    expect(await problemCode(await putPibId(`id=${localId}`))).toBe("unauthenticated");
    expect((await putPibId(`id=${localId}&api_key=${PIB_API_KEY}x`)).status).toBe(401);
    expect((await putPibId(`id=nobody&api_key=${PIB_API_KEY}`)).status).toBe(404);
    expect((await putPibId(`api_key=${PIB_API_KEY}`)).status).toBe(422);
  });
});

test("unsubscribing deletes the account: no sign-in, no refresh, no bearer call", async () => {
  const { idToken, refreshToken } = await signUp(identity, "leaving@example.jp");
  expect((await general(identity, "POST", "/users/unsubscribe", idToken)).status).toBe(204);
  expect((await general(identity, "POST", "/users/unsubscribe", idToken)).status).toBe(401);
  expect((await refresh(identity, refreshToken)).body.error?.message).toBe("INVALID_REFRESH_TOKEN");
  await signUp(identity, "leaving@example.jp");
});
