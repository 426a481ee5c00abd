import Stripe from "stripe";
import { describe, expect, test, vi } from "vitest";
import { causesOf, logUnexpected, messagesOf } from "../../workers/kernel/log.ts";

/** Logs an error, and returns the line's fields. */
function lineOf(error: unknown): Record<string, unknown> & { causes?: string[] } {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  logUnexpected(error, "request-0001", { step: "settle" });
  const line = JSON.parse(logged.mock.lastCall?.[0]);
  logged.mockRestore();
  return line;
}

describe("the line of an unexpected error", () => {
  test("has the chain of causes, outermost first, each with its calls", () => {
    const network = new TypeError("fetch failed");
    const line = lineOf(new Error("no answer", { cause: new Error("the worker is away", { cause: network }) }));
    expect(line).toMatchObject({ message: "no answer", request_id: "request-0001", step: "settle", name: "Error" });
    expect(line.causes).toEqual([
      expect.stringMatching(/^Error: the worker is away\n +at /),
      expect.stringMatching(/^TypeError: fetch failed\n +at /),
    ]);
  });

  test("names every error of an AggregateError, and its cause", () => {
    const first = new Error("row 1", { cause: new Error("the database is locked") });
    const { causes } = lineOf(new AggregateError([first, new Error("row 2")], "row 1; row 2"));
    expect(causes?.map((cause) => cause.split("\n")[0])).toEqual([
      "Error: row 1",
      "Error: row 2",
      "Error: the database is locked",
    ]);
  });

  test("says what Stripe answered, and why a connection to it failed", () => {
    const broken = new Stripe.errors.StripeAPIError({ message: "", statusCode: 503, requestId: "req_1" } as never);
    expect(lineOf(broken)).toMatchObject({ status: 503, answer_id: "req_1" });
    const lost = new Stripe.errors.StripeConnectionError({ message: "lost", detail: new Error("reset") } as never);
    const { causes } = lineOf(new Error("the payment waits", { cause: lost }));
    expect(causes?.map((cause) => cause.split("\n")[0])).toEqual(["StripeConnectionError: lost", "Error: reset"]);
  });

  test("has no field for causes when there are none", () => {
    expect(Object.keys(lineOf(new Error("broken")))).not.toContain("causes");
    expect(Object.keys(lineOf("broken"))).not.toContain("causes");
  });

  test("ends at a circle, and after ten causes", () => {
    const circle = new Error("circle");
    circle.cause = new Error("back", { cause: circle });
    expect(causesOf(circle)).toHaveLength(2);
    const errors = Array.from({ length: 30 }, (_, index) => new Error(`row ${index}`));
    expect(causesOf(new AggregateError(errors))).toHaveLength(10);
  });

  test("does not quote what a cause could not read", () => {
    const read = () => JSON.parse("token-of-natsume");
    const error = new Error("no session", { cause: captureError(read) });
    expect(JSON.stringify(lineOf(error))).not.toContain("token");
    expect(messagesOf(error)).toBe("no session: SyntaxError");
  });
});

test("the messages of an error and its cause are one text, and say nothing twice", () => {
  expect(messagesOf(new Error("gateway_unreachable", { cause: new Error("timed out") }))).toBe(
    "gateway_unreachable: timed out",
  );
  expect(messagesOf(new Error("D1_ERROR: overloaded", { cause: new Error("overloaded") }))).toBe(
    "D1_ERROR: overloaded",
  );
  expect(messagesOf("broken")).toBe("broken");
});

function captureError(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
