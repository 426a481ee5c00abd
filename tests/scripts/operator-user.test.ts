import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNetwork } from "../../scripts/network.ts";
import { userSubject } from "../../scripts/operator/user.ts";
import { isPassword } from "../../workers/identity/provider/passwords.ts";
import { sha256Hex } from "../../workers/kernel/digest.ts";
import { operatedSite } from "../support/operator.ts";

const data_dir = mkdtempSync(join(tmpdir(), "ofuse-operator-user-"));
let network: Awaited<ReturnType<typeof startNetwork>>;

beforeAll(async () => {
  network = await startNetwork({ data_dir, world: "site", has_pictures: false });
});
afterAll(async () => {
  await network.stop();
  rmSync(data_dir, { recursive: true, force: true });
});

const act = async (...args: string[]) => userSubject.read(args, Date.now())(await operatedSite(network));

/** Runs a statement on the accounts, for states that no act can create. */
async function run(statement: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const identity = (await network.miniflare.getD1Database("DB", "ofuse-identity")) as unknown as D1Database;
  const { results } = await identity
    .prepare(statement)
    .bind(...values)
    .all<Record<string, unknown>>();
  return results;
}

/** Runs the command as an operator does. */
async function operate(args: string[], input: string) {
  const child = spawn(process.execPath, ["scripts/operator.ts", "user", ...args], {
    cwd: resolve(import.meta.dirname, "../.."),
    env: { ...process.env, DATA_DIR: data_dir },
  });
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err };
}

test("creates an account with a password from the standard input, which it never shows", async () => {
  const password = "it's a secret; --";
  const { out, err } = await operate(
    ["create", "Hana@Example.jp", "--name", "花'子", "--verified", "--password-stdin"],
    `${password}\n`,
  );
  expect(err).not.toContain("Error");
  expect(out).toMatch(/^id {9}\w{28}$/m);
  expect(out).toContain("hana@example.jp (proven)");
  expect(out).toContain("花'子");
  expect(out).not.toContain("secret");
  const [account] = await run("SELECT password_hash FROM accounts WHERE email = 'hana@example.jp'");
  expect(await isPassword(password, String(account?.password_hash))).toBe(true);
  const again = await operate(["create", "hana@example.jp", "--password-stdin"], "another password\n");
  expect(again.err).toContain("hana@example.jp has an account already.");
  const weak = await operate(["create", "weak@example.jp", "--password-stdin"], "short\n");
  expect(weak.err).toBe("Password should be at least 8 characters.\n");
  expect(out).not.toContain("Warning");
  const unproven = await operate(["create", "unproven@example.jp", "--password-stdin"], `${password}\n`);
  expect(unproven.out).toMatch(/first proof removes this password.*--verified.*--mail/s);
  expect(await act("claims", "unproven@example.jp", '{"staff":true}')).toMatch(/without these claims.*again/s);
  expect(await act("claims", "unproven@example.jp", "--clear")).not.toContain("Warning");
  expect(await act("claims", "hana@example.jp", '{"staff":true}')).not.toContain("Warning");
  await act("claims", "hana@example.jp", "--clear");
});

test("mails a link to set a password, and keeps only its hash", async () => {
  const before_ms = Date.now();
  expect(await act("create", "mailed@example.jp", "--mail")).toContain("link by mail");
  const [mail] = await run("SELECT gaps FROM mails WHERE recipient = 'mailed@example.jp'");
  const link = new URL(JSON.parse(String(mail?.gaps)).link);
  expect(link.origin).toBe(network.url);
  expect(link.searchParams.get("mode")).toBe("resetPassword");
  const [code] = await run("SELECT code_hash, expires_at FROM oob_codes WHERE email = 'mailed@example.jp'");
  expect(code?.code_hash).toBe(await sha256Hex(String(link.searchParams.get("oobCode"))));
  const lasts_ms = Date.parse(String(code?.expires_at)) - before_ms;
  expect(lasts_ms).toBeGreaterThanOrEqual(60 * 60 * 1000);
  expect(lasts_ms).toBeLessThan(62 * 60 * 1000);
});

