/** `npm run operator -- user ...`: the accounts that the embedded identity provider keeps. */
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { renderMail } from "../../workers/identity/mails/texts.ts";
import { claimsBreach } from "../../workers/identity/provider/custom-claims.ts";
import { hashPassword } from "../../workers/identity/provider/passwords.ts";
import { Refusal as IdentityRefusal } from "../../workers/identity/provider/refusal.ts";
import {
  actionLink,
  checkDisplayName,
  checkNewPassword,
  newLocalId,
  normaliseEmail,
} from "../../workers/identity/provider/rules.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import { randomSecret, sha256Hex } from "../../workers/kernel/digest.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { varsOf } from "../local-vars.ts";
import { Refusal } from "../refusal.ts";
import { readSettings } from "../settings.ts";
import { literal } from "./literal.ts";
import { AccountsElsewhere } from "./product.ts";
import type { Product, Subject } from "./subject.ts";

const usage = `user create <address> [--name <name>] [--verified] --password-stdin | --mail
user show <who>
user disable <who> | enable <who>                  disabled, an account is signed out everywhere, can do nothing, and what it
                                                   published is absent for everybody until it is enabled
user sign-out <who>                                everywhere
user remove-factors <who>                          for who has lost them, once it is known that it is they; signs out too
user claims <who> <JSON object> | --clear          what its tokens carry besides, from the next one on
  <who>              the address or the id of an account; to disable and enable, also its @link_id
  --password-stdin   the password is the first line of the standard input; it is never an argument
  --mail             a link to set one is mailed, good for an hour
  --verified         the address is known to be theirs`;

type Run = Pick<Product, "run">;

/** The first line, as `docker login` reads it. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) throw new Refusal("Give the password on the standard input: user create ... < file");
  return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? "";
}

/** What a rule of the provider refuses, said to the operator. */
function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof IdentityRefusal ? new Refusal(error.message) : error;
  }
}

const SHOWN = `local_id, email, email_verified, display_name, phone_number, password_hash IS NOT NULL AS has_password,
  signs_in_by_email, disabled, custom_claims, created_at, last_sign_in_at,
  (SELECT group_concat(provider_id, ', ') FROM linked_identities WHERE linked_identities.local_id = accounts.local_id) AS providers,
  (SELECT group_concat(kind, ', ') FROM factors WHERE factors.local_id = accounts.local_id) AS factors,
  (SELECT COUNT(*) FROM sign_ins WHERE sign_ins.local_id = accounts.local_id AND revoked_at IS NULL) AS open`;

const named = (who: string) => `(local_id = ${literal(who)} OR email = ${literal(who.normalize("NFC").toLowerCase())})`;

/** Does it to one account; `what` changes a row of `accounts`. */
async function change({ run }: Run, who: string, what: string): Promise<string> {
  const [changed] = await run(`UPDATE accounts SET ${what} WHERE ${named(who)} RETURNING local_id`, "identity");
  if (!changed) throw new Refusal(`There is no account ${who}.`);
  return show({ run }, String(changed.local_id));
}

