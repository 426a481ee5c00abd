import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Titles of suites; in journeys, which have none, of tests and their steps. */
const TITLES = {
  ".test.ts": /\bdescribe(?:\.\w+)*\(\s*["'`]([^"'`]*)/g,
  ".spec.ts": /\b(?:test|describe|step)(?:\.\w+)*\(\s*["'`]([^"'`]*)/g,
};

/**
 * Finds the test files of a domain such as `comments`: those with its name, also in the singular, in their path or in a
 * title. Gives paths within the repository, in order.
 */
export function testFilesOf(domain: string): string[] {
  const name = new RegExp(`(?<![a-z])${domain.replace(/\W|s$/g, "")}s?(?![a-z])`, "i");
  return ["tests", "e2e"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    )
    .filter((file) => {
      const titles = TITLES[file.slice(-".test.ts".length) as keyof typeof TITLES];
      if (!titles) return false;
      const found = readFileSync(join(root, file), "utf8").matchAll(titles);
      return name.test(file) || [...found].some(([, title = ""]) => name.test(title));
    })
    .sort();
}
