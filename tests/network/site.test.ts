/** A site on one machine, as its reverse proxy reaches it: docs/decisions/0052. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { load } from "cheerio";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import routes from "../../app/routes.ts";
import { settingsFile, storageFile } from "../../scripts/data-folder.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import { freePort } from "../../scripts/network.ts";
import { siteAt } from "../../scripts/operator/site.ts";
import { readCommand } from "../../scripts/operator.ts";
import { routePatterns } from "../../scripts/pages.ts";
import { isAlive, workerdsOf } from "../../scripts/processes.ts";
import { recordClock } from "../../scripts/site/clock-record.ts";
import { descriptionFile, readSiteSettings } from "../../scripts/site/settings.ts";
import { type RunningSite, startSite } from "../../scripts/site/start.ts";
import { readStatus } from "../../scripts/site/status.ts";
import { runStep } from "../../scripts/steps.ts";
import { getMaintenanceRecord } from "../../workers/contract/operator.ts";
import { documentedCommands, fillIn, npmScriptOf } from "../support/operations.ts";
import { waitUntil } from "../support/wait.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "ofuse-site-"));
const DOMAIN = "letters.test";
const ORIGIN = `https://${DOMAIN}`;

/** Ends a test that hangs. These start programs and whole sites one after the other. */
const SLOW_MS = 240_000;

let port: number;
let site: RunningSite;
/** The processes of networks that other files of this test's process keep running. */
const others = new Set(workerdsOf().map(({ pid }) => pid));

