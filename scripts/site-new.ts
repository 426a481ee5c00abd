/** `npm run site:new`: makes the folder of a site on one machine, from answers or flags. Overwrites nothing. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import example from "../deploy/site.example.json" with { type: "json" };
import { settingsFile } from "./data-folder.ts";
import { Refusal, reportFailure } from "./refusal.ts";
import { readSecrets } from "./secrets.ts";
import { quoteForShell } from "./shell.ts";
import { descriptionFile } from "./site/settings.ts";

interface Question {
  /** The flag, and the name of the answer. */
  name: keyof Answers;
  hint: string;
  /** The answer when nothing is typed. Without it the question must be answered. */
  otherwise?: string;
  /** Asked only when this holds. */
  when?: (answers: Partial<Answers>) => boolean;
  /** A secret is never a flag, which other users of the machine could see: it is asked, or in this variable. */
  variable?: string;
}

interface Answers {
  folder: string;
  domain: string;
  "site-name": string;
  operator: string;
  "operator-mail": string;
  address: string;
  phone: string;
  "smtp-host": string;
  "smtp-port": string;
  "smtp-user": string;
  "smtp-password": string;
  "mail-from": string;
  "stripe-secret-key": string;
  "stripe-webhook-secret": string;
  "trusted-proxies": string;
  "tls-certificate": string;
  "tls-key": string;
  port: string;
}

const questions: readonly Question[] = [
  { name: "folder", hint: "the folder to make, such as /srv/ofuse" },
  { name: "domain", hint: "the host name that people use, such as letters.example.jp" },
  { name: "site-name", hint: "the name that mails come from", otherwise: "ofuse" },
  { name: "operator", hint: "who runs the site, as the commercial-law notice names them (company or person)" },
  { name: "operator-mail", hint: "the address at which people reach them" },
  { name: "address", hint: "their postal address, for the notice", otherwise: "" },
  { name: "phone", hint: "their telephone number, for the notice", otherwise: "" },
  { name: "smtp-host", hint: "the server that takes mails (empty: none yet, mails wait)", otherwise: "" },
  { name: "smtp-port", hint: "its port: 587 or 465", otherwise: "587", when: hasMail },
  { name: "smtp-user", hint: "the user there", otherwise: "", when: hasMail },
  {
    name: "smtp-password",
    hint: "the password there",
    otherwise: "",
    when: (answers) => Boolean(answers["smtp-user"]),
    variable: "SMTP_PASSWORD",
  },
  { name: "mail-from", hint: "the address that mails come from", when: hasMail },
  {
    name: "stripe-secret-key",
    hint: "Stripe's secret key, sk_live_... (empty: money is off)",
    otherwise: "",
    variable: "STRIPE_SECRET_KEY",
  },
  {
    name: "stripe-webhook-secret",
    hint: "Stripe's signing secret of webhooks, whsec_...",
    otherwise: "",
    when: (answers) => Boolean(answers["stripe-secret-key"]),
    variable: "STRIPE_WEBHOOK_SECRET",
  },
  {
    name: "trusted-proxies",
    hint: "the addresses of the reverse proxy, with commas; none for a TLS port of the site's own",
    otherwise: "127.0.0.1",
  },
  { name: "tls-certificate", hint: "the file of the certificate with its chain (PEM)", when: hasNoProxy },
  { name: "tls-key", hint: "the file of its key (PEM)", when: hasNoProxy },
  { name: "port", hint: "the port to listen on (empty: 8787 behind a proxy, else 443)", otherwise: "" },
];

function hasMail(answers: Partial<Answers>): boolean {
  return Boolean(answers["smtp-host"]);
}

function hasNoProxy(answers: Partial<Answers>): boolean {
  return answers["trusted-proxies"] === "none";
}

const usage = `site:new [flags]   asks for what no flag says
${questions.map(({ name, hint, variable }) => `  ${(variable ? `${variable}=` : `--${name}`).padEnd(24)} ${hint}`).join("\n")}
  Values after a name with = are variables of the environment: a flag would show them to other users of the machine.`;

/** Throws a Refusal with the usage for flags that it does not know. */
export function readFlags(args: string[]): Partial<Answers> {
  try {
    const flags = questions.filter(({ variable }) => !variable).map(({ name }) => [name, { type: "string" }] as const);
    const { values } = parseArgs({ args, options: Object.fromEntries(flags) });
    const secrets = questions.flatMap(({ name, variable }) => {
      const value = variable && process.env[variable];
      return value ? [[name, value] as const] : [];
    });
    return { ...values, ...Object.fromEntries(secrets) } as Partial<Answers>;
  } catch {
    throw new Refusal(usage);
  }
}

/** Asks on a terminal. Reads line by line, so that several pasted lines answer several questions. */
class Asker {
  readonly #terminal = createInterface({ input: process.stdin, output: process.stdout });
  readonly #lines = this.#terminal[Symbol.asyncIterator]();

  async ask(question: string): Promise<string> {
    this.#terminal.setPrompt(question);
    this.#terminal.prompt();
    const { value, done } = await this.#lines.next();
    if (done) throw new Refusal("\nNothing was made.");
    return String(value).trim();
  }

