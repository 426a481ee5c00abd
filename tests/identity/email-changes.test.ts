import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, general, mailedCode, PASSWORD, refresh, refusal, type SignedIn, signIn, signUp } from "./people.ts";
import { type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const CHANGE = { requestType: "VERIFY_AND_CHANGE_EMAIL" };
const askToChange = ({ idToken }: SignedIn, newEmail: string) =>
  call(identity, "sendOobCode", { ...CHANGE, idToken, newEmail });

async function mailsTo(recipient: string) {
  const response = await identity.fetch("/emulator/v1/projects/demo-ofuse/mails");
  const { mails } = (await response.json()) as { mails: { recipient: string; kind: string; gaps: string }[] };
  return mails.filter((mail) => mail.recipient === recipient);
}

async function signUpProven(email: string): Promise<SignedIn> {
  const person = await signUp(identity, email);
  await identity.database.prepare("UPDATE accounts SET email_verified = 1 WHERE email = ?").bind(email).run();
  return person;
}

async function changeAddress(person: SignedIn, newEmail: string) {
  await askToChange(person, newEmail);
  const { oobCode } = await mailedCode(identity, newEmail, CHANGE);
  return call(identity, "update", { oobCode, idToken: person.idToken });
}

describe("changing the address", () => {
  test("waits for proof of the new address, happens once, and notifies the old address", async () => {
    const person = await signUpProven("old@example.jp");
    expect((await askToChange(person, " New@example.jp ")).body).toMatchObject({
      kind: "identitytoolkit#GetOobConfirmationCodeResponse",
      email: "old@example.jp",
    });
    await signIn(identity, "old@example.jp");
    const { oobCode, oobLink } = await mailedCode(identity, "new@example.jp");
    expect(new URL(oobLink).searchParams.get("mode")).toBe("verifyAndChangeEmail");
    expect((await call(identity, "resetPassword", { oobCode })).body).toEqual({
      kind: "identitytoolkit#ResetPasswordResponse",
      email: "old@example.jp",
      newEmail: "new@example.jp",
      requestType: "VERIFY_AND_CHANGE_EMAIL",
    });
    const { idToken } = person;
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(identity, "update", { oobCode, idToken })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.find(({ status }) => status === 200)?.body).toMatchObject({
      email: "new@example.jp",
      emailVerified: true,
      localId: person.localId,
    });
    expect((await refresh(identity, person.refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    await signIn(identity, "new@example.jp");
    expect(await refusal(identity, "signInWithPassword", { email: "old@example.jp", password: PASSWORD })).toBe(
      "INVALID_LOGIN_CREDENTIALS",
    );
    expect((await mailsTo("old@example.jp")).map(({ kind }) => kind)).toEqual(["email_changed"]);
  });

  test("reveals a taken address only to its owner", async () => {
    const person = await signUpProven("curious@example.jp");
    await signUpProven("holder@example.jp");
    const [taken, free] = [
      await askToChange(person, "holder@example.jp"),
      await askToChange(person, "free@example.jp"),
    ];
    expect(taken.status).toBe(free.status);
    expect(Object.keys(taken.body)).toEqual(Object.keys(free.body));
    const [notice] = await mailsTo("holder@example.jp");
    expect(notice).toMatchObject({ kind: "email_taken", gaps: "{}" });
  });

  test("is refused when another account proved it first, and keeps the address", async () => {
    const person = await signUpProven("slow@example.jp");
    await askToChange(person, "contested@example.jp");
    await signUpProven("contested@example.jp");
    const { oobCode } = await mailedCode(identity, "contested@example.jp", CHANGE);
    expect(await refusal(identity, "update", { oobCode, idToken: person.idToken })).toBe("EMAIL_EXISTS");
    await signIn(identity, "slow@example.jp");
    expect(await mailsTo("slow@example.jp")).toEqual([]);
  });

  test("takes the address from an unproven account, and mails the code although that account exists", async () => {
    const person = await signUpProven("mover@example.jp");
    const squatter = await signUp(identity, "squatted@example.jp");
    expect((await changeAddress(person, "squatted@example.jp")).body).toMatchObject({
      localId: person.localId,
      email: "squatted@example.jp",
    });
    expect((await signIn(identity, "squatted@example.jp")).localId).toBe(person.localId);
    expect(await refusal(identity, "lookup", { idToken: squatter.idToken })).toBe("USER_NOT_FOUND");
  });

  test("requires a sign-in of the account with the mail, and keeps the code until then", async () => {
    const person = await signUpProven("two-browsers@example.jp");
    const other = await signUpProven("passer-by@example.jp");
    await askToChange(person, "two-browsers-2@example.jp");
    const { oobCode } = await mailedCode(identity, "two-browsers-2@example.jp", CHANGE);
    for (const idToken of [undefined, other.idToken]) {
      expect(await refusal(identity, "update", { oobCode, idToken })).toMatch(/^MISSING_ID_TOKEN/);
    }
    expect(await refusal(identity, "update", { oobCode, idToken: "forged" })).toBe("INVALID_ID_TOKEN");
    const elsewhere = await signIn(identity, "two-browsers@example.jp");
    expect((await call(identity, "update", { oobCode, idToken: elsewhere.idToken })).body).toMatchObject({
      localId: person.localId,
      email: "two-browsers-2@example.jp",
    });
  });

  test("requires a recent sign-in", async () => {
    const person = await signUpProven("stale-change@example.jp");
    const earlier = new Date(Date.now() - 6 * 60_000).toISOString();
    const { database } = identity;
    await database
      .prepare("UPDATE accounts SET valid_since = ? WHERE local_id = ?")
      .bind(earlier, person.localId)
      .run();
    await database
      .prepare("UPDATE sign_ins SET signed_in_at = ? WHERE local_id = ?")
      .bind(earlier, person.localId)
      .run();
    const { body } = await refresh(identity, person.refreshToken);
    const input = { ...CHANGE, idToken: body.id_token, newEmail: "later@example.jp" };
    expect(await refusal(identity, "sendOobCode", input)).toBe("CREDENTIAL_TOO_OLD_LOGIN_AGAIN");
    expect(await refusal(identity, "sendOobCode", { ...CHANGE, idToken: person.idToken })).toBe("MISSING_NEW_EMAIL");
  });

  test("mails no undo link to an address that was never proven", async () => {
    const person = await signUp(identity, "mistyped@example.jp");
    expect((await changeAddress(person, "correct@example.jp")).status).toBe(200);
    expect(await mailsTo("mistyped@example.jp")).toEqual([]);
  });

  test.each(["a reset", "a link by mail"])(
    "ends, if asked for by an unproven account, when the address's owner proves it by %s",
    async (way) => {
      const [email, newEmail] = [`victim-${way.length}@example.jp`, `attacker-${way.length}@example.jp`];
      const attacker = await signUp(identity, email);
      await askToChange(attacker, newEmail);
      const { oobCode } = await mailedCode(identity, newEmail, CHANGE);
      const requestType = way === "a reset" ? "PASSWORD_RESET" : "EMAIL_SIGNIN";
      await call(identity, "sendOobCode", { requestType, email });
      const own = await mailedCode(identity, email, { requestType });
      const proven =
        way === "a reset"
          ? await call(identity, "resetPassword", { oobCode: own.oobCode, newPassword: PASSWORD })
          : await call(identity, "signInWithEmailLink", { email, oobCode: own.oobCode });
      expect(proven.status).toBe(200);
      expect(await refusal(identity, "update", { oobCode })).toBe("INVALID_OOB_CODE");
      expect(await mailsTo(email)).toHaveLength(1);
      const holder = identity.database.prepare("SELECT local_id FROM accounts WHERE email = ?");
      expect(await holder.bind(newEmail).first()).toBeNull();
      expect(await holder.bind(email).first("local_id")).not.toBe(attacker.localId);
    },
  );

  test("ends, if asked for by a thief, when the owner changes the password or signs out everywhere", async () => {
    for (const end of ["password", "everywhere"]) {
      const person = await signUpProven(`robbed-${end}@example.jp`);
      const thief = await signIn(identity, `robbed-${end}@example.jp`);
      await askToChange(thief, `loot-${end}@example.jp`);
      const { oobCode } = await mailedCode(identity, `loot-${end}@example.jp`, CHANGE);
      if (end === "password") {
        const changed = await call(identity, "update", { idToken: person.idToken, password: "another horse battery" });
        expect(changed.status).toBe(200);
      } else {
        expect((await general(identity, "DELETE", "/auth/refresh-token", person.idToken)).status).toBe(204);
      }
      expect(await refusal(identity, "update", { oobCode })).toBe("INVALID_OOB_CODE");
    }
  });

  test("voids the codes mailed to the old address", async () => {
    const person = await signUpProven("before@example.jp");
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email: "before@example.jp" });
    await call(identity, "sendOobCode", { requestType: "VERIFY_EMAIL", idToken: person.idToken });
    const reset = await mailedCode(identity, "before@example.jp", { requestType: "PASSWORD_RESET" });
    const verify = await mailedCode(identity, "before@example.jp", { requestType: "VERIFY_EMAIL" });
    await changeAddress(person, "afterwards@example.jp");
    const newPassword = "of the old mailbox";
    expect(await refusal(identity, "resetPassword", { oobCode: reset.oobCode, newPassword })).toBe("INVALID_OOB_CODE");
    expect(await refusal(identity, "update", { oobCode: verify.oobCode })).toBe("INVALID_OOB_CODE");
  });
});

describe("undoing a change of address", () => {
  test("restores it, ends every sign-in, and cannot be undone by a thief who changed it twice", async () => {
    const person = await signUpProven("owner@example.jp");
    await changeAddress(person, "thief-1@example.jp");
    const thief = await signIn(identity, "thief-1@example.jp");
    await changeAddress(thief, "thief-2@example.jp");
    const back = await mailedCode(identity, "owner@example.jp", { requestType: "RECOVER_EMAIL" });
    const thiefs = await mailedCode(identity, "thief-1@example.jp", { requestType: "RECOVER_EMAIL" });
    const inside = await signIn(identity, "thief-2@example.jp");
    expect((await call(identity, "resetPassword", { oobCode: back.oobCode })).body).toMatchObject({
      email: "owner@example.jp",
      newEmail: "thief-1@example.jp",
      requestType: "RECOVER_EMAIL",
    });

    // In either order: the later link and the earlier one do not affect each other.
    expect((await call(identity, "update", { oobCode: thiefs.oobCode })).status).toBe(200);
    const { body } = await call(identity, "update", { oobCode: back.oobCode });
    expect(body).toMatchObject({ email: "owner@example.jp", emailVerified: true, localId: person.localId });
    expect((await refresh(identity, inside.refreshToken)).body.error?.message).toBe("TOKEN_EXPIRED");
    // The mailbox sets a new password.
    await call(identity, "sendOobCode", { requestType: "PASSWORD_RESET", email: "owner@example.jp" });
    const reset = await mailedCode(identity, "owner@example.jp", { requestType: "PASSWORD_RESET" });
    await call(identity, "resetPassword", { oobCode: reset.oobCode, newPassword: "a new password" });
    await signIn(identity, "owner@example.jp", "a new password");
    for (const { oobCode } of [back, thiefs]) {
      expect(await refusal(identity, "update", { oobCode })).toBe("INVALID_OOB_CODE");
    }
  });

  test("is refused once another account has the address", async () => {
    const person = await signUpProven("released@example.jp");
    await changeAddress(person, "moved@example.jp");
    const { oobCode } = await mailedCode(identity, "released@example.jp");
    await signUpProven("released@example.jp");
    expect(await refusal(identity, "update", { oobCode })).toBe("EMAIL_EXISTS");
    expect(await mailsTo("moved@example.jp")).toHaveLength(1);
  });

  test("removes the sign-in methods that a thief added, and no second factor or recovery code older than the change", async () => {
    const person = await signUpProven("robbed@example.jp");
    // A thief may change the password before the address.
    const thiefs_password = "a password of the thief";
    const { body: changed } = await call(identity, "update", { idToken: person.idToken, password: thiefs_password });
    const { database } = identity;
    const runSql = (sql: string) => database.prepare(sql).bind(person.localId).run();
    await runSql("UPDATE accounts SET phone_number = '+819098760001' WHERE local_id = ?");
    await runSql(`INSERT INTO linked_identities (provider_id, federated_id, local_id, linked_at)
      VALUES ('twitter.com', 'thief', ?, '2026-01-01')`);
    const insertFactor = (id: string, kind: string, secret: string, at: string) =>
      runSql(
        `INSERT INTO factors (factor_id, local_id, kind, ${secret}, enrolled_at) VALUES ('${id}', ?, '${kind}', 'x', '${at}')`,
      );
    const insertRecoveryCode = (digit: string, at: string) =>
      runSql(`INSERT INTO recovery_codes (local_id, code_hash, created_at) VALUES (?, '${digit.repeat(64)}', '${at}')`);
    await insertFactor("older-than-the-change", "totp", "sealed_secret", "2026-01-01T00:00:00.000Z");
    await insertRecoveryCode("a", "2026-01-01T00:00:00.000Z");
    await changeAddress({ ...person, idToken: String(changed.idToken) }, "thief@example.jp");
    await insertFactor("younger-than-the-change", "phone", "phone_number", "9999-01-01T00:00:00.000Z");
    await insertRecoveryCode("b", "9999-01-01T00:00:00.000Z");
    const { oobCode } = await mailedCode(identity, "robbed@example.jp", { requestType: "RECOVER_EMAIL" });
    expect((await call(identity, "update", { oobCode })).body).toMatchObject({ email: "robbed@example.jp" });
    const left = await database
      .prepare(
        `SELECT phone_number, password_hash, (SELECT COUNT(*) FROM linked_identities WHERE local_id = ?1) AS linked,
          (SELECT group_concat(factor_id) FROM factors WHERE local_id = ?1) AS factors,
          (SELECT group_concat(code_hash) FROM recovery_codes WHERE local_id = ?1) AS codes
          FROM accounts WHERE local_id = ?1`,
      )
      .bind(person.localId)
      .first();
    expect(left).toEqual({
      ...{ phone_number: null, password_hash: null, linked: 0 },
      ...{ factors: "older-than-the-change", codes: "a".repeat(64) },
    });
    expect(
      await refusal(identity, "signInWithPassword", { email: "robbed@example.jp", password: thiefs_password }),
    ).toBe("INVALID_LOGIN_CREDENTIALS");
  });

  test("mails the proven address that the account loses, once", async () => {
    const person = await signUpProven("hacked-mailbox@example.jp");
    await changeAddress(person, "safe-mailbox@example.jp");
    const { oobCode } = await mailedCode(identity, "hacked-mailbox@example.jp", { requestType: "RECOVER_EMAIL" });
    await Promise.all([1, 2, 3].map(() => call(identity, "update", { oobCode })));
    const kinds = (await mailsTo("safe-mailbox@example.jp")).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "email_restored")).toHaveLength(1);
    // The owner may have changed the address back before using the link.
    await changeAddress(await signUpProven("there@example.jp"), "and-back@example.jp");
    const link = await mailedCode(identity, "there@example.jp", { requestType: "RECOVER_EMAIL" });
    await changeAddress(await signIn(identity, "and-back@example.jp"), "there@example.jp");
    expect((await call(identity, "update", { oobCode: link.oobCode })).status).toBe(200);
    expect((await mailsTo("there@example.jp")).map(({ kind }) => kind)).not.toContain("email_restored");
  });

  test("takes the address back from an account that never proved it", async () => {
    const person = await signUpProven("left-behind@example.jp");
    await changeAddress(person, "thiefs-own@example.jp");
    const { oobCode } = await mailedCode(identity, "left-behind@example.jp");
    await signUp(identity, "left-behind@example.jp");
    expect((await call(identity, "update", { oobCode })).body).toMatchObject({
      localId: person.localId,
      email: "left-behind@example.jp",
    });
  });
});
