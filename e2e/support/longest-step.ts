import type { Reporter, TestCase, TestResult, TestStep } from "playwright/types/testReporter";

/** Names the slowest step of a journey that timed out. Playwright names no step that was interrupted with its page. */
export default class LongestStep implements Reporter {
  onTestEnd(test: TestCase, { status, steps }: TestResult): void {
    if (status !== "timedOut") return;
    const all = steps.flatMap(function within(step): TestStep[] {
      return [step, ...step.steps.flatMap(within)];
    });
    const acts = all.filter(({ category }) => category !== "hook").sort((a, b) => b.duration - a.duration);
    // A step that never ended has the duration -1.
    const told = acts.find(({ duration }) => duration < 0) ?? acts[0];
    if (told) console.error(`${test.title}: ${told.duration} ms at ${told.title}, line ${told.location?.line}`);
  }
}