async function show({ run }: Run, who: string): Promise<string> {
  const [account] = await run(`SELECT ${SHOWN} FROM accounts WHERE ${named(who)}`, "identity");
  if (!account) throw new Refusal(`There is no account ${who}.`);
  const ways = [
    account.signs_in_by_email && (account.has_password ? "password, link by mail" : "link by mail"),
    account.phone_number && "telephone",
    account.providers,
  ];
  const id = literal(String(account.local_id));
  const [user] = await run(`SELECT link_id, disabled_at FROM users WHERE identity_id = ${id}`);
  const lines = {
    id: account.local_id,
    address: account.email ? `${account.email} (${account.email_verified ? "proven" : "not proven"})` : "-",
    name: account.display_name ?? "-",
    telephone: account.phone_number ?? "-",
    "ways in": ways.filter(Boolean).join(", ") || "-",
    factors: account.factors ?? "-",
    claims: account.custom_claims ?? "-",
    profile: user ? `@${user.link_id}${user.disabled_at ? `, disabled since ${user.disabled_at}` : ""}` : "-",
    state: account.disabled ? "disabled" : "enabled",
    "signed in": `${account.open} ${account.open === 1 ? "browser" : "browsers"}, last ${account.last_sign_in_at ?? "never"}`,
    created: account.created_at,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name.padEnd(11)}${value}`)
    .join("\n");
}

/** Does the accounts' half of something. Gives false in production, where Firebase keeps the accounts. */
async function isDoneToAccount(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AccountsElsewhere) return false;
    throw error;
  }
}

/** The id of the account in both databases. Throws a Refusal where neither knows `who`. */
async function findIdentityId({ run }: Run, who: string): Promise<string> {
  let account: Record<string, unknown> | undefined;
  await isDoneToAccount(async () => {
    [account] = await run(`SELECT local_id AS id FROM accounts WHERE ${named(who)}`, "identity");
  });
  if (account) return String(account.id);
  const address = literal(who.normalize("NFC").toLowerCase());
  const [user] = await run(`SELECT identity_id AS id FROM users WHERE left_at IS NULL
    AND (identity_id = ${literal(who)} OR email = ${address} OR '@' || link_id = ${address})`);
  if (!user) throw new Refusal(`There is no account ${who}.`);
  return String(user.id);
}

/**
 * Takes an account out of use, or gives it back, in both databases. Disabling begins with the accounts: with no sign-in left nobody
 * completes a registration between the two. A half that fails stops the command, which says so; run again it does both.
 */
async function setDisabled({ run }: Run, who: string, is_disabled: boolean, now_ms: number): Promise<string> {
  const id = await findIdentityId({ run }, who);
  const now = literal(new Date(now_ms).toISOString());
  const halves = {
    account: () =>
      isDoneToAccount(() =>
        run(`UPDATE accounts SET disabled = ${is_disabled ? 1 : 0} WHERE local_id = ${literal(id)}`, "identity"),
      ),
    product: async () => {
      // The moment of the first time stays.
      const disabled_at = is_disabled ? `coalesce(disabled_at, ${now})` : "NULL";
      await run(`UPDATE users SET disabled_at = ${disabled_at} WHERE identity_id = ${literal(id)}`);
      return true;
    },
  };
  const order = is_disabled ? (["account", "product"] as const) : (["product", "account"] as const);
  const done: string[] = [];
  let is_kept_here = true;
  for (const half of order) {
    try {
      if (!(await halves[half]())) is_kept_here = false;
      done.push(half);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const so_far = done.length > 0 ? `The ${done[0]} is ${is_disabled ? "disabled" : "enabled"}, but the` : "The";
      throw new Refusal(`${so_far} ${half} could not be changed: ${reason}\nRun the command again.`, { cause: error });
    }
  }
  if (is_kept_here) return show({ run }, id);
  const [user] = await run(`SELECT link_id, disabled_at FROM users WHERE identity_id = ${literal(id)}`);
  const state = user?.disabled_at ? `disabled since ${user.disabled_at}` : "enabled";
  const word = is_disabled ? "Disable" : "Enable";
  return `@${user?.link_id} is ${state}.
${word} the account in Firebase's console as well (Authentication, Users): it decides who can sign in.`;
}

interface NewUser {
  email: string;
  display_name: string | null;
  email_verified: boolean;
  by_mail: boolean;
}

async function create({ run }: Run, user: NewUser, now_ms: number): Promise<string> {
  const { by_mail, ...known } = user;
  const password = by_mail ? null : await readPassword();
  if (password !== null) checked(() => checkNewPassword(password));
  const now = new Date(now_ms).toISOString();
  const local_id = newLocalId();
  const row = {
    ...accountRow({
      ...known,
      local_id,
      password_hash: await hashPassword(password ?? randomSecret()),
      created_at: now,
    }),
    ...(by_mail && { password_hash: null, password_updated_at: null }),
  };
  const values = Object.values(row).map((value) =>
    typeof value === "number" ? String(value) : literal(value ?? null),
  );
  const [made] = await run(
    `INSERT INTO accounts (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})
      ON CONFLICT (email) DO NOTHING RETURNING local_id`,
    "identity",
  );
  if (!made) throw new Refusal(`${user.email} has an account already.`);
  if (by_mail) await mailLink({ run }, local_id, user.email, now_ms);
  return `${await show({ run }, local_id)}${by_mail ? "\nA link to set the password was mailed." : ""}`;
}

