/** `npm run operator -- user ...`: people's accounts. */
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { NAME_GRAPHEMES } from "../../workers/contract/bounds.ts";
import {
  type AccountAnswer,
  createAccount,
  findAccount,
  removeAccountFactors,
  setAccountClaims,
  setAccountDisabled,
  signOutAccount,
} from "../../workers/contract/operator.ts";
import { claimsBreach } from "../../workers/identity/provider/custom-claims.ts";
import { Refusal as IdentityRefusal } from "../../workers/identity/provider/refusal.ts";
import { checkDisplayName, checkNewPassword, normaliseEmail } from "../../workers/identity/provider/rules.ts";
import { Refusal } from "../refusal.ts";
import { CallRefused, type Site } from "./site.ts";
import type { Subject } from "./subject.ts";

const usage = `user create <address> [--name <name>] [--verified] --password-stdin | --mail
user show <who>
user disable <who> | enable <who>                  disabled, an account is signed out everywhere, can do nothing, and what it
                                                   published is absent for everybody until it is enabled
user sign-out <who>                                everywhere
user remove-factors <who>                          for an owner who lost them; verify the person first; also signs out everywhere
user claims <who> <JSON object> | --clear          what its tokens carry besides, from the next one on
  <who>              the address, the @link_id, or one of the two ids of an account
  --password-stdin   the password is the first line of the standard input; it is never an argument
  --mail             a link to set one is mailed, good for an hour
  --verified         the address is known to be theirs`;

type Reached = Pick<Site, "call">;

/** Reads the password from the first line of the standard input, as `docker login` does. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) throw new Refusal("Give the password on the standard input: user create ... < file");
  return (await text(process.stdin)).split(/\r?\n/, 1)[0] ?? "";
}

/** Sentences for the provider's refusals that have none. */
const SENTENCES: Readonly<Record<string, string>> = {
  INVALID_EMAIL: "The address of an account is a mail address, such as hana@example.jp",
  INVALID_DISPLAY_NAME: `A name is one line of at most ${NAME_GRAPHEMES} characters`,
};

/** Rethrows a refusal by one of the provider's rules as a sentence, which the command prints. */
function checkRule<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof IdentityRefusal)) throw error;
    const [code = "", sentence = SENTENCES[code] ?? code] = error.message.split(" : ");
    throw new Refusal(`${sentence}.`);
  }
}

const KEPT_ELSEWHERE = "In production Firebase keeps the accounts: use its console.";

/** Rethrows a refused call with a sentence that names the account. */
export const rethrowNaming =
  (who: string) =>
  (error: unknown): never => {
    const code = error instanceof CallRefused ? error.code : "";
    if (code === "not_found") throw new Refusal(`There is no account ${who}.`);
    if (code === "email_taken") throw new Refusal(`${who} has an account already.`);
    if (code === "accounts_kept_elsewhere") throw new Refusal(KEPT_ELSEWHERE);
    throw error;
  };

const findUser = ({ call }: Reached, who: string) => call(findAccount, { query: { who } }).catch(rethrowNaming(who));

/** Describes an account, one field a line. */
function describeAccount({ uid, is_kept_by_us, account, profile }: AccountAnswer): string {
  if (!account) throw new Refusal(is_kept_by_us ? `There is no account ${uid}.` : KEPT_ELSEWHERE);
  const ways = [
    account.signs_in_by_email && (account.has_password ? "password, link by mail" : "link by mail"),
    account.phone_number && "telephone",
    ...account.providers,
  ];
  const lines = {
    id: uid,
    address: account.email ? `${account.email} (${account.is_email_verified ? "proven" : "not proven"})` : "-",
    name: account.name ?? "-",
    telephone: account.phone_number ?? "-",
    "ways in": ways.filter(Boolean).join(", ") || "-",
    factors: account.factors.join(", ") || "-",
    claims: account.claims === null ? "-" : JSON.stringify(account.claims),
    profile: profile
      ? `@${profile.link_id}${profile.disabled_at ? `, disabled since ${profile.disabled_at}` : ""}`
      : "-",
    state: account.is_disabled ? "disabled" : "enabled",
    "signed in": `${account.sign_ins_count} ${account.sign_ins_count === 1 ? "browser" : "browsers"}, last ${account.last_sign_in_at ?? "never"}`,
    created: account.created_at,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name.padEnd(11)}${value}`)
    .join("\n");
}

async function setDisabled(site: Reached, who: string, is_disabled: boolean): Promise<string> {
  const { uid } = await findUser(site, who);
  const answer = await site
    .call(setAccountDisabled, { params: { uid }, body: { is_disabled } })
    .catch(rethrowNaming(who));
  if (answer.is_kept_by_us) return describeAccount(answer);
  const { link_id, disabled_at } = answer.profile ?? {};
  return `@${link_id} is ${disabled_at ? `disabled since ${disabled_at}` : "enabled"}.
${is_disabled ? "Disable" : "Enable"} the account in Firebase's console as well (Authentication, Users): it decides who can sign in.`;
}

