/** Tests how the folder of a site on one machine is made, and what its start refuses. */
import { spawnSync } from "node:child_process";
import { createECDH } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseEnv } from "node:util";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { settingsFile, storageFile, writeFolderRecord } from "../../scripts/data-folder.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import { listMigrations } from "../../scripts/migrations.ts";
import { readSecrets } from "../../scripts/secrets.ts";
import { descriptionFile, readSiteSettings } from "../../scripts/site/settings.ts";
import { readStatus } from "../../scripts/site/status.ts";
import { writeCertificate } from "../support/certificates.ts";

const place = mkdtempSync(join(tmpdir(), "ofuse-settings-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const description = JSON.parse(JSON.stringify(demoSite).replaceAll("（デモ）", "").replaceAll(".example", ".jp"));
const whole = { SITE_DOMAIN: "letters.test", TRUSTED_PROXIES: "127.0.0.1" };
const certificate = join(import.meta.dirname, "../mails/certificate.pem");
const key = join(import.meta.dirname, "../mails/key.pem");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(place, "site-"));
});

/** Writes a site folder, and returns the reasons why it is refused. */
function faultsOf(settings: Record<string, string>, said: object = description): string[] {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  writeFileSync(settingsFile(folder), lines.join("\n"));
  writeFileSync(descriptionFile(folder), JSON.stringify(said));
  try {
    readSiteSettings(folder);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n").slice(1);
  }
}

test("a whole folder is served at its domain, and says what is off", () => {
  expect(faultsOf(whole)).toEqual([]);
  const { origin, port, overrides, warnings } = readSiteSettings(folder);
  expect([origin, port]).toEqual(["https://letters.test", 8787]);
  expect(overrides).toMatchObject({
    SITE_ORIGIN: origin,
    ACTION_URL: `${origin}/signup/action`,
    LOCAL_CLIENT_ADDRESS: "",
  });
  expect(warnings).toEqual([expect.stringMatching(/^Mail is off/), expect.stringMatching(/^Money is off/)]);
});

test("a start names every fault at once, each in a sentence", () => {
  const faults = faultsOf(
    {
      SITE_DOMAIN: "https://letters.test",
      PORT: "0",
      SMTP_HOST: "smtp.test",
      STRIPE_SECRET_KEY: "sk_live_1",
      DEMO: "0",
    },
    { ...description, company_name: "" },
  );
  expect(faults.map((fault) => fault.replace(place, "").replace(/\/site-\w+/g, ""))).toEqual([
    "- /settings.env: there is no setting DEMO.",
    "- /site.json: company_name is empty.",
    '- SITE_DOMAIN "https://letters.test" is no public host name in small letters, without https:// and without a port.',
    expect.stringContaining("Neither TRUSTED_PROXIES nor TLS_CERTIFICATE is set"),
    '- PORT "0" is no port.',
    "- MAIL_END is empty, but SMTP_HOST is set: write MAIL_END=smtp or resend, or empty the others.",
    "- STRIPE_SECRET_KEY is set, but STRIPE_WEBHOOK_SECRET is empty: payments need both.",
  ]);
});

const maintenance = JSON.stringify({ status: "UNDER_MAINTENANCE", finished_at: "2026-12-01T20:00:00+09:00" });
const keys = createECDH("prime256v1");
const push = {
  WEB_PUSH_PUBLIC_KEY: keys.generateKeys("base64url"),
  WEB_PUSH_PRIVATE_KEY: keys.getPrivateKey("base64url"),
  WEB_PUSH_SUBJECT: "mailto:post@letters.test",
};
function anotherKey(): string {
  const other = createECDH("prime256v1");
  other.generateKeys();
  return other.getPrivateKey("base64url");
}