const RESET_MS = 60 * 60 * 1000;

async function mailLink({ run }: Run, local_id: string, email: string, now_ms: number): Promise<void> {
  const { port } = readSettings();
  const { ACTION_URL = "" } = varsOf({ ACTION_URL: "" }, { port, world: "site" }, process.env);
  const code = randomSecret(32);
  const link = actionLink(ACTION_URL, "resetPassword", code);
  const copy = renderMail("reset_password", { link });
  const [now, end] = [now_ms, now_ms + RESET_MS].map((at_ms) => literal(new Date(at_ms).toISOString()));
  const [id, address] = [literal(local_id), literal(email)];
  await run(
    `INSERT INTO oob_codes (code_hash, request_type, local_id, email, expires_at, created_at)
      VALUES ('${await sha256Hex(code)}', 'PASSWORD_RESET', ${id}, ${address}, ${end}, ${now})`,
    "identity",
  );
  await run(
    `INSERT INTO mails (mail_id, local_id, recipient, subject, text, created_at)
      VALUES ('${newId(now_ms)}', ${id}, ${address}, ${literal(copy.subject)}, ${literal(copy.text)}, ${now})`,
    "identity",
  );
}

/** As the provider does it; the edge asks of every sign-in whether it was revoked. */
async function signOut({ run }: Run, who: string, now_ms: number): Promise<string> {
  const now = literal(new Date(now_ms).toISOString());
  const shown = await change({ run }, who, `valid_since = ${now}`);
  await run(
    `UPDATE sign_ins SET revoked_at = ${now} WHERE revoked_at IS NULL
      AND local_id IN (SELECT local_id FROM accounts WHERE ${named(who)})`,
    "identity",
  );
  return `${shown.split("\n", 1)[0]}\nSigned out everywhere.`;
}

/** The password, or whatever else they sign in by, is enough again. */
async function removeFactors({ run }: Run, who: string, now_ms: number): Promise<string> {
  const shown = await signOut({ run }, who, now_ms);
  const theirs = `local_id IN (SELECT local_id FROM accounts WHERE ${named(who)})`;
  await run(`DELETE FROM factors WHERE ${theirs}`, "identity");
  await run(`DELETE FROM recovery_codes WHERE ${theirs}`, "identity");
  return `${shown}\nNo second factor is asked for.`;
}

export const userSubject: Subject = {
  usage,
  read(args, now_ms) {
    const { values, positionals } = readOptions(args);
    const [action, who, json, ...more] = positionals;
    const given = Object.keys(values);
    if (who === undefined || more.length > 0 || (json !== undefined && action !== "claims")) throw new Refusal(usage);
    if (action === "create") {
      const { name = "", verified = false, mail = false, clear, ...rest } = values;
      if (clear || mail === Boolean(rest["password-stdin"])) throw new Refusal(usage);
      const user = checked(() => ({
        email: normaliseEmail(who),
        display_name: checkDisplayName(name),
        email_verified: verified,
        by_mail: mail,
      }));
      return (product) => create(product, user, now_ms);
    }
    if (action === "claims") {
      if ((json === undefined) !== Boolean(values.clear) || given.some((name) => name !== "clear"))
        throw new Refusal(usage);
      const breach = json === undefined ? null : claimsBreach(json);
      if (breach) throw new Refusal(breach);
      return (product) => change(product, who, `custom_claims = ${literal(json ?? null)}`);
    }
    if (given.length > 0) throw new Refusal(usage);
    if (action === "show") return (product) => show(product, who);
    if (action === "disable") return (product) => setDisabled(product, who, true, now_ms);
    if (action === "enable") return (product) => setDisabled(product, who, false, now_ms);
    if (action === "sign-out") return (product) => signOut(product, who, now_ms);
    if (action === "remove-factors") return (product) => removeFactors(product, who, now_ms);
    throw new Refusal(usage);
  },
};

function readOptions(args: string[]) {
  const options = {
    name: { type: "string" },
    verified: { type: "boolean" },
    mail: { type: "boolean" },
    clear: { type: "boolean" },
    "password-stdin": { type: "boolean" },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch {
    throw new Refusal(usage);
  }
}
