import { decodeJwt, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf, provenAccount, signedInBefore } from "./factor-people.ts";
import * as idp from "./federated-people.ts";
import { type Begun, callbackOf, newPerson, type Person } from "./federated-people.ts";
import { call, refresh, signIn, signUp } from "./people.ts";
import { PROJECT_ID, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const beginSignIn = (provider: string) => idp.beginSignIn(identity, provider);
const chooseIdentity = (begun: Pick<Begun, "auth_uri">, person: Person) => idp.chooseIdentity(identity, begun, person);
const finishSignIn = (begun: Begun, post_body: URLSearchParams, more = {}) =>
  idp.finishSignIn(identity, begun, post_body, more);
const signInWith = (provider: string, person: Person, more = {}) => idp.signInWith(identity, provider, person, more);

test.each(["google.com", "apple.com", "oidc.line"])(
  "%s creates an account, and signs in to it again",
  async (provider) => {
    const person = newPerson();
    const first = await signInWith(provider, person);
    expect(first.body).toMatchObject({
      isNewUser: true,
      providerId: provider,
      email: person.email,
      emailVerified: true,
    });
    expect(decodeJwt(String(first.body.idToken))).toMatchObject({
      email: person.email,
      email_verified: true,
      name: "花子",
      firebase: { sign_in_provider: provider, identities: { [provider]: [first.body.federatedId] } },
    });
    const second = await signInWith(provider, person);
    expect(second.body).toMatchObject({ isNewUser: false, localId: first.body.localId });
    const known = await call(identity, "lookup", { idToken: second.body.idToken });
    const [user] = known.body.users as { providerUserInfo: { providerId: string }[] }[];
    expect(user?.providerUserInfo.map(({ providerId }) => providerId)).toEqual([provider]);
  },
);

test("X reveals no address, and an unverified address does not become the account's", async () => {
  const x = await signInWith("twitter.com", { name: "名無し", email: "ignored@example.jp", email_verified: "1" });
  expect(x.body).toMatchObject({ isNewUser: true });
  expect(decodeJwt(String(x.body.idToken))).not.toHaveProperty("email");
  await signUp(identity, "unvouched@example.jp");
  const claimed = await signInWith("google.com", { name: "偽物", email: "unvouched@example.jp" });
  expect(claimed.body).toMatchObject({ isNewUser: true });
  expect(claimed.body).not.toHaveProperty("needConfirmation");
  expect(decodeJwt(String(claimed.body.idToken))).not.toHaveProperty("email");
});

test("a callback works once, however many arrive in parallel", async () => {
  const begun = await beginSignIn("google.com");
  const called_back = await chooseIdentity(begun, newPerson());
  const replies = await Promise.all([1, 2, 3, 4].map(() => finishSignIn(begun, called_back)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(codeOf(await finishSignIn(begun, called_back))).toBe("INVALID_IDP_RESPONSE");
});

describe("a callback is refused", () => {
  test("with the state or the code of another browser's session", async () => {
    const [mine, theirs] = [await beginSignIn("google.com"), await beginSignIn("google.com")];
    const their_answer = await chooseIdentity(theirs, newPerson());
    expect(codeOf(await finishSignIn(mine, their_answer))).toBe("INVALID_IDP_RESPONSE");
    // The state is right, but the code was issued for another session's nonce.
    const injected = await beginSignIn("google.com");
    const params = new URLSearchParams({
      state: injected.auth_uri.searchParams.get("state") ?? "",
      code: their_answer.get("code") ?? "",
    });
    expect(codeOf(await finishSignIn(injected, params))).toBe("INVALID_IDP_RESPONSE");
  });

  test("without a session, or with an expired one", async () => {
    const begun = await beginSignIn("google.com");
    const called_back = await chooseIdentity(begun, newPerson());
    expect(codeOf(await finishSignIn({ ...begun, session: "" }, called_back))).toBe("INVALID_IDP_RESPONSE");
    await identity.database
      .prepare("UPDATE challenges SET expires_at = ? WHERE kind = 'federated'")
      .bind(new Date().toISOString())
      .run();
    expect(codeOf(await finishSignIn(begun, called_back))).toBe("INVALID_IDP_RESPONSE");
  });

  test("with a code of another provider", async () => {
    const [google, line] = [await beginSignIn("google.com"), await beginSignIn("oidc.line")];
    const from_line = await chooseIdentity(line, newPerson());
    const params = new URLSearchParams({
      state: google.auth_uri.searchParams.get("state") ?? "",
      code: from_line.get("code") ?? "",
    });
    expect(codeOf(await finishSignIn(google, params))).toBe("INVALID_IDP_RESPONSE");
  });

  test("at an address other than the requested one", async () => {
    const begun = await beginSignIn("google.com");
    const reply = await finishSignIn(begun, await chooseIdentity(begun, newPerson()), {
      requestUri: callbackOf("apple.com"),
    });
    expect(codeOf(reply)).toBe("INVALID_IDP_RESPONSE");
  });

  test("when the user cancelled", async () => {
    const begun = await beginSignIn("google.com");
    expect(codeOf(await finishSignIn(begun, await chooseIdentity(begun, { deny: "1" })))).toBe("USER_CANCELLED");
  });
});

describe("an address that another provider verified", () => {
  test("is not taken from the account that has proven it: its owner signs in first, and then both are linked", async () => {
    const person = newPerson();
    const { localId } = await provenAccount(identity, person.email ?? "");
    const asked = await signInWith("google.com", person);
    expect(asked.body).toMatchObject({ needConfirmation: true, email: person.email });
    expect(asked.body.verifiedProvider).toContain("password");
    expect(asked.body).not.toHaveProperty("idToken");
    const { idToken } = await signIn(identity, person.email ?? "");
    const pending = { pendingToken: asked.body.pendingToken, idToken, requestUri: "http://localhost" };
    const linked = await call(identity, "signInWithIdp", pending);
    expect(linked.body).toMatchObject({ localId, isNewUser: false });
    expect(decodeJwt(String(linked.body.idToken))).toMatchObject({ email_verified: true });
    expect(codeOf(await call(identity, "signInWithIdp", pending))).toBe("INVALID_PENDING_TOKEN");
    expect((await signInWith("google.com", person)).body).toMatchObject({ localId, isNewUser: false });
  });

  test("is proven for an account that has it and links the provider", async () => {
    const person = newPerson();
    const { idToken, localId } = await signUp(identity, person.email ?? "");
    const linked = await signInWith("google.com", person, { idToken });
    expect(linked.body).toMatchObject({ localId, emailVerified: true });
    expect((await signIn(identity, person.email ?? "")).localId).toBe(localId);
  });

  test("cannot be linked to a third account by the holder of the pending token", async () => {
    const person = newPerson();
    await provenAccount(identity, person.email ?? "");
    const asked = await signInWith("google.com", person);
    const { idToken } = await signUp(identity, `third-${person.email}`);
    const reply = await call(identity, "signInWithIdp", { pendingToken: asked.body.pendingToken, idToken });
    expect(codeOf(reply)).toBe("EMAIL_EXISTS");
  });
});

describe("linking an identity", () => {
  test("is refused if another account has it, also in Firebase's other error format", async () => {
    const person = newPerson();
    await signInWith("google.com", person);
    const { idToken } = await signUp(identity, `wants-${person.email}`);
    expect(codeOf(await signInWith("google.com", person, { idToken }))).toBe("FEDERATED_USER_ID_ALREADY_LINKED");
    const beside = await signInWith("google.com", person, { idToken, returnIdpCredential: true });
    expect(beside).toMatchObject({ status: 200, body: { errorMessage: "FEDERATED_USER_ID_ALREADY_LINKED" } });
    expect(beside.body).not.toHaveProperty("idToken");
  });

  test("is refused for a second identity of the same provider, and allowed for the same identity again", async () => {
    const person: Person = { name: "本人" };
    const { idToken, localId } = await signUp(identity, "links-twice@example.jp");
    const linked = await signInWith("oidc.line", person, { idToken });
    expect(linked.body).toMatchObject({ localId });
    expect((await signInWith("oidc.line", person, { idToken })).body).toMatchObject({ localId });
    expect(codeOf(await signInWith("oidc.line", { name: "別人" }, { idToken }))).toBe("PROVIDER_ALREADY_LINKED");
  });

  test("requires a sign-in within the last five minutes", async () => {
    const { localId, refreshToken } = await signUp(identity, "links-late@example.jp");
    await signedInBefore(identity, localId, 6 * 60_000);
    const { body } = await refresh(identity, refreshToken);
    expect(codeOf(await signInWith("google.com", newPerson(), { idToken: body.id_token }))).toBe(
      "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
    );
  });
});

describe("an ID token that a client obtained itself", () => {
  const idTokenOf = async (provider: string, person: Person, nonce?: string) => {
    const auth_uri = new URL(`${identity.origin}/developer-idp/${provider}/authorize`);
    const redirect_uri = callbackOf(provider);
    const asked = { client_id: PROJECT_ID, redirect_uri, response_type: "code", state: "s", ...(nonce && { nonce }) };
    auth_uri.search = new URLSearchParams(asked).toString();
    const code = (await chooseIdentity({ auth_uri }, person)).get("code") ?? "";
    const response = await identity.fetch(`/developer-idp/${provider}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "authorization_code", client_id: PROJECT_ID, redirect_uri, code }),
    });
    return ((await response.json()) as { id_token: string }).id_token;
  };
  const presentToken = (provider: string, id_token: string, nonce?: string) =>
    call(identity, "signInWithIdp", {
      requestUri: "http://localhost",
      postBody: new URLSearchParams({ id_token, providerId: provider, ...(nonce && { nonce }) }).toString(),
    });

  test("signs in only with its nonce and at its own provider", async () => {
    const id_token = await idTokenOf("google.com", newPerson(), "my-nonce");
    expect(codeOf(await presentToken("google.com", id_token))).toBe("MISSING_OR_INVALID_NONCE");
    expect(codeOf(await presentToken("google.com", id_token, "another"))).toBe("MISSING_OR_INVALID_NONCE");
    expect(codeOf(await presentToken("apple.com", id_token, "my-nonce"))).toBe("INVALID_IDP_RESPONSE");
    expect((await presentToken("google.com", id_token, "my-nonce")).body).toMatchObject({ isNewUser: true });
  });

  test("is refused if it is forged, unsigned, malformed, or an ID token of our own provider", async () => {
    const { privateKey } = await generateKeyPair("RS256");
    const { keys } = (await (await identity.fetch("/developer-idp/google.com/keys")).json()) as { keys: JWK[] };
    const forgeToken = (alg: string) =>
      new SignJWT({ email: "victim@example.jp", email_verified: true })
        .setProtectedHeader({ alg, kid: keys[0]?.kid })
        .setIssuer("https://google.com.developer-idp.invalid")
        .setAudience(PROJECT_ID)
        .setSubject("victim")
        .setIssuedAt()
        .setExpirationTime("5m");
    const forged = await forgeToken("RS256").sign(privateKey);
    const confused = await forgeToken("HS256").sign(new TextEncoder().encode(JSON.stringify(keys[0])));
    const { idToken } = await signUp(identity, "own-token@example.jp");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${forged.split(".")[1]}.`;
    for (const token of [forged, confused, unsigned, idToken, "", "a.b.c", JSON.stringify({ sub: "victim" })]) {
      expect(codeOf(await presentToken("google.com", token)), token).toBe("INVALID_IDP_RESPONSE");
    }
  });
});

describe("the developer identity provider", () => {
  const openPage = (auth_uri: URL, init?: RequestInit) =>
    identity.fetch(`${auth_uri.pathname}${auth_uri.search}`, { redirect: "manual", ...init });

  test("redirects only to its own site", async () => {
    for (const uri of [
      "https://evil.example/login/callback/google.com",
      "http://localhost:8788@evil.example/",
      "http://user@localhost:8788/",
      "http://localhost:9999/",
      "https://localhost:8788/",
      "//evil.example",
      "javascript:alert(1)",
      "",
    ]) {
      const { auth_uri } = await beginSignIn("google.com");
      auth_uri.searchParams.set("redirect_uri", uri);
      const shown = await openPage(auth_uri);
      expect([uri, shown.status, shown.headers.get("location")]).toEqual([uri, 400, null]);
      const posted = await openPage(auth_uri, {
        method: "POST",
        headers: { origin: identity.origin },
        body: new URLSearchParams({ person: "0" }),
      });
      expect([uri, posted.status, posted.headers.get("location")]).toEqual([uri, 400, null]);
      const continued = await call(identity, "createAuthUri", { providerId: "google.com", continueUri: uri });
      expect([uri, continued.status]).toEqual([uri, 400]);
    }
  });

  test("shows a page without script that accepts no cross-site form", async () => {
    const { auth_uri } = await beginSignIn("google.com");
    const shown = await openPage(auth_uri);
    expect(shown.headers.get("content-security-policy")).toMatch(/default-src 'none'.*form-action 'self'/);
    expect(await shown.text()).not.toMatch(/<script|onclick/);
    for (const origin of [undefined, "null", "https://evil.example"]) {
      const posted = await openPage(auth_uri, {
        method: "POST",
        headers: origin ? { origin } : {},
        body: new URLSearchParams({ person: "0" }),
      });
      expect([origin, posted.status]).toEqual([origin, 403]);
    }
  });

  test("keeps mistyped fields, with their errors", async () => {
    const { auth_uri } = await beginSignIn("google.com");
    const posted = await openPage(auth_uri, {
      method: "POST",
      headers: { origin: identity.origin },
      body: new URLSearchParams({ person: "typed", name: '"><b>', email: "not an address" }),
    });
    expect(posted.status).toBe(422);
    const text = await posted.text();
    expect(text).toContain("メールアドレスの形式が正しくありません。");
    expect(text).toContain('value="not an address"');
    expect(text).not.toContain("<b>");
  });

  test("exchanges a code once", async () => {
    const begun = await beginSignIn("google.com");
    const code = (await chooseIdentity(begun, newPerson())).get("code") ?? "";
    const exchangeCode = () =>
      identity.fetch("/developer-idp/google.com/token", {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: PROJECT_ID,
          redirect_uri: callbackOf("google.com"),
          code,
        }),
      });
    const statuses = (await Promise.all([exchangeCode(), exchangeCode(), exchangeCode()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400, 400]);
  });
});

test("is not served for a project that is not a demo", async () => {
  const staging = await startIdentity({ PROJECT_ID: "staging-ofuse" });
  try {
    expect((await staging.fetch("/developer-idp/google.com/authorize")).status).toBe(404);
    const asked = { providerId: "google.com", continueUri: callbackOf("google.com") };
    expect(codeOf(await call(staging, "createAuthUri", asked))).toBe("OPERATION_NOT_ALLOWED");
    expect(codeOf(await call(staging, "signInWithIdp", { postBody: "code=a&state=b", sessionId: "c" }))).toBe(
      "OPERATION_NOT_ALLOWED",
    );
  } finally {
    await staging.stop();
  }
});
