/** `npm run check`: format, lint, types, dead code and the build. It runs no test. */
import { buildSite } from "./build.ts";
import { reportStep, runStep, type StepResult } from "./steps.ts";

/** Runs the checks in two lanes, one for each core of a small machine, and reports each check when it ends. */
export async function runChecks(): Promise<StepResult[]> {
  const runReported = async (step: Promise<StepResult>): Promise<StepResult> => {
    const result = await step;
    reportStep(result);
    return result;
  };
  const types = runReported(runStep("generated types", process.execPath, ["scripts/typegen.ts"]));
  const lanes = [
    // Each of tsc's checkers computes most of the types again: four, its default, take 1.8 times the CPU of one, and its lane has
    // one core.
    async () => [await types, await runReported(runStep("types", "tsc", ["--noEmit", "--checkers", "1"]))],
    async () => {
      const lint = await runReported(runStep("format and lint", "biome", ["ci", "."]));
      // knip reads the generated types, and the build writes beside them. Both must wait until they are complete.
      await types;
      const unused = await runReported(runStep("unused code", "knip", []));
      return [lint, unused, await runReported(buildSite())];
    },
  ];
  return (await Promise.all(lanes.map((lane) => lane()))).flat();
}

if (import.meta.main) {
  const steps = await runChecks();
  process.exitCode = steps.every(({ passed }) => passed) ? 0 : 1;
}
