import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

test("the names that the recipes import are exported", () => {
  const blocks = recipes.flatMap((recipe) => recipe.blocks).filter(({ kind }) => kind === "file");
  const written = new Map(blocks.map(({ file, text }) => [file, text]));
  const missing: string[] = [];
  let seen = 0;
  for (const { file, text } of blocks) {
    for (const [, names = "", from = ""] of text.matchAll(/^import (?:type )?\{([^}]+)\} from "(\.[^"]+)";$/gm)) {
      const target = join(dirname(file), from);
      const source = written.get(target) ?? readFileSync(join(root, target), "utf8");
      for (const name of names.split(",").map((each) => each.replace(/\btype\b|\bas .*/g, "").trim())) {
        seen++;
        const is_exported = new RegExp(`^export .*\\b${name}\\b`, "m").test(source);
        if (!is_exported) missing.push(`${file}: ${name} of ${target}`);
      }
    }
  }
  expect(seen).toBeGreaterThan(20);
  expect(missing).toEqual([]);
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