test("disables an account, signs it out everywhere, and sets the claims of its tokens", async () => {
  await act("create", "kept@example.jp", "--mail");
  const [account] = await run("SELECT local_id FROM accounts WHERE email = 'kept@example.jp'");
  const open = (sign_in_id: string) =>
    run(
      `INSERT INTO sign_ins (sign_in_id, local_id, sign_in_provider, signed_in_at, last_used_at)
        VALUES (?, ?, 'password', '', '')`,
      sign_in_id,
      account?.local_id,
    );
  const signedOut = async () =>
    (await run("SELECT sign_in_id FROM sign_ins WHERE revoked_at IS NOT NULL ORDER BY sign_in_id")).map(
      ({ sign_in_id }) => sign_in_id,
    );
  await open("the-first-browser");
  expect(await act("show", "Kept@example.jp")).toContain("1 browser,");
  expect(await act("disable", "kept@example.jp")).toMatch(/disabled\nsigned in {2}0 browsers/);
  expect(await signedOut()).toEqual(["the-first-browser"]);
  expect(await act("enable", String(account?.local_id))).toContain("enabled");
  await open("the-second-browser");
  expect(await act("sign-out", "kept@example.jp")).toContain("Signed out everywhere.");
  expect(await signedOut()).toEqual(["the-first-browser", "the-second-browser"]);

  expect(await act("claims", "kept@example.jp", '{"staff":true}')).toContain('claims     {"staff":true}');
  expect(await act("claims", "kept@example.jp", "--clear")).toContain("claims     -");
  await expect(act("disable", "nobody@example.jp")).rejects.toThrow("There is no account nobody@example.jp.");
});

test("removes the second factor of one account, and signs it out", async () => {
  for (const name of ["lost", "other"]) {
    await act("create", `${name}@example.jp`, "--mail");
    const [account] = await run("SELECT local_id FROM accounts WHERE email = ?", `${name}@example.jp`);
    await run(
      `INSERT INTO factors (factor_id, local_id, kind, sealed_secret, enrolled_at) VALUES (?, ?, 'totp', 'sealed', '')`,
      `factor-of-somebody-${name}`,
      account?.local_id,
    );
    await run(
      "INSERT INTO recovery_codes (local_id, code_hash, created_at) VALUES (?, ?, '')",
      account?.local_id,
      "0".repeat(64),
    );
  }
  expect(await act("show", "lost@example.jp")).toMatch(/^factors {4}totp$/m);
  expect(await act("remove-factors", "lost@example.jp")).toContain("No second factor is asked for.");
  const left = (table: string) => run(`SELECT email FROM ${table} JOIN accounts USING (local_id) ORDER BY email`);
  expect(await left("factors")).toEqual([{ email: "other@example.jp" }]);
  expect(await left("recovery_codes")).toEqual([{ email: "other@example.jp" }]);
  await expect(act("remove-factors", "nobody@example.jp")).rejects.toThrow("There is no account nobody@example.jp.");
});

test.each([
  [["claims", "a@example.jp", '{"sub":"another","email_verified":true}'], "Reserved: sub, email_verified."],
  [["claims", "a@example.jp", '{"pibId":"1"}'], "Reserved: pibId."],
  [["claims", "a@example.jp", "[1]"], "Claims are a JSON object."],
  [["claims", "a@example.jp", "{"], "Claims are a JSON object."],
  [["claims", "a@example.jp", `{"long":"${"x".repeat(1000)}"}`], "at most 1000 characters"],
  [["claims", "a@example.jp"], "user create"],
  [["create", "a@example.jp"], "user create"],
  [["create", "a@example.jp", "--mail", "--password-stdin"], "user create"],
  [["create", "a@example.jp", "--password", "typed"], "user create"],
  [["create", "not an address", "--mail"], "The address of an account is a mail address"],
  [["disable"], "user create"],
  [["disable", "a@example.jp", "b@example.jp"], "user create"],
])("%j is refused with the reason, before anything is opened", (args, reason) => {
  expect(() => userSubject.read(args, Date.now())).toThrow(reason);
});