test("a start takes limits, a maintenance in quotes or without, and the keys of push notifications", () => {
  const limits = { SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "10", SIGN_UPS_PER_ADDRESS_HOUR: "100000" };
  expect(faultsOf({ ...whole, ...limits, ...push, MAINTENANCE: maintenance })).toEqual([]);
  expect(
    faultsOf({ ...whole, ...push, WEB_PUSH_SUBJECT: "https://letters.test/", MAINTENANCE: `'${maintenance}'` }),
  ).toEqual([]);
  expect(readSiteSettings(folder).overrides.MAINTENANCE).toBe(maintenance);
});

describe("a start is refused with", () => {
  const mail = { MAIL_END: "smtp", SMTP_HOST: "smtp.test", MAIL_FROM: "post@letters.test" };
  test.each([
    ["a domain that ends in a dot", { SITE_DOMAIN: "letters.jp." }, 'SITE_DOMAIN "letters.jp." is no public host name'],
    ["a domain with an empty part", { SITE_DOMAIN: "x..jp" }, 'SITE_DOMAIN "x..jp" is no public host name'],
    ["a domain that begins with a hyphen", { SITE_DOMAIN: "-x.jp" }, 'SITE_DOMAIN "-x.jp" is no public host name'],
    ["a domain with too long a part", { SITE_DOMAIN: `${"x".repeat(64)}.jp` }, "is no public host name"],
    ["the demo's outbox", { MAIL_END: "kept" }, "only for a demo"],
    ["half a mail server", { ...mail, SMTP_USER: "ofuse" }, "of SMTP_USER and SMTP_PASSWORD only one is set"],
    ["mail in the clear", { ...mail, SMTP_TLS: "off" }, "readable by everybody"],
    ["a pace of mails that is no number, also while mail is off", { MAILS_PER_SECOND: "x" }, 'MAILS_PER_SECOND "x"'],
    ["mail from nobody", { ...mail, MAIL_FROM: "" }, "MAIL_FROM"],
    ["webhooks of Stripe without its key", { STRIPE_WEBHOOK_SECRET: "whsec_1" }, "STRIPE_SECRET_KEY is empty"],
    ["a publishable key", { STRIPE_SECRET_KEY: "pk_live_1", STRIPE_WEBHOOK_SECRET: "whsec_1" }, "is no secret key"],
    ["a proxy without an address", { TRUSTED_PROXIES: "127.0.0.1,caddy" }, '"caddy" is no IP address'],
    ["a proxy that cannot reach it", { TRUSTED_PROXIES: "10.0.0.5" }, "names no address of this machine"],
    ["a proxy and a TLS port", { TLS_CERTIFICATE: certificate, TLS_KEY: key }, "are both set"],
    ["half a certificate", { TRUSTED_PROXIES: "", TLS_CERTIFICATE: certificate }, "TLS_KEY is empty"],
    [
      "another's certificate",
      { TRUSTED_PROXIES: "", TLS_CERTIFICATE: certificate, TLS_KEY: key },
      "is not for letters.test",
    ],
    ["a missing certificate", { TRUSTED_PROXIES: "", TLS_CERTIFICATE: "no.pem", TLS_KEY: key }, "cannot be read"],
    ["a limit that is no number", { SIGN_IN_FAILURES_PER_ACCOUNT_HOUR: "x" }, 'SIGN_IN_FAILURES_PER_ACCOUNT_HOUR "x"'],
    ["a limit of nothing", { MAILS_PER_ADDRESS_HOUR: "0" }, "is not a whole number from 1"],
    ["a limit below nothing", { MAILS_PER_RECIPIENT_HOUR: "-1" }, "is not a whole number from 1"],
    ["half a sign-up", { SIGN_UPS_PER_ADDRESS_HOUR: "5.5" }, "is not a whole number from 1"],
    ["maintenance in a word", { MAINTENANCE: "yes" }, 'MAINTENANCE "yes" states nothing'],
    ["maintenance in quotes that end early", { MAINTENANCE: `"${maintenance}"` }, 'MAINTENANCE "{" states nothing'],
    ["a short key of push notifications", { ...push, WEB_PUSH_PUBLIC_KEY: "abc" }, "are no pair of keys"],
    ["the key of another pair", { ...push, WEB_PUSH_PRIVATE_KEY: anotherKey() }, "are no pair of keys"],
    ["push notifications of nobody", { ...push, WEB_PUSH_SUBJECT: "me" }, 'WEB_PUSH_SUBJECT "me" is neither'],
    ["half the keys of push notifications", { WEB_PUSH_PUBLIC_KEY: "x" }, "WEB_PUSH_PRIVATE_KEY and WEB_PUSH_SUBJECT"],
  ])("%s", (_, settings, sentence) => {
    const faults = faultsOf({ ...whole, ...settings });
    expect(faults).toEqual([expect.stringContaining(sentence)]);
  });

  test("the demo's legal notice", () => {
    const faults = faultsOf(whole, demoSite);
    expect(faults).toContain(`- ${descriptionFile(folder)}: company_name contains the placeholder （デモ）.`);
    expect(faults.filter((fault) => !fault.includes("contains the placeholder"))).toEqual([]);
  });

  test("data whose secrets are lost or damaged, with the same way back", () => {
    const way_back =
      /put back the copy you keep of it\. Without one, docs\/operations\.md, "Backup and restore", step 2, says what to do\.$/i;
    mkdirSync(join(folder, "v3"));
    expect(faultsOf(whole)).toEqual([expect.stringMatching(way_back)]);
    writeFileSync(join(folder, "secrets.json"), "{");
    expect(faultsOf(whole)).toEqual([expect.stringMatching(way_back)]);
    expect(() => readSecrets(folder)).toThrow(way_back);
  });

  test("a secret whose name or form is wrong, beside the other faults", () => {
    const { BANK_KEYS: BANK_KEY, ...others } = readSecrets(folder);
    writeFileSync(join(folder, "secrets.json"), JSON.stringify({ ...others, BANK_KEY, MEDIA_KEY: "short" }));
    expect(faultsOf({ ...whole, PORT: "0" })).toEqual([
      expect.stringContaining('PORT "0"'),
      expect.stringContaining('there is no secret "BANK_KEY". Write BANK_KEYS.'),
      expect.stringContaining("MEDIA_KEY has fewer than 32 characters"),
    ]);
  });

  test("a demo's data", () => {
    writeFolderRecord(folder, { world: "demo", is_made: true });
    expect(faultsOf(whole)).toEqual([expect.stringContaining("holds a demo world")]);
  });
});

