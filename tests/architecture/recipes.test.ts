import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyDiff, readRecipes } from "../../scripts/recipes.ts";

const root = join(import.meta.dirname, "../..");
const recipes = readRecipes(readFileSync(join(root, "docs/recipes.md"), "utf8"));

/**
 * `npm run recipes` runs the recipes completely, which takes a minute. This test finds at once where the page no longer
 * fits the code.
 */
describe.each(recipes)("$name", ({ blocks, commands }) => {
  test("applies to the present files, and its new files do not exist yet", () => {
    expect(commands.length).toBeGreaterThan(1);
    for (const { kind, file, text } of blocks) {
      if (kind === "file") expect(existsSync(join(root, file)), file).toBe(false);
      else
        expect(applyDiff(readFileSync(join(root, file), "utf8"), text), file).toContain(text.match(/^\+(.*)$/m)?.[1]);
    }
  });
});

test("a domain changes at most twelve files outside its folder, and a field of the letter six, tests aside", () => {
  expect(recipes.map(({ name }) => name)).toEqual(["Add a domain", "Add a field to the letter"]);
  const [domain = new Set<string>(), field = new Set<string>()] = recipes.map(
    ({ blocks }) => new Set(blocks.map(({ file }) => file).filter((file) => !/^workers\/api\/bookmarks\//.test(file))),
  );
  expect(domain.size).toBeLessThanOrEqual(12);
  expect([...field].filter((file) => !file.startsWith("tests/")).length).toBeLessThanOrEqual(6);
});

test("a change that no longer applies names the missing lines", () => {
  expect(() => applyDiff("a\nb\n", " c\n+d\n")).toThrow("0 places have the lines\nc");
});
