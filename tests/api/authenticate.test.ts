import { expect, test } from "vitest";
import { authenticate } from "../../workers/api/http/authenticate.ts";
import { openDatabase } from "../../workers/api/storage/database.ts";
import { d1 } from "./support/context.ts";

test("a token that cannot be checked is no bad token: the caller is asked to come again, not to sign in", async () => {
  const verifier = {
    project_id: "demo-ofuse",
    jwks_url: "https://silent-keys.example/jwk",
    fetch: () => Promise.reject(new Error("the keys cannot be had")),
  };
  const encode = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = `${encode({ alg: "RS256", kid: "k1" })}.${encode({ sub: "somebody" })}.c2lnbmF0dXJl`;
  const request = new Request("https://api.example/v4/profile", { headers: { authorization: `Bearer ${token}` } });
  await expect(authenticate("required", request, verifier, openDatabase(d1))).rejects.toMatchObject({
    code: "unavailable",
  });
});
