/** Tests that docs/operations.md names no command that does not exist, or that nothing runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { readArguments as readBackupArguments } from "../../scripts/backup.ts";
import { settingsFile } from "../../scripts/data-folder.ts";
import { readArguments as readDeployArguments } from "../../scripts/deploy.ts";
import { readCommand } from "../../scripts/operator.ts";
import { readArguments as readRestoreArguments } from "../../scripts/restore.ts";
import { readFlags } from "../../scripts/site-new.ts";
import { runStep } from "../../scripts/steps.ts";
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
  restore: ["tests/network/site.test.ts", '"restore.ts"'],
  operator: ["tests/network/site.test.ts", "documentedCommands()"],
  deploy: ["tests/scripts/deploy.test.ts", "scripts/deploy.ts"],
  "contract:release": ["tests/scripts/released-contract.test.ts", "contractBreaches("],
  "sql:importable": ["tests/scripts/importable-sql.test.ts", "importableStatements("],
  dev: ["tests/scripts/operations.test.ts", "scripts/dev.ts"],
  "db:reset": ["tests/scripts/operations.test.ts", "scripts/database.ts"],
};
/** The own parsers of scripts with flags. */
const parsers: Readonly<Record<string, (args: string[]) => unknown>> = {
  "site:new": (args) => readFlags(args.filter((arg) => arg !== "--help")),
  backup: readBackupArguments,
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

test("a demo's commands refuse a site's folder, and db:reset keeps the secrets", async () => {
  const run = (script: string, folder: string, ...args: string[]) =>
    runStep(script, process.execPath, [script, ...args], { env: { DATA_DIR: folder } });
  const [site, demo] = [join(place, "site"), join(place, "demo")];
  mkdirSync(site);
  writeFileSync(settingsFile(site), "");
  mkdirSync(join(demo, "v3"), { recursive: true });
  writeFileSync(join(demo, "secrets.json"), "{}");
  const [served, developed, reset] = await Promise.all([
    run("scripts/serve.ts", site),
    run("scripts/dev.ts", site),
    run("scripts/database.ts", demo, "reset"),
  ]);
  for (const { passed, output } of [served, developed])
    expect([passed, output]).toEqual([false, expect.stringContaining("npm run site")]);
  expect([reset.passed, existsSync(join(demo, "v3")), existsSync(join(demo, "secrets.json"))]).toEqual([
    true,
    false,
    true,
  ]);
});
