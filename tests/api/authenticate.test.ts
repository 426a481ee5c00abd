import { describe, expect, test } from "vitest";
import { authenticateCaller } from "../../workers/api/http/authenticate.ts";
import { signInsOf } from "../../workers/api/http/sign-in-state.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { SIGN_IN_STATE_PATH } from "../../workers/verifier/deployment.ts";
import { d1 } from "./support/context.ts";

test("answers unavailable when it cannot fetch the keys of a token, so that the caller retries instead of signing in", async () => {
  const verifier = {
    project_id: "demo-ofuse",
    jwks_url: "https://silent-keys.example/jwk",
    fetch: () => Promise.reject(new Error("the keys cannot be fetched")),
  };
  const encodeJson = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = `${encodeJson({ alg: "RS256", kid: "k1" })}.${encodeJson({ sub: "somebody" })}.c2lnbmF0dXJl`;
  const request = new Request("https://api.example/v4/profile", { headers: { authorization: `Bearer ${token}` } });
  await expect(authenticateCaller("required", request, verifier, openDatabase(d1))).rejects.toMatchObject({
    code: "unavailable",
  });
});

describe("the state of a sign-in", () => {
  /** Returns an identity service that answers with these statuses in order; null means no answer. */
  const identityOf = (...statuses: (number | null)[]) => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(new URL(url).pathname + new URL(url).search);
      const status = statuses[asked.length - 1] ?? null;
      if (status === null) throw new Error("reset");
      return new Response(null, { status });
    };
    return { asked, signIns: signInsOf({ fetch }, "request-0001") };
  };
  const claimsOf = (signInId: string) => ({ sub: "somebody", auth_time: 0, signInId });

  test("is fetched once a second, and again before anything sensitive", async () => {
    const { asked, signIns } = identityOf(204, 204, 401);
    const claims = claimsOf("asked");
    for (let call = 0; call < 20; call++) await signIns.requireLive(claims, "t", false);
    expect(asked).toEqual([SIGN_IN_STATE_PATH]);
    await signIns.requireLive(claims, "t", true);
    await expect(signIns.requireLive(claims, "t", true)).rejects.toMatchObject({ code: "token_invalid" });
    expect(asked.slice(1)).toEqual([`${SIGN_IN_STATE_PATH}?live`, `${SIGN_IN_STATE_PATH}?live`]);
    // A known end applies to every call.
    await expect(signIns.requireLive(claims, "t", false)).rejects.toMatchObject({ code: "token_invalid" });
    expect(asked).toHaveLength(3);
  });

  test.each([
    ["cannot be reached", null],
    ["has failed", 500],
    ["is unavailable", 503],
  ])("blocks sensitive calls and lets others continue when identity %s", async (_, status) => {
    const { asked, signIns } = identityOf(status, status);
    const claims = claimsOf(`unknown ${status}`);
    await signIns.requireLive(claims, "t", false);
    await signIns.requireLive(claims, "t", false);
    expect(asked, "the second call does not ask again").toHaveLength(1);
    await expect(signIns.requireLive(claims, "t", true)).rejects.toMatchObject({ code: "unavailable" });
  });
});