test("the status names a damaged backup and a damaged clock in sentences", () => {
  expect(faultsOf(whole)).toEqual([]);
  const backup = join(folder, "backups", "2026-11-25T18-30-00Z");
  for (const made of [join(folder, "v3"), backup]) mkdirSync(made, { recursive: true });
  for (const file of [join(backup, "manifest.json"), join(folder, "clock.json")]) writeFileSync(file, "null");
  const told = readStatus(folder, Date.now()).faults;
  expect(told).toContain(`There is no backup of the last two days in ${join(folder, "backups")}.`);
  writeFileSync(join(folder, "clock.json"), '{ "ofuse-api');
  expect(readStatus(folder, Date.now()).faults).toEqual(told);
});

test("the status complains of a certificate in its last two weeks", () => {
  const [certificate_file, key_file] = [join(folder, "own.pem"), join(folder, "own.key")];
  writeCertificate("letters.test", { certificate_file, key_file });
  const own = { TRUSTED_PROXIES: "", TLS_CERTIFICATE: certificate_file, TLS_KEY: key_file };
  expect(faultsOf({ ...whole, ...own })).toEqual([]);
  const DAY_MS = 86_400_000;
  const toldIn = (days: number) => readStatus(folder, Date.now() + days * DAY_MS).faults.join();
  expect(readStatus(folder, Date.now()).facts).toContainEqual(["certificate", expect.stringMatching(/^until \d{4}-/)]);
  expect(toldIn(15)).not.toContain("certificate");
  expect(toldIn(17)).toContain("The certificate ends on ");
});

