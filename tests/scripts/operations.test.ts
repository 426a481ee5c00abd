/** Tests that docs/operations.md names no command that does not exist, or that nothing runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { readArguments as readBackupArguments } from "../../scripts/backup.ts";
import { readArguments as readDeployArguments } from "../../scripts/deploy.ts";
import { readArguments as readPruneArguments } from "../../scripts/off-site.ts";
import { readCommand } from "../../scripts/operator.ts";
import { readArguments as readRestoreArguments } from "../../scripts/restore.ts";
import { readFlags } from "../../scripts/site-new.ts";
import { runStep } from "../../scripts/steps.ts";
import { IMPORT_FILE_BYTES } from "../../workers/contract/bounds.ts";
import { documentedBlocks, documentedCommands, fillIn, npmScriptOf } from "../support/operations.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const place = mkdtempSync(join(tmpdir(), "ofuse-operations-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What runs a script of package.json: a file, and words of it that show that it does. */
const runBy: Readonly<Record<string, readonly [file: string, words: string]>> = {
  start: ["scripts/faults/site.ts", '"serve.ts"'],
  build: ["tests/support/build.ts", "buildIfStale()"],
  site: ["tests/network/site.test.ts", "startSite("],
  "site:new": ["tests/scripts/site-settings.test.ts", "scripts/site-new.ts"],
  "site:status": ["tests/network/site.test.ts", '"site-status.ts"'],
  backup: ["tests/network/site.test.ts", '"backup.ts"'],
  "backup:prune": ["tests/scripts/backup-series.test.ts", '"scripts/off-site.ts"'],
  restore: ["tests/network/site.test.ts", '"restore.ts"'],
  operator: ["tests/network/site.test.ts", "documentedCommands()"],
  deploy: ["tests/scripts/deploy.test.ts", "scripts/deploy.ts"],
  "contract:release": ["tests/scripts/released-contract.test.ts", "contractBreaches("],
  "sql:importable": ["tests/scripts/importable-sql.test.ts", "importableStatements("],
  dev: ["tests/scripts/operations.test.ts", "scripts/dev.ts"],
  "db:reset": ["tests/scripts/operations.test.ts", "scripts/database.ts"],
  "db:seed": ["tests/scripts/operations.test.ts", '"seed"'],
};
/** The own parsers of scripts with flags. */
const parsers: Readonly<Record<string, (args: string[]) => unknown>> = {
  "site:new": (args) => readFlags(args.filter((arg) => arg !== "--help")),
  backup: readBackupArguments,
  "backup:prune": readPruneArguments,
  restore: readRestoreArguments,
  deploy: readDeployArguments,
};
/** npm's own. */
const BUILT_IN = new Set(["install", "ls"]);
/** Checks, which somebody runs to know something. */
const isCheck = (script: string) => /^(?:test|bench)(?::|$)/.test(script);

const commands = documentedCommands();
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

