/** `npm run check`: format, lint, types, dead code and the build. It runs no test. */
import { build } from "./build.ts";
import { reportStep, runStep, type StepResult } from "./steps.ts";

/** Runs the checks in two lanes, one for each core of a small machine, and reports each check when it ends. */
export async function runChecks(): Promise<StepResult[]> {
  const reported = async (step: Promise<StepResult>): Promise<StepResult> => {
    const result = await step;
    reportStep(result);
    return result;
  };
  const types = reported(runStep("generated types", process.execPath, ["scripts/typegen.ts"]));
  const lanes = [
    async () => [await types, await reported(runStep("types", "tsc", ["--noEmit"]))],
    async () => {
      const lint = await reported(runStep("format and lint", "biome", ["ci", "."]));
      // knip reads the generated types, and the build writes beside them. Both must wait until they are complete.
      await types;
      const unused = await reported(runStep("unused code", "knip", []));
      return [lint, unused, await reported(build())];
    },
  ];
  return (await Promise.all(lanes.map((lane) => lane()))).flat();
}

if (import.meta.main) {
  const steps = await runChecks();
  process.exitCode = steps.every(({ passed }) => passed) ? 0 : 1;
}
