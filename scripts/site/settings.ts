/** The settings of a site on one machine: `settings.env` and `site.json` in its folder. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { readMailSettings } from "../../workers/mails/deployment.ts";
import { readSite } from "../../workers/web/site.ts";
import { isSiteFolder, readFolderRecord, settingsFile } from "../data-folder.ts";
import { demoSite } from "../demo-site.ts";
import { isPublicOrigin } from "../deploy-config.ts";
import type { Overrides } from "../local-vars.ts";
import { Refusal } from "../refusal.ts";
import { secretFaults } from "../secrets.ts";
import { limitFaults, limitNames, maintenanceFaults, pushFaults, pushNames, watchFaults } from "../setting-rules.ts";

export const descriptionFile = (folder: string) => join(folder, "site.json");

/** The settings of the entrance (scripts/site/front.ts). The workers do not get them. */
const entranceNames = ["SITE_DOMAIN", "PORT", "TRUSTED_PROXIES", "TLS_CERTIFICATE", "TLS_KEY"] as const;
const mailNames = [
  "MAIL_FROM",
  "MAIL_FROM_NAME",
  "SMTP_HOST",
  "SMTP_PORT",
  "SMTP_USER",
  "SMTP_PASSWORD",
  "SMTP_TLS",
  "RESEND_API_KEY",
  "RESEND_WEBHOOK_SECRET",
] as const;
/** Settings that mean nothing while MAIL_END is empty. The others have defaults, or are kept for later. */
const mailEndNames = ["SMTP_HOST", "SMTP_USER", "SMTP_PASSWORD", "RESEND_API_KEY", "RESEND_WEBHOOK_SECRET"] as const;
const stripeNames = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"] as const;
const watchNames = ["METRICS_KEY", "LOG_LEVEL"] as const;
const workerNames = [
  "MAIL_END",
  "MAILS_PER_SECOND",
  "MAINTENANCE",
  ...mailNames,
  ...stripeNames,
  ...pushNames,
  ...limitNames,
  ...watchNames,
] as const;

type Name = (typeof entranceNames | typeof workerNames)[number];
type Values = Partial<Record<Name, string>>;
const knownNames: ReadonlySet<string> = new Set([...entranceNames, ...workerNames]);

/** How requests reach the site: through a reverse proxy on this machine, or on a TLS port of its own. */
export type Entrance =
  | { kind: "proxy"; trusted: readonly string[] }
  | { kind: "tls"; certificate_file: string; key_file: string };

export interface SiteSettings {
  folder: string;
  /** The address that people use: `https://letters.example`. */
  origin: string;
  port: number;
  entrance: Entrance;
  /** The values that the workers get in place of a demo's. */
  overrides: Overrides;
  /** Sentences for the start about features that work only in part. */
  warnings: string[];
}

const LOOPBACK = ["127.0.0.1", "::1"];
const TLS_PORT = 443;
const PROXIED_PORT = 8787;