describe("every command of docs/operations.md", () => {
  test("is one of package.json, with arguments that its script takes", () => {
    const wrong: string[] = [];
    for (const command of commands) {
      const called = npmScriptOf(command);
      if (!called || called.script === "" || BUILT_IN.has(called.script)) continue;
      const { script, args } = called;
      try {
        if (!(script in scripts)) throw new Error("there is no such script");
        // The site's test runs the operators' commands. A wrong one is found there too, but later.
        if (script === "operator") void (args.length > 0 && readCommand(fillIn(args)));
        else if (script in parsers) void (args.length > 0 && parsers[script]?.(args));
        else if (args.some((arg) => arg.startsWith("-"))) throw new Error("takes no flags");
      } catch (error) {
        wrong.push(`line ${command.line}: ${command.words.join(" ")}: ${error}`);
      }
    }
    expect(commands.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });

  test("is run by a test, or says what it needs", () => {
    const run = new Set(Object.keys(runBy));
    const unproven = commands.filter((command) => {
      if (command.is_marked) return false;
      const called = npmScriptOf(command);
      if (called)
        return !(
          called.script === "" ||
          BUILT_IN.has(called.script) ||
          isCheck(called.script) ||
          run.has(called.script)
        );
      // In a sentence npx wrangler needs the account, as the page says. The blocks below are run by this file.
      return command.is_in_block && !["umask", "cat", "node"].includes(command.words[0] ?? "");
    });
    expect(unproven.map(({ line, words }) => `line ${line}: ${words.join(" ")}`)).toEqual([]);
    const stale = Object.entries(runBy).filter(
      ([, [file, words]]) => !existsSync(join(root, file)) || !read(file).includes(words),
    );
    expect(stale).toEqual([]);
  });
});

/** Runs the block that has these words as the page says, in an empty folder. Returns the folder and the output. */
function runBlock(words: string): { folder: string; output: string } {
  const block = documentedBlocks().find(({ text, is_marked }) => !is_marked && text.includes(words));
  const folder = mkdtempSync(join(place, "block-"));
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", block?.text ?? "exit 9"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return { folder, output: stdout };
}

test("the first secrets are those that the workers require", () => {
  const { folder } = runBlock("first-secrets.json <<EOF");
  const made = JSON.parse(readFileSync(join(folder, "first-secrets.json"), "utf8")) as Record<string, string>;
  const required = [
    "wrangler.toml",
    ...["api", "identity", "mails", "radio"].map((name) => `workers/${name}/wrangler.toml`),
  ].flatMap((file) => /^required = \[(.*)\]$/m.exec(read(file))?.[1]?.match(/\w+/g) ?? []);
  expect(Object.keys(made).sort()).toEqual([...new Set(required)].sort());
});

test("the keys of push notifications are a pair that the settings take", () => {
  const { WEB_PUSH_PUBLIC_KEY = "", WEB_PUSH_PRIVATE_KEY = "" } = parseEnv(runBlock("WEB_PUSH_PUBLIC_KEY=").output);
  const [point, scalar] = [WEB_PUSH_PUBLIC_KEY, WEB_PUSH_PRIVATE_KEY].map((key) => Buffer.from(key, "base64url"));
  expect([point?.length, point?.[0], scalar?.length]).toEqual([65, 4, 32]);
});

test.each([
  ["deploy/Caddyfile.example", /max_size (\d+)MiB/],
  ["deploy/nginx.example.conf", /client_max_body_size (\d+)m;/],
])("the proxy of %s takes the largest upload, with the rest of its form", (file, limit) => {
  const [, mebibytes] = limit.exec(read(file)) ?? [];
  expect(Number(mebibytes) * 1024 ** 2).toBeGreaterThan(IMPORT_FILE_BYTES);
});

const run = (script: string, env: Record<string, string>, ...args: string[]) =>
  runStep(script, process.execPath, [script, ...args], { env });

/** Makes a folder with data and secrets, and with these files besides. */
function makeFolder(name: string, files: Record<string, string> = {}): string {
  const folder = join(place, name);
  mkdirSync(join(folder, "v3"), { recursive: true });
  for (const [file, text] of Object.entries({ "secrets.json": "{}", ...files }))
    writeFileSync(join(folder, file), text);
  return folder;
}

const record = (world: string) => ({ "folder.json": JSON.stringify({ world, is_made: true }) });

test("a demo's commands refuse a site's folder", async () => {
  const site = makeFolder("site", { "settings.env": "" });
  const refused = await Promise.all([
    run("scripts/serve.ts", { DATA_DIR: site }),
    run("scripts/dev.ts", { DATA_DIR: site }),
    run("scripts/database.ts", { DATA_DIR: site }, "seed"),
    run("scripts/database.ts", { SITE_FOLDER: site }, "seed"),
  ]);
  for (const { passed, output } of refused) {
    expect([passed, output]).toEqual([false, expect.stringContaining(`npm run site -- ${site}`)]);
  }
  expect(readdirSync(site).sort()).toEqual(["secrets.json", "settings.env", "v3"]);
});

describe("db:reset", () => {
  const reset = (env: Record<string, string>, ...args: string[]) => run("scripts/database.ts", env, "reset", ...args);

  test("deletes a demo's data, keeps the secrets, and says what it deleted", async () => {
    const demo = makeFolder("demo", record("demo"));
    const { passed, output } = await reset({ DATA_DIR: demo });
    expect([passed, readdirSync(demo)]).toEqual([true, ["secrets.json"]]);
    expect(output).toContain(`Deleted v3 and folder.json in ${demo}.`);
  });

  test("deletes a site's data only when the site's folder is named", async () => {
    const served = makeFolder("with settings", { "settings.env": "", ...record("site") });
    const bare = makeFolder("without-settings", record("site"));
    const unnamed = [
      await reset({ SITE_FOLDER: served }),
      await reset({ DATA_DIR: served }),
      await reset({ DATA_DIR: bare }),
    ];
    expect(unnamed.map(({ passed }) => passed)).toEqual([false, false, false]);
    expect(unnamed[0]?.output).toContain(`npm run db:reset -- '${served}'`);
    expect([served, bare].map((folder) => existsSync(join(folder, "v3")))).toEqual([true, true]);
    expect((await reset({}, served)).passed).toBe(true);
    expect(readdirSync(served).sort()).toEqual(["secrets.json", "settings.env"]);
  });

  test("makes no folder, and says that there are no data", async () => {
    const missing = join(place, "missing");
    const { passed, output } = await reset({}, missing);
    expect([passed, output, existsSync(missing)]).toEqual([true, `${missing} has no data.\n`, false]);
  });
});

test("no command chooses between a SITE_FOLDER and another DATA_DIR", async () => {
  const [site, demo] = [makeFolder("chosen-site", record("demo")), makeFolder("chosen-demo", record("demo"))];
  const env = { SITE_FOLDER: site, DATA_DIR: demo };
  const answers = [
    await run("scripts/database.ts", env, "reset"),
    await run("scripts/database.ts", env, "seed"),
    await run("scripts/operator.ts", env, "acts"),
  ];
  for (const { passed, output } of answers) {
    expect([passed, output]).toEqual([false, expect.stringContaining("unset SITE_FOLDER")]);
  }
  expect([site, demo].map((folder) => existsSync(join(folder, "v3")))).toEqual([true, true]);
  expect((await run("scripts/database.ts", { SITE_FOLDER: site, DATA_DIR: `${site}/` }, "reset")).passed).toBe(true);
});

test("npm start and dev refuse variables that no worker can use, each with a sentence", async () => {
  const folder = join(place, "never-made");
  const wrong = {
    SIGN_UPS_PER_ADDRESS_HOUR: "",
    CODES_PER_ADDRESS_HOUR: "x",
    MAINTENANCE: "yes",
    V4_ORIGIN: "https://api.example.jp/v4",
    SITE: "{bad",
    WEB_PUSH_SUBJECT: "mailto:hana@example.jp",
    METRICS_KEY: "short",
    LOG_LEVEL: "debug",
  };
  const [served, developed] = await Promise.all([
    run("scripts/serve.ts", { DATA_DIR: folder, ...wrong }),
    run("scripts/dev.ts", { DATA_DIR: folder, V4_ORIGIN: "nonsense" }),
  ]);
  expect([served.passed, developed.passed, existsSync(folder)]).toEqual([false, false, false]);
  expect(served.output.trimEnd().split("\n")).toEqual([
    'SIGN_UPS_PER_ADDRESS_HOUR "" is not a whole number from 1.',
    'CODES_PER_ADDRESS_HOUR "x" is not a whole number from 1.',
    'MAINTENANCE "yes" states nothing that the worker can read.',
    'V4_ORIGIN "https://api.example.jp/v4" is no origin such as https://api.example.jp.',
    "SITE is missing or no JSON: see deploy/site.example.json.",
    expect.stringContaining("WEB_PUSH_PUBLIC_KEY and WEB_PUSH_PRIVATE_KEY is empty"),
    "METRICS_KEY has fewer than 32 characters.",
    'LOG_LEVEL "debug" is not info, warn or error.',
  ]);
  expect(developed.output).toBe('V4_ORIGIN "nonsense" is no origin such as https://api.example.jp.\n');
});
