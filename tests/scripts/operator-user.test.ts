import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimData } from "../../scripts/data-claim.ts";
import { openProduct } from "../../scripts/operator/product.ts";
import type { Product } from "../../scripts/operator/subject.ts";
import { userSubject } from "../../scripts/operator/user.ts";
import { prepareData } from "../../scripts/storage.ts";
import { isPassword } from "../../workers/identity/provider/passwords.ts";
import { sha256Hex } from "../../workers/kernel/digest.ts";

const NOW = Date.parse("2026-11-20T03:00:00.000Z");
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-operator-user-"));

beforeAll(async () => {
  const claim = await claimData(data_dir);
  await prepareData(data_dir, claim, "site");
  claim.release();
});
afterAll(() => rmSync(data_dir, { recursive: true, force: true }));

/** The command itself, as an operator gives it. */
async function operate(args: string[], input: string) {
  const child = spawn(process.execPath, ["scripts/operator.ts", "user", ...args], {
    cwd: resolve(import.meta.dirname, "../.."),
    env: { ...process.env, DATA_DIR: data_dir },
  });
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err };
}

async function withProduct<T>(work: (product: Product) => Promise<T>): Promise<T> {
  const product = await openProduct(data_dir);
  try {
    return await work(product);
  } finally {
    await product.close();
  }
}

test("an account is made with a password of the standard input, which nothing tells again", async () => {
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
  await withProduct(async ({ run }) => {
    const [account] = await run("SELECT password_hash FROM accounts WHERE email = 'hana@example.jp'", "identity");
    expect(await isPassword(password, String(account?.password_hash))).toBe(true);
  });
  const again = await operate(["create", "hana@example.jp", "--password-stdin"], "another password\n");
  expect(again.err).toContain("hana@example.jp has an account already.");
  const weak = await operate(["create", "weak@example.jp", "--password-stdin"], "short\n");
  expect(weak.err).toContain("WEAK_PASSWORD");
});

test("or is mailed a link to set one, of which only the hash is kept", async () => {
  await withProduct(async ({ run }) => {
    const act = (...args: string[]) => userSubject.read(args, NOW)({ run });
    expect(await act("create", "mailed@example.jp", "--mail")).toContain("link by mail");
    const [mail] = await run("SELECT text FROM mails WHERE recipient = 'mailed@example.jp'", "identity");
    const link = new URL(/^http\S+$/m.exec(String(mail?.text))?.[0] ?? "");
    expect(link.searchParams.get("mode")).toBe("resetPassword");
    const [code] = await run(
      "SELECT code_hash, expires_at FROM oob_codes WHERE email = 'mailed@example.jp'",
      "identity",
    );
    expect(code).toEqual({
      code_hash: await sha256Hex(String(link.searchParams.get("oobCode"))),
      expires_at: "2026-11-20T04:00:00.000Z",
    });
  });
});

test("an account is disabled and signed out everywhere, and its tokens carry the claims it is given", async () => {
  await withProduct(async ({ run }) => {
    const act = (...args: string[]) => userSubject.read(args, NOW)({ run });
    await act("create", "kept@example.jp", "--mail");
    const [account] = await run("SELECT local_id FROM accounts WHERE email = 'kept@example.jp'", "identity");
    const open = (sign_in_id: string) =>
      run(
        `INSERT INTO sign_ins (sign_in_id, local_id, sign_in_provider, signed_in_at, last_used_at)
          VALUES ('${sign_in_id}', '${account?.local_id}', 'password', '', '')`,
        "identity",
      );
    const signedOut = async () =>
      (await run("SELECT sign_in_id FROM sign_ins WHERE revoked_at IS NOT NULL ORDER BY sign_in_id", "identity")).map(
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
});

test("whoever has lost their second factor needs none, and signs in anew", async () => {
  await withProduct(async ({ run }) => {
    const act = (...args: string[]) => userSubject.read(args, NOW)({ run });
    for (const name of ["lost", "other"]) {
      await act("create", `${name}@example.jp`, "--mail");
      const id = `(SELECT local_id FROM accounts WHERE email = '${name}@example.jp')`;
      await run(
        `INSERT INTO factors (factor_id, local_id, kind, sealed_secret, enrolled_at)
          VALUES ('factor-of-somebody-${name}', ${id}, 'totp', 'sealed', '')`,
        "identity",
      );
      await run(
        `INSERT INTO recovery_codes (local_id, code_hash, created_at) VALUES (${id}, '${"0".repeat(64)}', '')`,
        "identity",
      );
    }
    expect(await act("remove-factors", "lost@example.jp")).toContain("No second factor is asked for.");
    const left = async (table: string) =>
      run(`SELECT email FROM ${table} JOIN accounts USING (local_id) ORDER BY email`, "identity");
    expect(await left("factors")).toEqual([{ email: "other@example.jp" }]);
    expect(await left("recovery_codes")).toEqual([{ email: "other@example.jp" }]);
    await expect(act("remove-factors", "nobody@example.jp")).rejects.toThrow("There is no account nobody@example.jp.");
  });
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
  [["create", "not an address", "--mail"], "INVALID_EMAIL"],
  [["disable"], "user create"],
  [["disable", "a@example.jp", "b@example.jp"], "user create"],
])("what is said wrongly touches nothing: %j", (args, reason) => {
  expect(() => userSubject.read(args, NOW)).toThrow(reason);
});