/** Makes a database of the folder that has had all its migrations, and the tables that the status reads. */
function makeDatabase(name: "api" | "identity"): void {
  mkdirSync(dirname(storageFile(folder, name)), { recursive: true });
  const database = new DatabaseSync(storageFile(folder, name));
  database.exec(`BEGIN;
    CREATE TABLE d1_migrations (name TEXT);
    CREATE TABLE outbox (created_at TEXT, processed_at TEXT)`);
  for (const migration of listMigrations(name)) {
    database.prepare("INSERT INTO d1_migrations VALUES (?)").run(migration);
  }
  database.exec("COMMIT");
  database.close();
}

test("the status of a restored folder does not miss what the next start makes", () => {
  readSecrets(folder);
  for (const name of ["api", "identity"] as const) makeDatabase(name);
  expect(faultsOf(whole)).toEqual([]);
  const { facts, faults } = readStatus(folder, Date.now());
  expect(faults).toEqual([
    expect.stringContaining("The site is not served."),
    expect.stringContaining("There is no backup of the last two days"),
  ]);
  const made = "search made by the next start, mails made by the next start";
  expect(facts).toContainEqual(["migrations", expect.stringContaining(made)]);
  writeFileSync(storageFile(folder, "search"), "no database at all, however long it may be read");
  const told = readStatus(folder, Date.now()).faults;
  expect(told).toContain("The search index is damaged: restart the site, which makes it again.");
  rmSync(storageFile(folder, "identity"));
  expect(readStatus(folder, Date.now()).faults.join()).toContain(`${storageFile(folder, "identity")} is missing`);
});

describe("npm run site:new", () => {
  const makeSite = (target: string) => {
    const flags = {
      folder: target,
      domain: "letters.test",
      operator: "封野文庫",
      "operator-mail": "hello@letters.test",
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    const env = { ...process.env, STRIPE_SECRET_KEY: "sk_live_1", STRIPE_WEBHOOK_SECRET: `a "secret" \\n #` };
    return spawnSync(process.execPath, ["scripts/site-new.ts", ...args], { env, encoding: "utf8" });
  };

  test("makes a folder that only its owner reads, whose start says what is missing", () => {
    const made = join(folder, "サイト a");
    const command = expect.stringContaining(`npm run site -- '${made}'\n`);
    expect(makeSite(made)).toMatchObject({ status: 0, stderr: "", stdout: command });
    const modeOf = (file: string) => statSync(file).mode & 0o777;
    const files = readdirSync(made).map((name) => join(made, name));
    expect(files.length).toBe(4);
    for (const file of files) expect(modeOf(file), file).toBe(statSync(file).isDirectory() ? 0o700 : 0o600);
    expect(modeOf(made)).toBe(0o700);
    expect(parseEnv(readFileSync(settingsFile(made), "utf8")).STRIPE_WEBHOOK_SECRET).toBe(`a "secret" \\n #`);
    expect(() => readSiteSettings(made)).toThrow(
      /notice.address is empty.*notice.phone is empty.*STRIPE_WEBHOOK_SECRET/s,
    );
  });

  test("overwrites nothing", () => {
    const file = join(folder, "site.json");
    writeFileSync(file, "{}");
    expect(makeSite(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining("is not empty") });
    expect([readFileSync(file, "utf8"), existsSync(settingsFile(folder))]).toEqual(["{}", false]);
  });

  test("says in a sentence that it cannot write", () => {
    writeFileSync(join(folder, "file"), "");
    const { status, stderr } = makeSite(join(folder, "file", "site"));
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^The folder cannot be written: a part of its path is a file \(ENOTDIR, .*\)\.\n$/),
    ]);
  });
});
