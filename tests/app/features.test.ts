import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { features } from "../../app/site/features.ts";
import { readMarkdown } from "../../app/site/markdown.server.ts";

const app = join(import.meta.dirname, "../../app");
const readFiles = (pattern: string) =>
  globSync(pattern, { cwd: app }).map((file) => readFileSync(join(app, file), "utf8"));
const documents = readFiles("documents/*.md");
const pages = readFiles("{routes,shell}/**/*.tsx");

/** Flags that depend on the deployment, not on what is built. */
const NOTHING_IS_TOLD = Object.fromEntries(
  ["google", "direct", "recaptcha", "firestore", "firebase", "outside_ways", "money"].map((flag) => [flag, false]),
);

/** Renders a document with every feature ready, or none. */
function renderWords(source: string, is_ready: boolean): string {
  const all = Object.fromEntries(Object.keys(features).map((feature) => [feature, is_ready]));
  const values = new Proxy<Record<string, string>>({}, { get: () => "0" });
  const { front, sections } = readMarkdown(source, values, { ...all, ...NOTHING_IS_TOLD });
  return [
    front.get("lead"),
    ...sections.flatMap(({ title, html, items }) => [title, html, JSON.stringify(items)]),
  ].join();
}

test("every named feature is mentioned in a text or on a page", () => {
  const unused = Object.keys(features).filter(
    (feature) =>
      !documents.some((text) => text.includes(`{{^${feature}}}`)) &&
      !pages.some((text) => text.includes(`"${feature}"`)),
  );
  expect(unused).toEqual([]);
});

test("a text says 準備中 only while its feature is not ready", () => {
  expect(documents.map((source) => renderWords(source, false)).join()).toContain("準備中");
  for (const source of documents) expect(renderWords(source, true)).not.toContain("準備中");
});

test("no text, page or error writes the number of newsletters a month by hand", () => {
  const errors = readFileSync(join(app, "../workers/contract/errors.ts"), "utf8");
  const by_hand = [...documents, ...pages, errors].flatMap(
    (source) => source.match(/月に\d+回まで|今月は\d+回/g) ?? [],
  );
  expect(by_hand).toEqual([]);
});