/** What an unproven account carries may be a stranger's, so the first proof of its address removes it (decisions/0018). */
const UNPROVEN_PASSWORD = `
Warning: the address is not proven, and its first proof removes this password. Create the account with --verified if the
address is known to be theirs, or with --mail, so that they set a password themselves.`;
const UNPROVEN_CLAIMS = `
Warning: the address is not proven. Its first proof replaces the account by one without these claims, unless it comes from
the browser that signed up. Let them prove it first, by a link that is mailed to them (/login/reset), and run this again.`;

const NO_FACTOR = `
Warning: the account has no second factor, and is no operator before it has one: /my/settings/factors.`;

interface NewUser {
  email: string;
  name: string;
  is_email_verified: boolean;
  by_mail: boolean;
}

async function createUser({ call }: Reached, { by_mail, ...user }: NewUser): Promise<string> {
  const password = by_mail ? null : await readPassword();
  if (password !== null) checkRule(() => checkNewPassword(password));
  const made = await call(createAccount, { body: { ...user, password } }).catch(rethrowNaming(user.email));
  const warning = user.is_email_verified ? "" : UNPROVEN_PASSWORD;
  return `${describeAccount(made)}${by_mail ? "\nA link to set the password was mailed." : warning}`;
}

/** Calls an operation on one account, and returns the account after it. */
async function actOnUser(
  site: Reached,
  who: string,
  operation: typeof signOutAccount | typeof removeAccountFactors,
): Promise<AccountAnswer> {
  const { uid } = await findUser(site, who);
  return site.call(operation, { params: { uid }, body: {} }).catch(rethrowNaming(who));
}

async function signOut(site: Reached, who: string): Promise<string> {
  const { uid } = await actOnUser(site, who, signOutAccount);
  return `${"id".padEnd(11)}${uid}\nSigned out everywhere.`;
}

async function removeFactors(site: Reached, who: string): Promise<string> {
  const { uid } = await actOnUser(site, who, removeAccountFactors);
  return `${"id".padEnd(11)}${uid}\nSigned out everywhere.\nNo second factor is asked for.`;
}

async function setClaims(site: Reached, who: string, claims: Record<string, unknown> | null): Promise<string> {
  const { uid } = await findUser(site, who);
  const answer = await site.call(setAccountClaims, { params: { uid }, body: { claims } }).catch(rethrowNaming(who));
  const is_lost = claims !== null && answer.account?.email && !answer.account.is_email_verified;
  const lacks_factor = claims?.operator !== undefined && answer.account?.factors.length === 0;
  return `${describeAccount(answer)}${is_lost ? UNPROVEN_CLAIMS : ""}${lacks_factor ? NO_FACTOR : ""}`;
}

export const userSubject: Subject = {
  usage,
  read(args) {
    const { values, positionals } = readOptions(args);
    const [action, who, json, ...more] = positionals;
    const given = Object.keys(values);
    if (who === undefined || more.length > 0 || (json !== undefined && action !== "claims")) throw new Refusal(usage);
    if (action === "create") {
      const { name = "", verified = false, mail = false, clear, ...rest } = values;
      if (clear || mail === Boolean(rest["password-stdin"])) throw new Refusal(usage);
      const user = checkRule(() => ({
        email: normaliseEmail(who),
        name: checkDisplayName(name) ?? "",
        is_email_verified: verified,
        by_mail: mail,
      }));
      return (site) => createUser(site, user);
    }
    if (action === "claims") {
      if ((json === undefined) !== Boolean(values.clear) || given.some((name) => name !== "clear"))
        throw new Refusal(usage);
      const breach = json === undefined ? null : claimsBreach(json);
      if (breach) throw new Refusal(breach);
      const claims = json === undefined ? null : (JSON.parse(json) as Record<string, unknown>);
      return (site) => setClaims(site, who, claims);
    }
    if (given.length > 0) throw new Refusal(usage);
    if (action === "show") return async (site) => describeAccount(await findUser(site, who));
    if (action === "disable") return (site) => setDisabled(site, who, true);
    if (action === "enable") return (site) => setDisabled(site, who, false);
    if (action === "sign-out") return (site) => signOut(site, who);
    if (action === "remove-factors") return (site) => removeFactors(site, who);
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
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`);
  }
}
