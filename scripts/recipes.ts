/** `npm run recipes`: follows docs/recipes.md literally on scratch copies of the repository. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { reportStep, runStep } from "./steps.ts";

const root = resolve(import.meta.dirname, "..");

interface Recipe {
  name: string;
  /** Whole files, and changes to existing files, in the order of the page. */
  blocks: { kind: "file" | "diff"; file: string; text: string }[];
  commands: string[];
}

/** Returns the recipes of a page, one for each section. */
export function readRecipes(page: string): Recipe[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      name: section.split("\n", 1)[0] ?? "",
      blocks: [...section.matchAll(/^```(\w+) file=(\S+)\n([\s\S]*?)^```$/gm)].map(
        ([, kind, file = "", text = ""]) => ({
          kind: kind === "diff" ? ("diff" as const) : ("file" as const),
          file,
          text,
        }),
      ),
      commands: [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, lines = ""]) =>
        lines.trim().split("\n"),
      ),
    }));
}

/**
 * Applies a diff block to a text. A line with 「…」 separates hunks. Throws when the text does not contain the lines of a
 * hunk, or contains them more than once.
 */
export function applyDiff(text: string, diff: string): string {
  let changed = text.split("\n");
  for (const hunk of diff.split(/^…\n/m)) {
    const lines = hunk.trimEnd().split("\n");
    const expected = lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
    const wanted = lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
    const found = changed.flatMap((_, at) => (expected.every((line, n) => changed[at + n] === line) ? [at] : []));
    if (found.length !== 1) throw new Error(`${found.length} places have the lines\n${expected.join("\n")}`);
    const [at = 0] = found;
    changed = [...changed.slice(0, at), ...wanted, ...changed.slice(at + expected.length)];
  }
  return changed.join("\n");
}

/** Writes a recipe's blocks into a copy of the repository. */
function applyRecipe({ blocks }: Recipe, copy: string): void {
  for (const { kind, file, text } of blocks) {
    const path = join(copy, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, kind === "file" ? text : applyDiff(readFileSync(path, "utf8"), text));
  }
}

/** Copies the tracked files, the installed packages and the generated types. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "recipe-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of files.toString().split("\0").filter(Boolean)) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

if (import.meta.main) {
  process.exitCode = 0;
  for (const recipe of readRecipes(readFileSync(join(root, "docs/recipes.md"), "utf8"))) {
    const copy = copyRepository();
    applyRecipe(recipe, copy);
    for (const line of [`node scripts/typegen.ts`, ...recipe.commands]) {
      const [command = "", ...args] = line.split(" ");
      const step = await runStep(`${recipe.name}: ${line}`, command, args, { cwd: copy });
      reportStep(step);
      if (!step.passed) process.exitCode = 1;
    }
    rmSync(copy, { recursive: true });
  }
}
