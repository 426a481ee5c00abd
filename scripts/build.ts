/** Makes the production build when its sources have changed. */
import { createHash } from "node:crypto";
import {
  accessSync,
  existsSync,
  constants as modes,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { recordBuiltWorkers } from "./built-workers.ts";
import { Refusal, refuseArguments, reportFailure } from "./refusal.ts";
import { reportStep, runStep, type StepResult } from "./steps.ts";

const root = resolve(import.meta.dirname, "..");
const stamp = join(root, "build", "sources.sha256");

/** All files that the build reads. */
const sources = [
  "app",
  "public",
  "scripts/aac-module.ts",
  "scripts/bank-list.ts",
  "scripts/browser-react.ts",
  "scripts/built-workers.ts",
  "scripts/font-modules.ts",
  "scripts/visitor-script.ts",
  "workers",
  "package-lock.json",
  "tsconfig.json",
  "react-router.config.ts",
  "vite.config.ts",
  "scripts/client-modules.ts",
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

/** Returns one hash of all files under these paths of the repository, without generated types. */
export function hashFiles(paths: readonly string[], skipped = /\.d\.ts$/): string {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => filesUnder(join(root, path))).filter((each) => !skipped.test(each))) {
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Leaves out generated types and SQL, which are not part of the build: each start reads the SQL from the sources. */
function hashSources(): string {
  return hashFiles(sources, /\.(d\.ts|sql)$/);
}

/**
 * Compresses each text and WebAssembly file for browsers with brotli at its best level, once and not at every request. Writes the
 * result beside the file.
 */
function packAssets(): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  for (const file of filesUnder(join(root, "build", "client")).filter((path) => /\.(js|css|svg|wasm)$/.test(path))) {
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
  }
}

/** Builds, and records the hash of the sources. */
export async function buildSite(): Promise<StepResult> {
  const made_of = hashSources();
  // A test runner sets NODE_ENV to "test"; the build must still be the one that is deployed.
  const env = { NODE_ENV: "production", VITE_BUILD_ID: made_of.slice(0, 16) };
  const result = await runStep("build", "react-router", ["build"], { env });
  if (result.passed) {
    packAssets();
    recordBuiltWorkers();
    writeFileSync(stamp, made_of);
  }
  return result;
}

/** Returns the hash of the sources that the build was made from; empty when there is no build. */
export function readBuildHash(): string {
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
}

/** Whether there is a build, and it was made from the present sources. */
export function isBuildCurrent(): boolean {
  return readBuildHash() === hashSources();
}

/**
 * Builds when there is no build, or when its sources have changed.
 *
 * @throws Refusal when this process may not write into the program's folder, as a service of systemd may not.
 */
export async function buildIfStale(): Promise<StepResult | undefined> {
  if (isBuildCurrent()) return undefined;
  try {
    accessSync(root, modes.W_OK);
  } catch {
    throw new Refusal(
      `The build in ${root} is not of its sources, and this process may not write there. Run npm run build.`,
    );
  }
  return buildSite();
}

if (import.meta.main) {
  try {
    refuseArguments("build   make the production build");
    const step = await buildSite();
    reportStep(step);
    process.exitCode = step.passed ? 0 : 1;
  } catch (error) {
    reportFailure("The build", error);
  }
}