/** Returns the settings, and a sentence for each fault. The settings may be used only when there is none. */
function checkSettings(folder: string): { settings: SiteSettings; faults: string[] } {
  const faults: string[] = [];
  const file = settingsFile(folder);
  const values: Values = parseEnv(readFileSync(file, "utf8"));
  for (const name of Object.keys(values)) {
    if (!knownNames.has(name)) faults.push(`${file}: there is no setting ${name}`);
  }
  const given = (name: Name): string => values[name]?.trim() ?? "";
  const description = existsSync(descriptionFile(folder)) ? readFileSync(descriptionFile(folder), "utf8") : "";
  // An empty field also breaks its other rules: the first of them says enough.
  const breaches = Map.groupBy(readSite(description, "production").breaches, (breach) => breach.split(" ", 2)[1]);
  for (const [breach = ""] of breaches.values()) faults.push(breach.replace(/^SITE\b/, descriptionFile(folder)));
  const domain = given("SITE_DOMAIN");
  if (domain === "") faults.push("SITE_DOMAIN is empty: the host name that people use, such as letters.example.jp");
  else if (!isPublicOrigin(`https://${domain}`)) {
    faults.push(`SITE_DOMAIN "${domain}" is no public host name in small letters, without https:// and without a port`);
  }
  const entrance = readEntrance(folder, domain, given, faults);
  const port = readPort(given("PORT"), entrance, faults);
  const origin = `https://${domain}${entrance.kind === "tls" && port !== TLS_PORT ? `:${port}` : ""}`;
  faults.push(...mailFaults(values, given, origin), ...stripeFaults(given));
  // The rules also name settings that a site does not have.
  const set = (name: string) => given(name as Name) || undefined;
  faults.push(...[limitFaults, maintenanceFaults, pushFaults, watchFaults].flatMap((faultsOf) => faultsOf(set)));
  faults.push(...folderFaults(folder));
  const overrides: Overrides = {
    ...Object.fromEntries(workerNames.filter((name) => given(name) !== "").map((name) => [name, given(name)])),
    SITE: description,
    SITE_ORIGIN: origin,
    ACTION_URL: `${origin}/signup/action`,
    // The front names the client of each request.
    LOCAL_CLIENT_ADDRESS: "",
  };
  return { settings: { folder, origin, port, entrance, overrides, warnings: warningsOf(given) }, faults };
}

function readEntrance(folder: string, domain: string, given: (name: Name) => string, faults: string[]): Entrance {
  const [certificate, key] = [given("TLS_CERTIFICATE"), given("TLS_KEY")];
  const trusted = given("TRUSTED_PROXIES")
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
  if (certificate === "" && key === "") {
    if (trusted.length === 0) {
      faults.push(
        "Neither TRUSTED_PROXIES nor TLS_CERTIFICATE is set: name the address of the reverse proxy (127.0.0.1 on this machine), or a certificate and its key",
      );
    }
    for (const address of trusted) {
      if (isIP(address) === 0) faults.push(`TRUSTED_PROXIES: "${address}" is no IP address`);
    }
    // The site listens there only. A proxy elsewhere would get a redirect for every request.
    if (trusted.length > 0 && !trusted.some((address) => address.startsWith("127."))) {
      faults.push("TRUSTED_PROXIES names no address of this machine (127.0.0.1), from which the proxy connects");
    }
    return { kind: "proxy", trusted };
  }
  const files = { certificate_file: resolve(folder, certificate), key_file: resolve(folder, key) };
  if (trusted.length > 0) {
    faults.push(
      "TRUSTED_PROXIES and TLS_CERTIFICATE are both set: the site is behind a proxy, or has its own TLS port",
    );
  } else if (certificate === "" || key === "") {
    faults.push(`${certificate === "" ? "TLS_CERTIFICATE" : "TLS_KEY"} is empty: a TLS port needs both files`);
  } else faults.push(...certificateFaults(files, domain));
  return { kind: "tls", ...files };
}

/** Returns a sentence for each reason why browsers would refuse a certificate, or a server could not use it. */
export function certificateFaults(files: { certificate_file: string; key_file: string }, domain: string): string[] {
  const read = (file: string): { content: Buffer } | { fault: string } => {
    try {
      return { content: readFileSync(file) };
    } catch (error) {
      return { fault: `${file} cannot be read: ${error instanceof Error ? error.message : error}` };
    }
  };
  const [certificate, key] = [read(files.certificate_file), read(files.key_file)];
  if ("fault" in certificate || "fault" in key) {
    return [certificate, key].flatMap((each) => ("fault" in each ? [each.fault] : []));
  }
  try {
    const checked = new X509Certificate(certificate.content);
    return [
      ...(checked.checkPrivateKey(createPrivateKey(key.content))
        ? []
        : [`${files.key_file} is not the key of ${files.certificate_file}`]),
      ...(domain === "" || checked.checkHost(domain) ? [] : [`${files.certificate_file} is not for ${domain}`]),
      ...(checked.validToDate > new Date() ? [] : [`${files.certificate_file} expired on ${checked.validTo}`]),
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    return [`${files.certificate_file} or ${files.key_file} is no PEM file of a certificate and its key: ${why}`];
  }
}

/** Returns when a certificate expires. The settings have checked its file. */
export function certificateEnd(certificate_file: string): Date {
  return new X509Certificate(readFileSync(certificate_file)).validToDate;
}

function readPort(text: string, entrance: Entrance, faults: string[]): number {
  const port = text === "" ? (entrance.kind === "tls" ? TLS_PORT : PROXIED_PORT) : Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) faults.push(`PORT "${text}" is no port`);
  return port;
}

