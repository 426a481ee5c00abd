import { RouterContextProvider } from "react-router";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Edge, edgeContext, jarContext } from "../../app/request/context.ts";
import { CookieJar, GUEST_COOKIE } from "../../app/request/cookies.ts";
import { claimLikes } from "../../app/session/guest.ts";
import { V4 } from "../../app/v4/client.ts";
import { problemJson } from "../../workers/contract/problem.ts";

const TOKEN = "01k7pv3m08xq6ttjqb44twk30e.signed";
const errors = vi.spyOn(console, "error").mockImplementation(() => {});
beforeEach(() => errors.mockClear());

/** Signs in a browser that has this cookie, with this answer of the API. */
async function signInAndClaim(answer: () => Response, cookie = `__Host-${GUEST_COOKIE}=${TOKEN}`) {
  const context = new RouterContextProvider();
  const jar = new CookieJar(new Request("https://ofuse.example/login", { headers: { cookie } }));
  context.set(jarContext, jar);
  context.set(edgeContext, { request_id: "request-1" } as Edge);
  const asked: unknown[] = [];
  const fetch = async (request: Request) => {
    asked.push(await request.json());
    return answer();
  };
  const limit = () => AbortSignal.timeout(1000);
  await claimLikes(
    context,
    new V4({ fetch, origin: "https://api.internal", token: "t", request_id: "request-1", limit }),
  );
  return { asked, lines: jar.lines() };
}

const refuseWith = (code: "unavailable" | "validation_failed") => () => {
  const problem = problemJson(code, "request-1");
  return new Response(JSON.stringify(problem), { status: problem.status });
};

describe("a guest's likes after a sign-in", () => {
  test("are claimed by the guest's token, which is then deleted", async () => {
    const { asked, lines } = await signInAndClaim(() => Response.json({ claimed_count: 2 }));
    expect(asked).toEqual([{ guest_token: TOKEN }]);
    expect(lines).toEqual([expect.stringMatching(/^__Host-guest=; .*Max-Age=0/)]);
  });

  test("are logged and kept for the next sign-in if the claim fails", async () => {
    const { lines } = await signInAndClaim(refuseWith("unavailable"));
    expect(lines).toEqual([]);
    expect(errors).toHaveBeenLastCalledWith(expect.stringContaining('"code":"unavailable"'));
    expect(JSON.stringify(errors.mock.calls)).not.toContain(TOKEN);
  });

  test("are given up for a token that is not ours", async () => {
    expect((await signInAndClaim(refuseWith("validation_failed"))).lines).toHaveLength(1);
  });

  test("cause no request without a token", async () => {
    expect(await signInAndClaim(() => Response.json({}), "theme=dark")).toEqual({ asked: [], lines: [] });
  });
});