beforeAll(async () => {
  port = await freePort();
  const description = JSON.stringify(demoSite).replaceAll("（デモ）", "").replaceAll(".example", ".jp");
  mkdirSync(folder, { recursive: true });
  writeFileSync(descriptionFile(folder), description);
  const limits = "SIGN_IN_FAILURES_PER_ADDRESS_10_MIN=3";
  writeFileSync(settingsFile(folder), `SITE_DOMAIN=${DOMAIN}\nTRUSTED_PROXIES=127.0.0.1\nPORT=${port}\n${limits}\n`);
  site = await startSite(readSiteSettings(folder), { has_pictures: false });
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Asked {
  method?: string;
  form?: Record<string, string>;
  /** What the proxy says of the client. */
  forwarded_for?: string;
  host?: string;
  /** The address that connects. */
  from?: string;
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** Sends a request as the reverse proxy does, which `fetch` cannot: it names another host. */
function ask(path: string, { method, form, forwarded_for = "203.0.113.1", host = DOMAIN, from }: Asked = {}) {
  const body = form && new URLSearchParams(form).toString();
  const headers = {
    host,
    "x-forwarded-for": forwarded_for,
    "x-forwarded-proto": "https",
    ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN }),
  };
  return new Promise<Answer>((done, failed) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method: method ?? (form ? "POST" : "GET"),
      headers,
      localAddress: from,
    };
    const sent = request(options, async (response) => {
      let text = "";
      for await (const piece of response.setEncoding("utf8")) text += piece;
      done({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

const sourceOf = (file: string) => readFileSync(join(root, file), "utf8");
const filesOf = (dir: string) =>
  readdirSync(join(root, dir), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(dir, file));

/** The addresses that the sources of the demo's helpers name. */
function demoRoads(): string[] {
  const pages = routes.filter(({ file }) => file.startsWith("routes/dev/"));
  const named = [
    ...filesOf("workers/gateway"),
    ...filesOf("workers/identity/developer"),
    "workers/identity/provider/routes.ts",
  ].flatMap((file) =>
    [
      ...sourceOf(file).matchAll(
        /["`]((?:\$\{(?:PAGES|HELPERS)\}|\/v1\/|\/emulator\/|\/developer-idp\/)[^"`\s]*)["`]/g,
      ),
    ].map(([, path = ""]) =>
      path.replace(/^\$\{PAGES\}/, "/payment-gateway").replace(/^\$\{HELPERS\}/, "/v1/test_helpers/"),
    ),
  );
  const patterns = [...routePatterns(pages), ...named];
  return [
    ...new Set(patterns.map((pattern) => pattern.replace(/:project_id/, "ofuse-site").replace(/:\w+|\$\{.*?\}/g, "x"))),
  ];
}

describe("no demo road", () => {
  test("answers in a site", async () => {
    const roads = demoRoads();
    for (const known of ["/dev/outbox", "/styleguide", "/v1/customers", "/emulator/v1/projects/ofuse-site/mails"]) {
      expect(roads).toContain(known);
    }
    expect(roads.length).toBeGreaterThan(40);
    const open: string[] = [];
    for (const road of roads) {
      const [read, written] = await Promise.all([ask(road), ask(road, { form: { x: "1" } })]);
      if (read.status !== 404 || ![404, 405].includes(written.status))
        open.push(`${road} ${read.status} ${written.status}`);
    }
    expect(open).toEqual([]);
  });

  test("is behind a question that this test does not know", () => {
    const asking = ["workers", "app"]
      .flatMap(filesOf)
      .filter((file) => !file.endsWith(".d.ts") && !file.startsWith("workers/gateway/"))
      .filter((file) =>
        /\b(?:isDemo|isDemoProject|mayEmbedGateway|readOutbox)\(|\bedgeContext\)\.is_demo\b/.test(sourceOf(file)),
      );
    expect(asking.sort(), "add its address to demoRoads, or show that it has none").toEqual(
      [
        // Addresses of demoRoads.
        "app/routes/dev/mail.ts",
        "app/routes/dev/outbox.tsx",
        "app/routes/dev/styleguide.tsx",
        "workers/identity/index.ts",
        "workers/identity/provider/routes.ts",
        // Links to them.
        "app/routes/my/settings/email.tsx",
        "app/routes/signup/register-email.tsx",
        "app/routes/login/reset.tsx",
        "app/routes/signup/sent.tsx",
        // Sign-in by a stand-in of another provider, mails that are kept, and what a page says.
        "workers/identity/deployment.ts",
        "workers/identity/operator/first.ts",
        "workers/identity/provider/federated.ts",
        "workers/mails/deployment.ts",
        "workers/verifier/deployment.ts",
        "workers/web/deployment.ts",
        "workers/web/edge.ts",
      ].sort(),
    );
  });

  test("is offered where people sign in, pay or register to be paid", async () => {
    const login = await ask("/login");
    expect(login.text).not.toMatch(/login\/with|login\/phone|dev\/outbox/);
    expect((await ask("/login/phone")).status).toBe(404);
    expect((await ask("/transactions")).text).toContain("いまお金のやりとりを受け付けていません");
  });
});

describe("the front", () => {
  test("believes only the trusted proxy, and only about the site's own host", async () => {
    const page = await ask("/help");
    expect([page.status, page.headers["strict-transport-security"]]).toEqual([200, "max-age=31536000"]);
    expect((await ask("/help", { host: "elsewhere.test" })).status).toBe(421);
    const direct = await ask("/help", { from: "127.0.0.2" });
    expect([direct.status, direct.headers.location]).toEqual([308, `${ORIGIN}/help`]);
  });

  test("is the only way in, but for the operators' command", async () => {
    expect((await fetch(`${site.network.url}/help`)).status).toBe(421);
    const operator = siteAt(site.network.url, site.network.secrets.OPERATOR_KEY, "test");
    expect(await operator.call(getMaintenanceRecord, {})).toMatchObject({ started_at: null });
  });
});

test("the status names what is wrong, and nothing else", () => {
  const now_ms = Date.now();
  expect(readStatus(folder, now_ms).faults.map((fault) => fault.split(/[ ,:]/, 5).join(" "))).toEqual([
    "There is no backup of",
    "The clock of ofuse-api has",
    "The clock of ofuse-identity has",
    "The clock of ofuse-mails has",
  ]);
});

test("a backup of the served site can be restored, and the status then finds nothing wrong", {
  timeout: SLOW_MS,
}, async () => {
  const run = async (script: string, ...args: string[]) => {
    const path = join("scripts", script);
    const { passed, output } = await runStep(path, process.execPath, [path, ...args], { env: { SITE_FOLDER: folder } });
    expect(passed, output).toBe(true);
    return output;
  };
  const backups = join(folder, "backups");
  expect(await run("backup.ts", "--to", backups, "--keep", "7d,4w,12m")).toContain("Every file was read back");
  const [made = ""] = readdirSync(backups);
  expect(await run("restore.ts", "--drill", join(backups, made))).toContain("the books hold");
  for (const worker of ["ofuse-api", "ofuse-identity", "ofuse-mails"]) recordClock(folder, worker);
  const identity = new DatabaseSync(storageFile(folder, "identity"));
  identity.exec("INSERT INTO clock_runs VALUES ('purgeExpired', '2026-11-01', 1, 1, '2026-11-01')");
  expect(readStatus(folder, Date.now()).faults).toEqual([
    "The clock of ofuse-identity has not done purgeExpired for 15 minutes: look at the log of the site.",
  ]);
  identity.exec("DELETE FROM clock_runs");
  identity.close();
  expect(await run("site-status.ts", folder)).toMatch(
    /^address +https:\/\/letters\.test$.*^served +yes$.*^outbox +empty$/ms,
  );
});

describe("the first operator", () => {
  const PATH = "/operator/first";
  const form = { name: "封野 手紙", email: "hana@letters.test", password: "correct horse battery" };

  test("guesses a few times from one address, whatever the client says of itself", async () => {
    const guess = (forwarded_for: string) => ask(PATH, { form: { ...form, key: "wrong" }, forwarded_for });
    const [first] = [
      await guess("1.0.0.1, 203.0.113.7"),
      await guess("1.0.0.2, 203.0.113.7"),
      await guess("203.0.113.7"),
    ];
    expect(first.status).toBe(422);
    expect(load(first.text)("#first-operator-key-error").text()).toContain("キーが正しくありません");
    expect(load(first.text)("[name=name]").val()).toBe(form.name);
    expect((await guess("1.0.0.3, 203.0.113.7")).status).toBe(429);
    expect((await guess("203.0.113.8")).status).toBe(422);
  });

  test("registers once, with the key of the start, and is led to the second factor", async () => {
    const page = await ask(PATH);
    expect([page.status, page.headers["cache-control"]]).toEqual([200, "private, no-store"]);
    expect(load(page.text)("meta[name=robots]").attr("content")).toContain("noindex");
    const key = site.first_operator_key ?? "";
    expect(Buffer.from(key, "base64url").length * 8).toBeGreaterThanOrEqual(128);
    const answers = await Promise.all(
      ["hana", "taro"].map((name) => ask(PATH, { form: { ...form, email: `${name}@letters.test`, key } })),
    );
    const made = answers.find(({ status }) => status === 303);
    // The other found the key used, or the page gone.
    expect(answers.filter((answer) => answer !== made && [404, 422].includes(answer.status))).toHaveLength(1);
    expect(made?.headers.location).toBe(`/signup/registration?to=${encodeURIComponent("/my/settings/factors")}`);
    expect((await ask(PATH)).status).toBe(404);

    const winner = answers[0]?.status === 303 ? "hana" : "taro";
    const signed_in = await site.network.miniflare.getWorker("ofuse-identity").then((identity) =>
      identity.fetch(
        `http://identity.internal/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${site.network.secrets.IDENTITY_API_KEY}`,
        {
          method: "POST",
          body: JSON.stringify({ email: `${winner}@letters.test`, password: form.password, returnSecureToken: true }),
        },
      ),
    );
    const { idToken } = (await signed_in.json()) as { idToken: string };
    expect(decodeJwt(idToken)).toMatchObject({ operator: winner, email_verified: true });
  });
});

test("a workerd that hangs is replaced", { timeout: SLOW_MS }, async () => {
  const of_site = workerdsOf().filter(({ pid }) => !others.has(pid));
  for (const { pid } of of_site) process.kill(pid, "SIGSTOP");
  try {
    await waitUntil(() => expect(of_site.filter(isAlive)).toEqual([]), 110_000);
  } finally {
    for (const { pid } of of_site.filter(isAlive)) process.kill(pid, "SIGCONT");
  }
  expect(of_site).toHaveLength(1);
  await waitUntil(async () => expect((await ask("/login")).status).toBe(200));
});

// After the first operator: one of the commands makes another.
test("every operators' command of docs/operations.md works on a site, or names an id that is missing", async () => {
  const reached = siteAt(site.network.url, site.network.secrets.OPERATOR_KEY, "test");
  const ran: { command: string; refusal: string | null }[] = [];
  for (const documented of documentedCommands()) {
    const { script, args: written } = npmScriptOf(documented) ?? { script: "", args: [] };
    // The password would come from the standard input: tests/scripts/operator-user.test.ts.
    const args = fillIn(written).map((arg) => (arg === "--password-stdin" ? "--mail" : arg));
    if (script !== "operator" || args.length === 0) continue;
    const refusal = await readCommand(args)
      .act(reached)
      .then(
        () => null,
        (error: Error) => error.message,
      );
    ran.push({ command: args.join(" "), refusal });
  }
  expect(ran.length).toBeGreaterThan(30);
  const [open, whole] = [true, false].map((is_open) =>
    ran.filter(({ command }) => /\b(?:01m8ad3pfzt26gsd9qfp75y0b5|pi_1)\b/.test(command) === is_open),
  );
  // This site takes no payments, so there is no gateway to compare with.
  const asksGateway = ({ command }: (typeof ran)[number]) => command.includes("money unknown");
  expect(whole?.filter((each) => each.refusal !== null && !asksGateway(each))).toEqual([]);
  const unavailable = whole?.filter(asksGateway).map(({ refusal }) => refusal?.includes("(payments_unavailable,"));
  expect(new Set(unavailable)).toEqual(new Set([true]));
  expect(open?.filter(({ refusal }) => !/\(not_found|There is no (?:report|payment)/.test(refusal ?? ""))).toEqual([]);
});
