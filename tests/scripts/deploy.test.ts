import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEMO_PASSWORD } from "../../scripts/demo/seed.ts";
import { demoSite } from "../../scripts/demo-site.ts";
import {
  type DeployState,
  type DeployStep,
  deploySteps,
  describeFailure,
  refusalsOf,
  runSteps,
  writeSecrets,
} from "../../scripts/deploy.ts";
import {
  type DeploySettings,
  describeWorker,
  readDeployment,
  readDeploySettings,
} from "../../scripts/deploy-config.ts";
import type { RunWrangler } from "../../scripts/deploy-migrations.ts";
import { listMigrations, migrationsFolder } from "../../scripts/migrations.ts";
import { runStep, type StepResult } from "../../scripts/steps.ts";

const account: DeploySettings & { SITE: string } = {
  PROJECT_ID: "ofuse-live",
  API_DATABASE_ID: "6ad0d2a5-1e0c-4d7a-9b0e-0a5a3a6a0001",
  SEARCH_DATABASE_ID: "6ad0d2a5-1e0c-4d7a-9b0e-0a5a3a6a0003",
  IDENTITY_DATABASE_ID: "6ad0d2a5-1e0c-4d7a-9b0e-0a5a3a6a0002",
  MAILS_DATABASE_ID: "6ad0d2a5-1e0c-4d7a-9b0e-0a5a3a6a0005",
  SITE_DOMAIN: "ofuse.example",
  V4_ORIGIN: "",
  SITE: JSON.stringify({
    ...demoSite,
    company_name: "株式会社オフセ",
    company_url: "https://www.ofuse-company.jp/",
    siblings: [],
    notice: {
      ...demoSite.notice,
      seller: "株式会社オフセ",
      manager: "封野 手紙",
      address: "東京都千代田区1-2-3",
      email: "support@ofuse-company.jp",
    },
  }),
};
/** No account is reached, whatever credentials this machine has. */
const nowhere = { CLOUDFLARE_API_TOKEN: "", CLOUDFLARE_ACCOUNT_ID: "", HTTPS_PROXY: "http://127.0.0.1:9" };
const run = (args: string[], settings: Record<string, string>) =>
  runStep("deploy", process.execPath, ["scripts/deploy.ts", ...args], { env: { ...nowhere, ...settings } });

/** Returns the names that a file sets, one a line. */
const namesIn = (text: string) => [...text.matchAll(/^([A-Z][A-Z0-9_]*) *=/gm)].map(([, name]) => name ?? "");
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