  close(): void {
    this.#terminal.close();
  }
}

/** Without a terminal takes what may be left out, and refuses with the names of the rest. */
async function answerAll(given: Partial<Answers>): Promise<Answers> {
  const answers = { ...given };
  const asker = process.stdin.isTTY ? new Asker() : null;
  const missing: string[] = [];
  for (const { name, hint, otherwise, when = () => true } of questions) {
    if (answers[name] !== undefined) continue;
    if (!when(answers)) answers[name] = "";
    else if (asker) {
      const question = `${hint}${otherwise ? ` [${otherwise}]` : ""}: `;
      do answers[name] = (await asker.ask(question)) || (otherwise ?? "");
      while (answers[name] === "" && otherwise === undefined);
    } else if (otherwise === undefined) missing.push(`--${name}   ${hint}`);
    else answers[name] = otherwise;
  }
  asker?.close();
  if (missing.length > 0)
    throw new Refusal(`These flags are missing:\n${missing.map((each) => `  ${each}`).join("\n")}`);
  return answers as Answers;
}

/** Returns a line of settings.env. Quotes a value that the file could misread: nothing is special in single quotes. */
function line(name: string, value: string): string {
  if (/[\n\r]/.test(value) || /'.*["\\]|["\\].*'/.test(value)) {
    throw new Refusal(`${name} may hold no line break, and not ' together with " or \\.`);
  }
  if (/^[\w@.,:/+-]*$/.test(value)) return `${name}=${value}`;
  return value.includes("'") ? `${name}="${value}"` : `${name}='${value}'`;
}

function settingsText(answers: Answers): string {
  const has_proxy = !hasNoProxy(answers);
  const folderFile = (file: string) => (file === "" ? "" : resolve(file));
  return `# The settings of this site: docs/operations.md, "One machine". Readable by its owner only.
# "npm run site" reads this file, and no variable of the environment.

# The host name that people use.
${line("SITE_DOMAIN", answers.domain)}

# The reverse proxy on this machine, and any before it, by address. Only their X-Forwarded-For and X-Forwarded-Proto count.
${line("TRUSTED_PROXIES", has_proxy ? answers["trusted-proxies"] : "")}
# Or a TLS port of the site's own: the certificate with its chain, and its key (PEM).
${line("TLS_CERTIFICATE", folderFile(answers["tls-certificate"]))}
${line("TLS_KEY", folderFile(answers["tls-key"]))}
# Empty: 8787 behind a proxy, 443 with a certificate.
${line("PORT", answers.port)}

# How mails leave: smtp, resend, or empty (they wait). docs/operations.md, "Mail".
${line("MAIL_END", answers["smtp-host"] ? "smtp" : "")}
${line("MAIL_FROM", answers["mail-from"])}
${line("MAIL_FROM_NAME", answers["site-name"])}
${line("SMTP_HOST", answers["smtp-host"])}
${line("SMTP_PORT", answers["smtp-port"])}
${line("SMTP_USER", answers["smtp-user"])}
${line("SMTP_PASSWORD", answers["smtp-password"])}

# Stripe's keys. Both empty: money is off. docs/operations.md, "Payments".
${line("STRIPE_SECRET_KEY", answers["stripe-secret-key"])}
${line("STRIPE_WEBHOOK_SECRET", answers["stripe-webhook-secret"])}
`;
}

function descriptionText(answers: Answers): string {
  const { domain, operator, address, phone } = answers;
  const notice = {
    ...example.notice,
    seller: operator,
    manager: operator,
    address,
    phone,
    email: answers["operator-mail"],
  };
  const revised_on = new Date(Date.now() + 9 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const description = { ...example, company_name: operator, company_url: `https://${domain}/`, notice, revised_on };
  return `${JSON.stringify(description, null, 2)}\n`;
}

async function makeFolder(): Promise<void> {
  const answers = await answerAll(readFlags(process.argv.slice(2)));
  const folder = resolve(answers.folder);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Refusal(`${folder} is not empty, and nothing in it is overwritten. Choose another folder.`);
  }
  const texts = [
    [settingsFile(folder), settingsText(answers)],
    [descriptionFile(folder), descriptionText(answers)],
  ] as const;
  process.umask(0o077);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  mkdirSync(join(folder, "backups"), { mode: 0o700 });
  for (const [file, text] of texts) writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  readSecrets(folder);
  console.log(`Made ${folder}: settings.env, site.json, secrets.json, backups/.

Next:
  1. Read ${descriptionFile(folder)} and fill in what is empty: it is the commercial-law notice (特定商取引法に基づく表記).
  2. Keep copies of settings.env, site.json and secrets.json in a safe place. Backups leave them out.
  3. Set up the proxy: deploy/Caddyfile.example or deploy/nginx.example.conf.
  4. npm run site -- ${quoteForShell(folder)}
     It says what is still missing, and prints the key of the first operator.
  5. To start it with the machine: deploy/ofuse.service.example. docs/operations.md, "One machine", has every step.`);
}

if (import.meta.main) {
  try {
    if (process.argv.includes("--help")) console.log(usage);
    else await makeFolder();
  } catch (error) {
    reportFailure("The folder", error);
  }
}
