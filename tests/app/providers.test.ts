import { UnsecuredJWT } from "jose";
import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { retryAfterContext } from "../../app/request/context.ts";
import { IdentityRefusal, IdentityToolkit } from "../../app/session/identity-toolkit.ts";
import { linkedProviders } from "../../app/session/providers.ts";
import { refusalOf } from "../../app/sign-in/refusals.ts";

const tokenOf = (sign_in_provider: string, ...kinds: string[]) => {
  const identities = Object.fromEntries(kinds.map((kind) => [kind, ["x"]]));
  return new UnsecuredJWT({ firebase: { sign_in_provider, identities } }).encode();
};

/** Returns a provider that knows these sign-in methods of the account, or gives this answer. */
function newProvider(answer: string[] | (() => Response)) {
  const asked: string[] = [];
  const toolkit = new IdentityToolkit({
    toolkit_url: "https://provider.test",
    secure_token_url: "https://provider.test",
    api_key: "key",
    device: "",
    language: "ja",
    fetch: async (url) => {
      asked.push(new URL(url).pathname);
      if (!Array.isArray(answer)) return answer();
      return Response.json({ users: [{ providerUserInfo: answer.map((providerId) => ({ providerId })) }] });
    },
  });
  return { toolkit, asked };
}

test("an account with or without an address shows how it signs in, without asking the provider", async () => {
  const { toolkit, asked } = newProvider(["never asked"]);
  expect(await linkedProviders(toolkit, tokenOf("password", "email"))).toEqual(["password"]);
  expect(await linkedProviders(toolkit, tokenOf("emailLink", "email"))).toEqual(["password"]);
  expect(await linkedProviders(toolkit, tokenOf("phone", "phone"))).toEqual(["phone"]);
  expect(await linkedProviders(toolkit, tokenOf("oidc.line", "oidc.line"))).toEqual(["oidc.line"]);
  expect(asked).toEqual([]);
});

test("the address of a Google account does not imply a password: the provider is asked", async () => {
  const without = newProvider(["google.com"]);
  expect(await linkedProviders(without.toolkit, tokenOf("google.com", "email", "google.com"))).toEqual(["google.com"]);
  expect(without.asked).toEqual(["/v1/accounts:lookup"]);
  const both = newProvider(["google.com", "password"]);
  const linked = await linkedProviders(both.toolkit, tokenOf("google.com", "email", "google.com"));
  expect(linked).toEqual(["google.com", "password"]);
});

test.each<[string, () => Response]>([
  ["is down", () => new Response("down", { status: 503 })],
  ["answers with a page", () => new Response("<!doctype html>")],
  ["refuses", () => Response.json({ error: { message: "USER_NOT_FOUND" } }, { status: 400 })],
])("locks nobody out and assumes no password when the provider %s", async (_, answer) => {
  const { toolkit } = newProvider(answer);
  expect(await linkedProviders(toolkit, tokenOf("google.com", "email", "google.com"))).toEqual(["google.com"]);
  expect(await linkedProviders(toolkit, tokenOf("password", "email", "phone"))).toEqual(["password", "phone"]);
});

test("a refusal for too many attempts asks to wait for the longest window of the limits, an hour", () => {
  const context = new RouterContextProvider();
  expect(refusalOf(context, new IdentityRefusal("TOO_MANY_ATTEMPTS_TRY_LATER")).status).toBe(429);
  expect(context.get(retryAfterContext)).toBe(60 * 60);
});

test("an app whose secret is lost is no outage: the page offers the other ways, and does not begin again", () => {
  const { status, message } = refusalOf(new RouterContextProvider(), new IdentityRefusal("UNREADABLE_SECOND_FACTOR"));
  expect([status, message]).toEqual([422, expect.stringContaining("ほかの方法")]);
});
