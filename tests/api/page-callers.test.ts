import { expect, test, vi } from "vitest";
import { PageCallers } from "../../workers/api/http/page-callers.ts";

test("the caller of a page is known to its next calls, to no other page and to no other account", () => {
  const callers = new PageCallers();
  callers.write("page-1", "account-1", "user-1");
  expect(callers.read("page-1", "account-1")).toBe("user-1");
  expect(callers.read("page-2", "account-1")).toBeUndefined();
  expect(callers.read("page-1", "account-2")).toBeUndefined();
});

test("the caller of a page is looked up again after a write, and after five seconds", () => {
  const callers = new PageCallers();
  callers.write("page-1", "account-1", "user-1");
  callers.write("page-2", "account-1", "user-1");
  callers.forget("page-1", "account-1");
  expect(callers.read("page-1", "account-1")).toBeUndefined();
  vi.useFakeTimers({ now: Date.now() + 5000, toFake: ["Date"] });
  expect(callers.read("page-2", "account-1")).toBeUndefined();
  vi.useRealTimers();
});

test("only a thousand pages are remembered", () => {
  const callers = new PageCallers();
  for (let page = 0; page <= 1000; page++) callers.write(`page-${page}`, "account-1", "user-1");
  expect(callers.read("page-0", "account-1")).toBeUndefined();
  expect(callers.read("page-1", "account-1")).toBe("user-1");
});
