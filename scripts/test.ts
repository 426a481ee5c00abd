/**
 * `npm test`: the checks, the unit tests and the browser tests. The last line is `tests: N passed, N failed`; the
 * lines before it name what failed.
 *
 *     npm test -- unit        only that stage: check, unit or e2e
 *     npm test -- comments    only the tests of one domain (scripts/domain-tests.ts)
 *     npm test -- --changed   only the tests that uncommitted changes reach
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { findBrowser } from "./browser.ts";
import { buildIfStale } from "./build.ts";
import { runChecks } from "./check.ts";
import { testFilesOf } from "./domain-tests.ts";
import { reportStep, runStep, type StepResult } from "./steps.ts";

interface Tally {
  passed: number;
  failed: number;
}

/** One failed test or check, as the last lines of the run name it. */
interface Failure {
  name: string;
  /** The first line of the error; empty where the tool gives none. */
  reason: string;
}

/** The end of a log is what people read first, so the run repeats there what failed. */
const failures: Failure[] = [];

const reports = mkdtempSync(join(tmpdir(), "ofuse-tests-"));

function readReport<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    // The tool ended before it wrote a report. Its exit code shows the failure.
    return undefined;
  }
}

/**
 * Returns the step's numbers. A tool that failed counts as one failure, even if it reports no failed test. So does a
 * tool that ran nothing, unless it was asked for what changes reach.
 */
function tallyOf(step: StepResult, counted: Tally | undefined, chosen: string[]): Tally {
  const { passed, failed } = counted ?? { passed: 0, failed: 0 };
  const has_to_run = !chosen.some((option) => /^--(only-)?changed$/.test(option));
  const ran_nothing = passed === 0 && has_to_run;
  const silent_failure = failed === 0 && (!step.passed || ran_nothing);
  if (silent_failure) {
    failures.push({ name: step.name, reason: ran_nothing ? "no test was executed" : "ended with an error" });
  }
  return { passed, failed: silent_failure ? 1 : failed };
}

async function countChecks(): Promise<Tally> {
  const steps = await runChecks();
  const failed = steps.filter((step) => !step.passed);
  failures.push(...failed.map(({ name }) => ({ name, reason: "" })));
  return { passed: steps.length - failed.length, failed: failed.length };
}

/** Returns the first line of an error message without the terminal's colours. */
const firstLineOf = (message = ""): string => stripVTControlCharacters(message).split("\n", 1)[0] ?? "";

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; message: string; assertionResults: VitestResult[] }[];
}

interface VitestResult {
  fullName: string;
  status: string;
  failureMessages: string[];
}

function failuresOfVitest({ testResults }: VitestReport): Failure[] {
  return testResults.flatMap(({ name: path, status, message, assertionResults }) => {
    const file = relative(process.cwd(), path);
    const failed = assertionResults.filter((result) => result.status === "failed");
    // A file that cannot be loaded has no results of its own.
    if (status === "failed" && failed.length === 0) return [{ name: file, reason: firstLineOf(message) }];
    return failed.map(({ fullName, failureMessages }) => ({
      name: `${file} › ${fullName}`,
      reason: firstLineOf(failureMessages[0]),
    }));
  });
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[];
  specs?: {
    title: string;
    file: string;
    line: number;
    tests: { projectName: string; status: string; results: { error?: { message?: string } }[] }[];
  }[];
}

function failuresOfPlaywright({ suites = [], specs = [] }: PlaywrightSuite): Failure[] {
  const own = specs.flatMap(({ title, file, line, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected")
      .map(({ projectName, results }) => ({
        name: `[${projectName}] ${file}:${line} › ${title}`,
        reason: firstLineOf(results.findLast(({ error }) => error)?.error?.message),
      })),
  );
  return [...own, ...suites.flatMap(failuresOfPlaywright)];
}

/** @param chosen files or options for vitest; empty runs every test. */
async function runUnitTests(chosen: string[] = []): Promise<Tally> {
  const file = join(reports, "vitest.json");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile=${file}`, ...chosen];
  const step = await runStep("unit tests", "vitest", args, { live: true });
  const report = readReport<VitestReport>(file);
  if (report) failures.push(...failuresOfVitest(report));
  return tallyOf(step, report && { passed: report.numPassedTests, failed: report.numFailedTests }, chosen);
}

/** @param chosen as for {@link runUnitTests}, for Playwright. */
async function runE2eTests(chosen: string[] = []): Promise<Tally> {
  const built = await buildIfStale();
  if (built && !built.passed) {
    reportStep(built);
    failures.push({ name: built.name, reason: "" });
    return { passed: 0, failed: 1 };
  }
  const file = join(reports, "playwright.json");
  const env = { CHROMIUM_PATH: await findBrowser(), PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const step = await runStep("browser tests", "playwright", ["test", ...chosen], { env, live: true });
  const report = readReport<PlaywrightSuite & { stats: { expected: number; flaky: number; unexpected: number } }>(file);
  if (report) failures.push(...failuresOfPlaywright(report));
  // Flaky means that a test failed first and passed on a retry.
  const counted = report && { passed: report.stats.expected + report.stats.flaky, failed: report.stats.unexpected };
  return tallyOf(step, counted, chosen);
}

/** Wraps a run so that it passes when the stage has no files to run. */
const whereAny = (files: string[], run: (files: string[]) => Promise<Tally>) => (): Promise<Tally> =>
  files.length > 0 ? run(files) : Promise.resolve({ passed: 0, failed: 0 });

type Stages = Record<string, () => Promise<Tally>>;

const all: Stages = { check: countChecks, unit: () => runUnitTests(), e2e: () => runE2eTests() };

/** Returns the stages that the command line asks for. */
function chooseStages(wanted: string | undefined): Stages {
  if (wanted === undefined) return all;
  const stage = all[wanted];
  if (stage) return { [wanted]: stage };
  if (wanted === "--changed") {
    // Tools that find no change succeed and count no tests.
    return {
      unit: () => runUnitTests(["--changed", "--passWithNoTests"]),
      e2e: () => runE2eTests(["--only-changed", "--pass-with-no-tests"]),
    };
  }
  const files = testFilesOf(wanted);
  const [specs, tests] = [
    files.filter((file) => file.endsWith(".spec.ts")),
    files.filter((file) => file.endsWith(".test.ts")),
  ];
  if (files.length === 0) {
    console.error(
      `No test is about "${wanted}". Stages are check, unit and e2e; --changed runs what your changes touch.`,
    );
    process.exit(1);
  }
  console.log(files.join("\n"));
  return { unit: whereAny(tests, runUnitTests), e2e: whereAny(specs, runE2eTests) };
}

const total: Tally = { passed: 0, failed: 0 };
for (const [name, run] of Object.entries(chooseStages(process.argv[2]))) {
  try {
    const { passed, failed } = await run();
    total.passed += passed;
    total.failed += failed;
  } catch (error) {
    console.error(`${name}:`, error);
    failures.push({ name, reason: firstLineOf(String(error)) });
    total.failed += 1;
  }
}
rmSync(reports, { recursive: true, force: true });
process.exitCode = total.failed === 0 ? 0 : 1;
for (const { name, reason } of failures) console.log(`failed: ${reason ? `${name}: ${reason}` : name}`);
console.log(`tests: ${total.passed} passed, ${total.failed} failed`);
