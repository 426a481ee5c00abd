import { describe, expect, test, vi } from "vitest";
import { finishFollow } from "../../app/forms/intent.ts";
import { readFlash } from "../../app/request/flash.ts";
import { V4 } from "../../app/v4/client.ts";
import { type ErrorCode, errorCatalogue } from "../../workers/contract/errors.ts";
import { problemJson } from "../../workers/contract/problem.ts";
import { contextOfBrowser } from "./support/browser-context.ts";

vi.spyOn(console, "error").mockImplementation(() => {});

const COOKIE = "__Host-soziIdFollowIntent=01k7pv3m08xq6ttjqb44twk30e.secret";

/** Finishes the sign-in of a browser with this cookie, with this answer of the API, and opens the next page. */
async function signInAndFollow(answer: () => Response, cookie = COOKIE) {
  const { context, jar } = contextOfBrowser(cookie);
  const fetch = async () => answer();
  const limit = () => AbortSignal.timeout(1000);
  const tells = await finishFollow(
    context,
    new V4({ fetch, origin: "https://api.internal", token: "t", request_id: "request-1", limit }),
  );
  const lines = jar.lines();
  const flash = readFlash(contextOfBrowser(lines.find((line) => line.includes("flash=")) ?? "").context);
  return { tells, said: flash?.text ?? null, is_kept: !lines.some((line) => line.includes("FollowIntent=;")) };
}

const refuseWith = (code: ErrorCode) => () => {
  const problem = problemJson(code, "request-1");
  return new Response(JSON.stringify(problem), { status: problem.status });
};

describe("a follow that waited for the sign-in", () => {
  test("is said to be done", async () => {
    const intent = { kind: "follow", following_id: "01k7pv3m08xq6ttjqb44twk30e" };
    expect(await signInAndFollow(() => Response.json({ intent }))).toEqual({
      tells: true,
      said: "フォローしました",
      is_kept: false,
    });
  });

  test.each(["blocked", "cannot_follow_yourself", "daily_follow_limit_reached", "not_found"] as const)(
    "is refused with the sentence of a direct press: %s",
    async (code) => {
      const said = errorCatalogue[code].detail;
      expect(await signInAndFollow(refuseWith(code))).toEqual({ tells: true, said, is_kept: false });
    },
  );

  test("waits for the next sign-in when the API fails, and says so", async () => {
    expect(await signInAndFollow(refuseWith("internal_error"))).toEqual({
      tells: true,
      said: "フォローできませんでした。もう一度お試しください",
      is_kept: true,
    });
  });

  test("is silent when another request of the browser has done it", async () => {
    expect(await signInAndFollow(refuseWith("intent_unusable"))).toEqual({ tells: false, said: null, is_kept: false });
  });

  test("is silent in a browser that has none", async () => {
    const never = () => {
      throw new Error("the API is not asked");
    };
    expect(await signInAndFollow(never, "")).toEqual({ tells: false, said: null, is_kept: true });
  });
});