describe("the settings of an account", () => {
  const settings = Object.keys(readDeploySettings({})).filter((name) => name !== "SITE");
  /** The variables of deployed workers that no account sets. */
  const fixed = new Set<string>([
    "ENVIRONMENT",
    // Google's addresses, and the page of the embedded provider.
    ...["JWKS_URL", "IDENTITY_TOOLKIT_URL", "SECURE_TOKEN_URL", "ACTION_URL"],
    "LOCAL_CLIENT_ADDRESS",
    // Made of SITE_DOMAIN, and read from deploy/site.json.
    ...["SITE_ORIGIN", "SITE"],
  ]);
  const isLimit = (name: string) => /_PER_.*(HOUR|MIN)$/.test(name);

  test("include every variable of the deployed workers that is not the same everywhere", () => {
    const folders = [
      "",
      ...["api", "identity", "mails", "pictures", "radio", "share-images"].map((at) => `workers/${at}/`),
    ];
    const vars = folders.flatMap((folder) => {
      const [, table = ""] = read(`${folder}wrangler.toml`).split(/^\[vars\]$/m);
      return namesIn(table.split(/^\[/m)[0] ?? "");
    });
    expect(vars).toContain("SMTP_TLS");
    expect(vars.filter((name) => !settings.includes(name) && !fixed.has(name) && !isLimit(name))).toEqual([]);
  });

  test("are those of deploy/production.env.example, and docs/operations.md names those of mails", () => {
    expect(namesIn(read("deploy/production.env.example")).toSorted()).toEqual(settings.toSorted());
    const [, mail = ""] = read("docs/operations.md").split(/^## Mail$/m);
    const table = mail.slice(0, mail.indexOf("\n\n", mail.indexOf("| `MAIL_END`")));
    const named = [...table.matchAll(/(?<!secret )`([A-Z_]+)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(settings.filter((name) => /^(MAILS?|SMTP)_(?!DATABASE)/.test(name)).toSorted());
  });
});

describe("a dry run", () => {
  const outdir = mkdtempSync(join(tmpdir(), "ofuse-dry-run-"));
  let step: StepResult;
  beforeAll(async () => {
    step = await run(["--dry-run", "--outdir", outdir], account);
  });
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));

  /** Returns a worker's bundle, all modules concatenated. */
  const bundleOf = (worker: string) =>
    readdirSync(join(outdir, worker), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js"))
      .map((file) => readFileSync(join(outdir, worker, file), "utf8"))
      .join("\n");

  test("runs every step in the order of a deployment", () => {
    expect(step.passed, step.output).toBe(true);
    const taken = [...step.output.matchAll(/^(ok|skip|FAIL) +(ofuse-[\w-]+ \w+)/gm)].map(
      ([, how, what]) => `${how} ${what}`,
    );
    expect(taken).toEqual([
      "skip ofuse-mails migrations",
      "ok ofuse-mails worker",
      "skip ofuse-identity migrations",
      "ok ofuse-identity worker",
      "ok ofuse-pictures worker",
      "ok ofuse-radio worker",
      "skip ofuse-api migrations",
      "skip ofuse-api migrations",
      "ok ofuse-api worker",
      "ok ofuse-share-images worker",
      "ok ofuse-web worker",
    ]);
    expect(step.output).toContain("ofuse-api --remote --file, for each missing of workers/api/storage/migrations");
    expect(step.output).toContain("ofuse-search --remote --file, for each missing of workers/api/search/migrations");
  });

  test("binds each worker to what it needs, and the web worker to no storage", () => {
    const [, mails, identity, pictures, radio, api, share_images, web] = step.output
      .split(/^ofuse-(?:mails|identity|pictures|radio|api|share-images|web)$/m)
      .map((part) =>
        part
          .split("\n")
          .filter((line) => line.startsWith("      "))
          .map((line) => line.trim().replace(/ +/g, " "))
          .filter((line) => !line.startsWith("Total")),
      );
    expect(mails).toEqual([
      "project ofuse-live",
      "mail off: mails wait until MAIL_END is set",
      `database DB = ofuse-mails (${account.MAILS_DATABASE_ID})`,
      "cron * * * * *",
    ]);
    expect(identity).toEqual([
      "project ofuse-live",
      `database DB = ofuse-identity (${account.IDENTITY_DATABASE_ID})`,
      "service MAILS = ofuse-mails",
      "object SIGN_OUT_WATCH = SignOutWatch",
      "cron * * * * *",
      "secret IDENTITY_API_KEY",
      "secret PIB_API_KEY",
      "secret ENCRYPTION_KEY",
      "secret OPERATOR_KEY",
    ]);
    expect(api).toEqual([
      "project ofuse-live",
      `database DB = ofuse-api (${account.API_DATABASE_ID})`,
      `database SEARCH = ofuse-search (${account.SEARCH_DATABASE_ID})`,
      "bucket MEDIA = ofuse-media",
      "service IDENTITY = ofuse-identity",
      "service PICTURES = ofuse-pictures",
      "service MAILS = ofuse-mails",
      "service RADIO = ofuse-radio",
      "object NOTIFICATION_ROOM = NotificationRoom",
      "object RADIO_CHAT_ROOM = RadioChatRoom",
      "object OVERLAY_ROOM = OverlayRoom",
      "cron * * * * *",
      "secret BANK_KEYS",
      "secret MEDIA_KEY",
      "secret OPERATOR_KEY",
    ]);
    expect(pictures).toEqual([]);
    expect(radio).toEqual(["bucket MEDIA = ofuse-media", "object RADIO_SOUND = RadioSound", "secret RADIO_KEY"]);
    expect(share_images).toEqual([]);
    expect(web).toEqual([
      "project ofuse-live",
      "/v4 by service binding",
      "service API = ofuse-api",
      "service IDENTITY = ofuse-identity",
      "service MAILS = ofuse-mails",
      "service RADIO = ofuse-radio",
      "service SHARE_IMAGES = ofuse-share-images",
      "object RENEWALS = Renewals",
      "watch socket",
      "domain ofuse.example",
      "secret SESSION_KEYS",
      "secret IDENTITY_API_KEY",
    ]);
  });

  test("serves the site only under its own domain", () => {
    const web = readDeployment(account).at(-1)?.config;
    const [, , pictures, , , images] = readDeployment(account).map(({ config }) => config);
    expect(web).toMatchObject({ workers_dev: false, routes: [{ pattern: "ofuse.example", custom_domain: true }] });
    expect(images).toMatchObject({ name: "ofuse-share-images", workers_dev: false });
    expect(pictures).toMatchObject({ name: "ofuse-pictures", workers_dev: false });
    expect(images?.routes).toBeUndefined();
    expect(pictures?.routes).toBeUndefined();
  });

  test("reports page views only to the log, unless a dataset or a tag is named", () => {
    const webOf = (settings: object) => readDeployment({ ...account, ...settings }).at(-1);
    const plain = webOf({});
    expect(plain?.config.analytics_engine_datasets ?? []).toEqual([]);
    expect(plain?.config.vars.TAG_ID).toBe("");
    const telling = webOf({ EVENTS_DATASET: "ofuse_events", TAG_ID: "G-TEST" });
    expect(telling?.config.analytics_engine_datasets).toEqual([{ binding: "EVENTS", dataset: "ofuse_events" }]);
    expect(telling && describeWorker(telling)).toEqual(
      expect.arrayContaining(["dataset  EVENTS = ofuse_events", "tag      G-TEST"]),
    );
  });

  test("bundles workers that fit the smallest plan, except the one with fonts, which needs the paid plan", () => {
    const sizes = [...step.output.matchAll(/gzip: ([\d.]+) KiB/g)].map(([, kib]) => Number(kib));
    expect(sizes).toHaveLength(7);
    // The lowest limit so far is 3 MB after compression, 10 MB on a paid plan. Source: Cloudflare Workers, "Limits",
    // "Worker size".
    for (const [index, kib] of sizes.entries()) expect(kib).toBeLessThan((index === 5 ? 10_000_000 : 3_000_000) / 1024);
  });

  test("bundles neither demo data nor tests", () => {
    const bundle = bundleOf("ofuse-web");
    expect(bundle).toContain("クリエイター");
    for (const foreign of [DEMO_PASSWORD, "demo.example", "飛ばないテント", "vitest", "playwright", "miniflare"]) {
      expect(bundle.includes(foreign), foreign).toBe(false);
    }
    expect(bundle).not.toMatch(/#region (?:scripts|tests|e2e)\//);
  });
});

describe("a deployment is refused", () => {
  const fit: DeployState = {
    changes: "",
    is_build_current: true,
    deployment: readDeployment(account),
    contract_breaches: [],
    secrets: null,
  };
  const all_secrets = [
    "IDENTITY_API_KEY",
    "PIB_API_KEY",
    "ENCRYPTION_KEY",
    "BANK_KEYS",
    "MEDIA_KEY",
    "OPERATOR_KEY",
    "RADIO_KEY",
    "SESSION_KEYS",
  ];
  const withAccount = (change: Partial<typeof account>) => readDeployment({ ...account, ...change });
  const withVars = (vars: Record<string, string>) =>
    readDeployment(account).map((worker) => ({
      ...worker,
      config: { ...worker.config, vars: { ...worker.config.vars, ...vars } },
    }));

  test("not at all when everything is right", () => {
    expect(refusalsOf(fit)).toEqual([]);
    expect(refusalsOf({ ...fit, secrets: all_secrets })).toEqual([]);
  });

  test.each<[string, Partial<DeployState>, RegExp]>([
    ["of a tree with changes", { changes: " M app/root.tsx\n" }, /not committed:\n M app\/root\.tsx$/],
    ["of a build of other sources", { is_build_current: false }, /npm run build/],
    ["without a project", { deployment: withAccount({ PROJECT_ID: "" }) }, /ofuse-web: project id ""/],
    ["of a demo project", { deployment: withAccount({ PROJECT_ID: "demo-x" }) }, /ofuse-api: project id "demo-x"/],
    [
      "without the API's database",
      { deployment: withAccount({ API_DATABASE_ID: "" }) },
      /ofuse-api: the database ofuse-api/,
    ],
    [
      "without the index",
      { deployment: withAccount({ SEARCH_DATABASE_ID: "" }) },
      /ofuse-api: the database ofuse-search/,
    ],
    [
      "without identity's database",
      { deployment: withAccount({ IDENTITY_DATABASE_ID: "" }) },
      /ofuse-identity: the data/,
    ],
    ["without the mails' database", { deployment: withAccount({ MAILS_DATABASE_ID: "" }) }, /ofuse-mails: the data/],
    ["with a demo's mails", { deployment: withAccount({ MAIL_END: "kept" }) }, /ofuse-mails: MAIL_END is "kept"/],
    [
      "with a mail server but no sender",
      { deployment: withAccount({ MAIL_END: "smtp", SMTP_HOST: "smtp.example.jp" }) },
      /ofuse-mails: MAIL_FROM "" is no address/,
    ],
    ["of a site nobody runs", { deployment: withAccount({ SITE: "" }) }, /ofuse-web: SITE is missing/],
    [
      "of the demo's site",
      { deployment: withAccount({ SITE: JSON.stringify(demoSite) }) },
      /ofuse-web: SITE: company_name contains the placeholder （デモ）/,
    ],
    [
      "without a telephone number",
      { deployment: withAccount({ SITE: account.SITE.replace(demoSite.notice.phone, " ") }) },
      /ofuse-web: SITE: notice\.phone is empty/,
    ],
    [
      "with a variable that Cloudflare does not take",
      { deployment: withAccount({ SITE: account.SITE.replace(demoSite.notice.price, "あ".repeat(1700)) }) },
      /ofuse-mails: SITE has \d{4} bytes, and Cloudflare takes 5000 in one variable: shorten it/,
    ],
    [
      "with a domain that ends in a dot",
      { deployment: withAccount({ SITE_DOMAIN: "ofuse.example." }) },
      /SITE_DOMAIN "ofuse\.example\." is no/,
    ],
    [
      "with a limit that is no number",
      { deployment: withVars({ SIGN_UPS_PER_ADDRESS_HOUR: "x" }) },
      /ofuse-identity: SIGN_UPS_PER_ADDRESS_HOUR "x" is not a whole number/,
    ],
    ["without a domain", { deployment: withAccount({ SITE_DOMAIN: "" }) }, /ofuse-web: SITE_DOMAIN is empty/],
    ["that calls itself local", { deployment: withVars({ ENVIRONMENT: "local" }) }, /ENVIRONMENT is "local"/],
    [
      "with the embedded provider",
      { deployment: withVars({ SECURE_TOKEN_URL: "http://identity.internal" }) },
      /embedded/,
    ],
    [
      "with another provider, which would get every password",
      { deployment: withVars({ IDENTITY_TOOLKIT_URL: "https://emulator.example/identitytoolkit.googleapis.com" }) },
      /ofuse-web: "https:\/\/emulator\.example.*is not an identity provider/,
    ],
    [
      "with the keys of the embedded provider",
      { deployment: withVars({ JWKS_URL: "http://identity.internal/keys" }) },
      /ofuse-identity: JWKS must come/,
    ],
    ["with keys from elsewhere", { deployment: withVars({ JWKS_URL: "https://keys.example" }) }, /JWKS must come/],
    ["of a contract that takes something away", { contract_breaches: ["getUser: the operation is gone"] }, /getUser/],
    ["with a secret missing", { secrets: all_secrets.slice(1) }, /no IDENTITY_API_KEY/],
  ])("%s", (_what, change, sentence) => {
    expect(refusalsOf({ ...fit, ...change })).toContainEqual(expect.stringMatching(sentence));
  });

  test("not for the white space of deploy/site.json, which does not count", () => {
    const SITE = `${" ".repeat(5000)}${JSON.stringify(JSON.parse(account.SITE), null, 2)}\n`;
    const settings = { ...account, SITE: readDeploySettings({ SITE }).SITE ?? "" };
    expect(settings.SITE).toBe(account.SITE);
    expect(refusalsOf({ ...fit, deployment: readDeployment(settings) })).toEqual([]);
    expect(readDeploySettings({ SITE: "no JSON" }).SITE).toBe("no JSON");
  });

  // Values that a shell or a file may keep from local runs, and other spellings of a local address.
  test.each([
    "http://api.example.com",
    "https://localhost:8787",
    "https://api.localhost",
    "https://api.internal.",
    "https://api.example.com.",
    "https://api..example.com",
    "https://-api.example.com",
    "https://api_1.example.com",
    "https://api",
    "https://127.1",
    "https://192.168.0.7",
    "https://[::1]",
    "https://[fd00::7]",
    "https://somebody@api.example.com",
    "https://api.example.com/v4",
    "api.example.com",
  ])("with members' tokens for %s", (V4_ORIGIN) => {
    const sentence = `ofuse-web: V4_ORIGIN "${V4_ORIGIN}" is not the https origin of a public host. See deploy/production.env.example.`;
    expect(refusalsOf({ ...fit, deployment: withAccount({ V4_ORIGIN }) })).toEqual([sentence]);
  });

  test("not for a remote API or a missing domain if both are asked for, and mentions both", () => {
    const deployment = withAccount({ V4_ORIGIN: "https://api.example.com", SITE_DOMAIN: "none" });
    expect(refusalsOf({ ...fit, deployment })).toEqual([]);
    const web = deployment.at(-1);
    expect(web?.config).toMatchObject({ workers_dev: true, vars: { V4_ORIGIN: "https://api.example.com" } });
    expect(web?.config.routes).toBeUndefined();
    const said = deployment.flatMap(describeWorker).join("\n");
    expect(said).toContain("/v4      https://api.example.com");
    expect(said).toContain("domain   ofuse-web.<account>.workers.dev: no copies of visitors' pages are kept there");
  });

  test("by the command itself, before anything is sent", async () => {
    const { passed, output } = await run([], { ...account, PROJECT_ID: "demo-ofuse" });
    expect(passed).toBe(false);
    expect(output).toContain('ofuse-web: project id "demo-ofuse" is not a production project');
    expect(output).not.toMatch(/^(ok|FAIL) /m);
  });
});

test("the first time, each worker gets exactly the secrets it requires", () => {
  const folder = mkdtempSync(join(tmpdir(), "ofuse-secrets-"));
  const deployment = readDeployment(account);
  const names = [
    "IDENTITY_API_KEY",
    "PIB_API_KEY",
    "ENCRYPTION_KEY",
    "BANK_KEYS",
    "MEDIA_KEY",
    "OPERATOR_KEY",
    "RADIO_KEY",
    "SESSION_KEYS",
  ];
  writeSecrets(deployment, Object.fromEntries(names.map((name) => [name, `value of ${name}`])), folder);
  const steps = deploySteps(deployment, { message: "m", folder, has_secrets: true });
  const given = steps.flatMap((step) => {
    if (step.what === "migrations") return [];
    const { worker, args } = step;
    const file = args[args.indexOf("--secrets-file") + 1] ?? "";
    if (!args.includes("--secrets-file")) return [];
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return [[worker, JSON.parse(readFileSync(file, "utf8"))]];
  });
  rmSync(folder, { recursive: true });
  expect(Object.fromEntries(given)).toEqual({
    "ofuse-identity": {
      IDENTITY_API_KEY: "value of IDENTITY_API_KEY",
      PIB_API_KEY: "value of PIB_API_KEY",
      ENCRYPTION_KEY: "value of ENCRYPTION_KEY",
      OPERATOR_KEY: "value of OPERATOR_KEY",
    },
    "ofuse-radio": { RADIO_KEY: "value of RADIO_KEY" },
    "ofuse-api": {
      BANK_KEYS: "value of BANK_KEYS",
      MEDIA_KEY: "value of MEDIA_KEY",
      OPERATOR_KEY: "value of OPERATOR_KEY",
    },
    "ofuse-web": { SESSION_KEYS: "value of SESSION_KEYS", IDENTITY_API_KEY: "value of IDENTITY_API_KEY" },
  });
});

test("a deployment that fails halfway stops, and says what was deployed and how to go back", async () => {
  const said = vi.spyOn(console, "log").mockReturnValue();
  const migrations = (worker: string): DeployStep => {
    return {
      worker,
      what: "migrations",
      database: { name: worker, config: "w.json", folder: migrationsFolder("mails") },
    };
  };
  const deployed = (worker: string): DeployStep => ({ worker, what: "worker", args: ["deploy", worker], dry_args: [] });
  const steps = [
    migrations("ofuse-identity"),
    deployed("ofuse-identity"),
    migrations("ofuse-api"),
    deployed("ofuse-api"),
    deployed("ofuse-web"),
  ];
  const taken: string[] = [];
  // Every migration is applied already, and the API's database does not answer.
  const wrangler: RunWrangler = async (name, args) => {
    taken.push(name);
    const results = listMigrations("mails").map((file) => ({ name: file }));
    const output = JSON.stringify([{ results: [] }, { results }], null, 2);
    return { name, passed: !args.includes("ofuse-api"), seconds: 0, output };
  };
  const failed_at = await runSteps(steps, false, wrangler);
  expect(said.mock.calls.flat().filter((line) => /^(ok|FAIL)/.test(String(line)))).toHaveLength(3);
  said.mockRestore();
  expect(taken).toEqual(["ofuse-identity migrations", "ofuse-identity worker", "ofuse-api migrations"]);
  expect(failed_at).toBe(2);
  const account_given = describeFailure(steps, failed_at ?? -1);
  expect(account_given).toContain("Done:       ofuse-identity migrations, ofuse-identity worker.");
  expect(account_given).toContain("Failed:     ofuse-api migrations.");
  expect(account_given).toContain("Not begun:  ofuse-api worker, ofuse-web worker.");
  expect(account_given.match(/wrangler rollback --name \S+/g)).toEqual(["wrangler rollback --name ofuse-identity"]);
  expect(account_given).toContain("Cloudflare refuses this across a Durable Object migration.");
  expect(describeFailure(steps, 0)).not.toContain("rollback");
});
