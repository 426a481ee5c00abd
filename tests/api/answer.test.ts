import { expect, test, vi } from "vitest";
import { problemAnswer } from "../../workers/api/http/answer.ts";
import { problemJson } from "../../workers/contract/problem.ts";

test("what nobody expected is told without a word of its own", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const response = problemAnswer(new Error("no such table: users"), "request-0001");
  expect(await response.json()).toEqual(problemJson("internal_error", "request-0001"));
  expect(log.mock.calls[0]?.[0]).toContain("no such table: users");
  log.mockRestore();
});
