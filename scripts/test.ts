/**
 * `npm test`: the checks, the unit tests and the browser tests. The last line is `tests: N passed, N failed`.
 *
 * With an argument (`check`, `unit` or `e2e`) only that stage.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrowser } from "./browser.ts";
import { buildIfStale } from "./build.ts";
import { runChecks } from "./check.ts";
import { reportStep, runStep, type StepResult } from "./steps.ts";

interface Tally {
  passed: number;
  failed: number;
}

const reports = mkdtempSync(join(tmpdir(), "ofuse-tests-"));

function readReport<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    // The tool ended before it wrote one; its exit code tells the rest.
    return undefined;
  }
}

/** A tool that failed, or ran nothing, counts as a failure even where it names no failed test. */
function tallyOf(step: StepResult, counted: Tally | undefined): Tally {
  const { passed, failed } = counted ?? { passed: 0, failed: 0 };
  const silent_failure = failed === 0 && (!step.passed || passed === 0);
  if (silent_failure) console.error(`${step.name}: ${passed === 0 ? "no test was executed" : "ended with an error"}`);
  return { passed, failed: silent_failure ? 1 : failed };
}

async function check(): Promise<Tally> {
  const steps = await runChecks();
  const passed = steps.filter((step) => step.passed).length;
  return { passed, failed: steps.length - passed };
}

async function unit(): Promise<Tally> {
  const file = join(reports, "vitest.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile=${file}`];
  const step = await runStep("unit tests", "vitest", args, { live: true });
  const report = readReport<{ numPassedTests: number; numFailedTests: number }>(file);
  return tallyOf(step, report && { passed: report.numPassedTests, failed: report.numFailedTests });
}

async function e2e(): Promise<Tally> {
  const built = await buildIfStale();
  if (built && !built.passed) {
    reportStep(built);
    return { passed: 0, failed: 1 };
  }
  const file = join(reports, "playwright.json");
  const env = { CHROMIUM_PATH: await findBrowser(), PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const step = await runStep("browser tests", "playwright", ["test"], { env, live: true });
  const report = readReport<{ stats: { expected: number; flaky: number; unexpected: number } }>(file);
  // Flaky: failed, then passed when tried again.
  const counted = report && { passed: report.stats.expected + report.stats.flaky, failed: report.stats.unexpected };
  return tallyOf(step, counted);
}

const stages = { check, unit, e2e };
const wanted = process.argv[2];
if (wanted !== undefined && !Object.hasOwn(stages, wanted)) {
  console.error(`There is no stage "${wanted}": check, unit, e2e.`);
  process.exit(1);
}
const total: Tally = { passed: 0, failed: 0 };
for (const [name, run] of Object.entries(stages)) {
  if (wanted !== undefined && name !== wanted) continue;
  try {
    const { passed, failed } = await run();
    total.passed += passed;
    total.failed += failed;
  } catch (error) {
    console.error(`${name}:`, error);
    total.failed += 1;
  }
}
rmSync(reports, { recursive: true, force: true });
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(`tests: ${total.passed} passed, ${total.failed} failed`);
