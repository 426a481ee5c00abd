import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registry } from "../../workers/api/domains.ts";
import { commonErrors, errorCatalogue } from "../../workers/contract/errors.ts";
import { identityOperations, operatorOperations, productOperations } from "../../workers/contract/index.ts";
import { DAILY_ACTS } from "../../workers/contract/limits.ts";
import { PAUSABLE_FEATURES } from "../../workers/contract/paused-features.ts";
import { readSources } from "./imports.ts";
import { domainGroups } from "./rules.ts";

const root = join(import.meta.dirname, "../..");
const readSource = (path: string) => readFileSync(join(root, path), "utf8");

test("every error code has exactly one row in docs/errors.md, with its status", () => {
  const rows = [...readSource("docs/errors.md").matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)`\s*\| (\d+)\s*\|/gm)];
  expect(rows.map(([, anchor, code, status]) => [anchor, code, Number(status)])).toEqual(
    Object.entries(errorCatalogue).map(([code, { status }]) => [code, code, status]),
  );
});

test("every code of the catalogue is used", () => {
  const code = [
    ...readSources(["workers/api", "workers/http", "workers/identity", "workers/pictures", "workers/web"]).values(),
  ].join("\n");
  // storage/limits.ts builds the codes of daily limits from the names of the acts.
  const limits = Object.keys(DAILY_ACTS).map((act) => `daily_${act}_limit_reached`);
  // storage/paused-features.ts builds the codes of paused features.
  const paused = PAUSABLE_FEATURES.map((feature) => `${feature}_paused`);
  // Triggers of migrations raise codes in the words of the view `preconditions`.
  const migrations = join(root, "workers/api/storage/migrations");
  const triggers = readdirSync(migrations).map((file) => readFileSync(join(migrations, file), "utf8"));
  const isRaised = (name: string) => triggers.some((sql) => sql.includes(`'precondition ${name} failed'`));
  const isUsed = (name: string) =>
    [...limits, ...paused].includes(name) || code.includes(`"${name}"`) || isRaised(name);
  expect(Object.keys(errorCatalogue).filter((name) => !isUsed(name))).toEqual([]);
});

test("every kind of outbox row has a reaction, because a row of any other kind waits for a later version", () => {
  const declared = [...readSources(["workers/api"]).values()].flatMap((source) => {
    const [, kinds = ""] = /interface OutboxEvents \{\n(.*?)\n {2}\}/s.exec(source) ?? [];
    return [...kinds.matchAll(/^ {4}(\w+):/gm)].map(([, kind]) => kind);
  });
  const answered = new Set(registry.reactions.flatMap((byKind) => Object.keys(byKind)));
  expect(declared.length).toBeGreaterThan(40);
  expect(declared.filter((kind) => !answered.has(kind ?? ""))).toEqual([]);
});

test("operations have unique names and addresses, name the parameters of their paths, and repeat no common error", () => {
  const operations = [...productOperations, ...operatorOperations, ...identityOperations];
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length);
  for (const { id, path, params, errors } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect({ id, params: Object.keys(params?.shape ?? {}) }).toEqual({ id, params: named });
    for (const code of errors) expect(commonErrors).not.toContain(code);
  }
});

test("docs/architecture.md names the domains in the groups that the imports keep to", () => {
  const groups = domainGroups.map((group) => group.join(", ")).join(" < ");
  expect(readSource("docs/architecture.md").replace(/\s+/g, " ")).toContain(`: ${groups}.`);
});

test("every place that names a chapter of docs/operations.md names one that exists", () => {
  const page = readSource("docs/operations.md");
  const chapters = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading));
  const named = ["app", "workers", "scripts", "deploy", "tests"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:tsx?|toml|example|service|conf)$/.test(file))
      .flatMap((file) => [...readSource(join(folder, file)).matchAll(/operations\.md, "([^"\n]+)"/g)])
      .map(([, chapter]) => chapter),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((chapter) => !chapters.has(chapter))).toEqual([]);
});

test("every link of README and four main pages of the docs leads to a file", () => {
  for (const page of [
    "README.md",
    "docs/architecture.md",
    "docs/glossary.md",
    "docs/errors.md",
    "docs/operations.md",
  ]) {
    const folder = join(root, page, "..");
    const links = [...readSource(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  }
});