function mailFaults(values: Values, given: (name: Name) => string, origin: string): string[] {
  if (given("MAIL_END") === "") {
    const half = mailEndNames.filter((name) => given(name) !== "");
    if (half.length > 0) {
      return [
        `MAIL_END is empty, but ${half.join(" and ")} is set: write MAIL_END=smtp or resend, or empty the others`,
      ];
    }
  }
  const defaults = {
    MAIL_END: "",
    MAIL_FROM: "",
    MAILS_PER_SECOND: "10",
    SMTP_HOST: "",
    SMTP_PORT: "587",
    SMTP_USER: "",
    SMTP_TLS: "",
  };
  const named = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  // The description has been checked already.
  const checked = { ...defaults, ...named, SITE: JSON.stringify(demoSite), SITE_ORIGIN: origin };
  // A mail must not leave this machine unencrypted.
  const is_here = ["localhost", ...LOOPBACK].includes(given("SMTP_HOST"));
  const deployed = { ...checked, ENVIRONMENT: is_here ? "local" : "production", PROJECT_ID: "ofuse-site" };
  return readMailSettings(deployed as unknown as MailsEnv).breaches;
}

function stripeFaults(given: (name: Name) => string): string[] {
  const [key, secret] = [given("STRIPE_SECRET_KEY"), given("STRIPE_WEBHOOK_SECRET")];
  if (key === "" && secret === "") return [];
  return [
    ...(key === "" ? ["STRIPE_WEBHOOK_SECRET is set, but STRIPE_SECRET_KEY is empty: payments need both"] : []),
    ...(secret === "" ? ["STRIPE_SECRET_KEY is set, but STRIPE_WEBHOOK_SECRET is empty: payments need both"] : []),
    ...(key === "" || /^[sr]k_(live|test)_\w+$/.test(key)
      ? []
      : ["STRIPE_SECRET_KEY is no secret key of Stripe (sk_live_... or rk_live_...)"]),
    ...(secret === "" || secret.split(",").every((each) => /^whsec_\S+$/.test(each.trim()))
      ? []
      : ["STRIPE_WEBHOOK_SECRET is no signing secret of Stripe (whsec_..., several with commas)"]),
  ];
}

function folderFaults(folder: string): string[] {
  if (readFolderRecord(folder)?.world === "demo") {
    return [`${folder} holds a demo world, whose people have a published password: it cannot become a site`];
  }
  return secretFaults(folder);
}

function warningsOf(given: (name: Name) => string): string[] {
  return [
    ...(given("MAIL_END") === ""
      ? [
          "Mail is off: mails wait in the database until MAIL_END is set. Until then nobody can confirm a new account or reset a password.",
        ]
      : []),
    ...(given("STRIPE_SECRET_KEY") === ""
      ? ["Money is off: nobody can pay or register to be paid, and the pages say so. Free letters work."]
      : []),
    ...(/^[sr]k_test_/.test(given("STRIPE_SECRET_KEY"))
      ? ["STRIPE_SECRET_KEY is a test key: no real money moves."]
      : []),
  ];
}

/**
 * Reads and checks the settings of a site folder.
 *
 * @throws Refusal with one sentence for each fault.
 */
export function readSiteSettings(folder: string): SiteSettings {
  if (!isSiteFolder(folder)) {
    throw new Refusal(`There is no ${settingsFile(folder)}. Make a site folder first: npm run site:new`);
  }
  const { settings, faults } = checkSettings(folder);
  if (faults.length > 0) {
    throw new Refusal([`The site in ${folder} is not started:`, ...faults.map((fault) => `- ${fault}.`)].join("\n"));
  }
  return settings;
}
