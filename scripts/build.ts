/** The production build, made when its sources have changed. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { reportStep, runStep, type StepResult } from "./steps.ts";

const root = resolve(import.meta.dirname, "..");
const stamp = join(root, "build", "sources.sha256");

/** Everything a build reads. */
const sources = [
  "app",
  "public",
  "workers",
  "package-lock.json",
  "tsconfig.json",
  "react-router.config.ts",
  "vite.config.ts",
  "wrangler.toml",
];

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashSources(): string {
  const hash = createHash("sha256");
  // Types and SQL are no part of what runs: the first are generated, the second is read at each start.
  for (const file of sources.flatMap((path) => filesUnder(join(root, path))).filter((f) => !/\.(d\.ts|sql)$/.test(f))) {
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Builds, and notes which sources it was made of. */
export async function build(): Promise<StepResult> {
  const made_of = hashSources();
  // Whoever asks for it (a test runner sets NODE_ENV to "test"), the build is the one that is deployed.
  const result = await runStep("build", "react-router", ["build"], { env: { NODE_ENV: "production" } });
  if (result.passed) {
    mkdirSync(join(root, "build"), { recursive: true });
    writeFileSync(stamp, made_of);
  }
  return result;
}

/** Whether there is a build and it was made of the sources as they are. */
export function isBuildCurrent(): boolean {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hashSources();
}

/** Builds when there is no build or it was made of other sources. */
export async function buildIfStale(): Promise<StepResult | undefined> {
  return isBuildCurrent() ? undefined : build();
}

if (import.meta.main) {
  const step = await build();
  reportStep(step);
  process.exitCode = step.passed ? 0 : 1;
}
