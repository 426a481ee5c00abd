import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, general, PASSWORD, refusal, signUp } from "./people.ts";
import { API_KEY, type RunningIdentity, startIdentity } from "./support.ts";

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const calls = [
  "signUp",
  "signInWithPassword",
  "signInWithCustomToken",
  "signInWithEmailLink",
  "lookup",
  "update",
  "delete",
  "sendOobCode",
  "resetPassword",
] as const;

const hostile: [string, unknown][] = [
  ["an empty body", ""],
  ["broken JSON", "{"],
  ["a list", []],
  ["null", "null"],
  ["a number", "1e999"],
  ["a prototype", '{"__proto__":{"email":"a@example.jp"}}'],
  ["numbers for texts", { email: 1, password: 2, idToken: 3, token: 4, oobCode: 5, requestType: 6 }],
  ["objects for texts", { email: {}, password: [], idToken: {}, token: {}, oobCode: {}, requestType: {} }],
  [
    "lone surrogates and zeros",
    '{"email":"\\ud800@example.jp","password":"\\ud800\\u0000aaaaaaa","idToken":"\\ud800","token":"\\u0000","oobCode":"\\ud800","requestType":"\\u0000"}',
  ],
  [
    "SQL",
    { email: "'; DROP TABLE accounts;--@example.jp", password: PASSWORD, oobCode: "' OR 1=1", idToken: "' OR 1=1" },
  ],
  ["deep nesting", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
];

describe.each(calls)("accounts:%s", (name) => {
  test.each(hostile)("answers %s with a 400 in Firebase's shape", async (_, input) => {
    const { status, body } = await call(identity, name, input);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 400, message: expect.any(String), errors: [{ domain: "global" }] });
    expect(JSON.stringify(body)).not.toMatch(/\.ts|stack|\\n/);
  });

  test("refuses more than 64 kB, declared or streamed", async () => {
    const padded = JSON.stringify({ email: "a@example.jp", padding: "x".repeat(70_000) });
    expect((await call(identity, name, padded)).status).toBe(413);
    const response = await identity.fetch(`/identitytoolkit.googleapis.com/v1/accounts:${name}?key=${API_KEY}`, {
      method: "POST",
      body: new Blob([padded]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });
});

describe("the API key", () => {
  const path = "/identitytoolkit.googleapis.com/v1/accounts:signUp";
  const postBody = async (query: string) => {
    const response = await identity.fetch(path + query, { method: "POST", body: "{}" });
    return { status: response.status, body: await response.json() };
  };

  test("is required", async () => {
    expect(await postBody("")).toMatchObject({ status: 403, body: { error: { status: "PERMISSION_DENIED" } } });
  });

  test("must be ours", async () => {
    expect(await postBody("?key=another")).toMatchObject({
      status: 400,
      body: {
        error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
      },
    });
  });
});

describe("the token endpoint", () => {
  const postBody = async (body: string, type: string) => {
    const response = await identity.fetch(`/securetoken.googleapis.com/v1/token?key=${API_KEY}`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    const answer = (await response.json()) as { error?: { message: string }; id_token?: string };
    return [response.status, answer.error?.message ?? typeof answer.id_token];
  };
  const form = "application/x-www-form-urlencoded";

  test("accepts a form or JSON", async () => {
    const { refreshToken } = await signUp(identity, "either@example.jp");
    expect(await postBody(`grant_type=refresh_token&refresh_token=${refreshToken}`, form)).toEqual([200, "string"]);
    const json = JSON.stringify({ grantType: "refresh_token", refreshToken });
    expect(await postBody(json, "application/json")).toEqual([200, "string"]);
  });

  test.each([
    ["", form, "MISSING_GRANT_TYPE"],
    ["grant_type=password", form, "INVALID_GRANT_TYPE"],
    ["grant_type=refresh_token", form, "MISSING_REFRESH_TOKEN"],
    ["grant_type=refresh_token&refresh_token=%00%ff", form, "INVALID_REFRESH_TOKEN"],
    ["{", "application/json", "Invalid JSON payload received."],
    ["[]", "application/json", "Invalid value at 'body'"],
  ])("answers %j (%s) with %s", async (body, type, message) => {
    expect(await postBody(body, type)).toEqual([400, message]);
  });
});

describe("/v2/general", () => {
  test("refuses malformed, foreign and too large bodies by code", async () => {
    const { idToken } = await signUp(identity, "bodies@example.jp");
    const putKey = async (body: BodyInit, type: string) => {
      const response = await identity.fetch("/v2/general/auth/key-for-global-sign-out", {
        method: "PUT",
        headers: { authorization: `Bearer ${idToken}`, "content-type": type },
        body,
      });
      return ((await response.json()) as { code: string }).code;
    };
    expect(await putKey("{", "application/json")).toBe("bad_request");
    expect(await putKey(new Uint8Array([0x22, 0xff, 0x22]), "application/json")).toBe("bad_request");
    expect(await putKey("key=k", "application/x-www-form-urlencoded")).toBe("unsupported_media_type");
    expect(await putKey(JSON.stringify({ key: "x".repeat(70_000) }), "application/json")).toBe("payload_too_large");
  });

  test("answers only its methods and paths", async () => {
    expect((await general(identity, "POST", "/auth/custom-token")).status).toBe(405);
    expect((await general(identity, "GET", "/nothing/here")).status).toBe(404);
  });

  test("ignores cookies", async () => {
    const { idToken } = await signUp(identity, "cookies@example.jp");
    const response = await identity.fetch("/v2/general/auth/custom-token", { headers: { cookie: `token=${idToken}` } });
    expect(response.status).toBe(401);
  });
});

test("every answer has a request id and is not cached; a caller's own id is used only if well formed", async () => {
  const fetchWithId = (id: string) => identity.fetch("/v2/general/nothing", { headers: { "x-request-id": id } });
  const given = await fetchWithId("from-the-web-worker-1");
  expect(given.headers.get("x-request-id")).toBe("from-the-web-worker-1");
  expect(given.headers.get("cache-control")).toBe("private, no-store");
  expect(given.headers.get("x-content-type-options")).toBe("nosniff");
  expect((await fetchWithId('"}{"injected":"')).headers.get("x-request-id")).toMatch(/^[0-9a-z]{26}$/);
});

test("another origin's page may call the provider, but not /v2/general, and cannot read the outbox", async () => {
  const sendPreflight = (path: string) =>
    identity.fetch(path, {
      method: "OPTIONS",
      headers: {
        origin: "http://localhost:8788",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-client-version",
      },
    });
  const allowed = await sendPreflight(`/identitytoolkit.googleapis.com/v1/accounts:signUp?key=${API_KEY}`);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("http://localhost:8788");
  expect(allowed.headers.get("access-control-allow-headers")).toContain("x-client-version");
  expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
  const refused = await call(identity, "signUp", {}, { origin: "http://localhost:8788" });
  expect(refused.headers.get("access-control-allow-origin")).toBe("http://localhost:8788");
  const outbox = ["mails", "oobCodes", "verificationCodes"].map((list) => `/emulator/v1/projects/demo-ofuse/${list}`);
  for (const path of ["/v2/general/auth/refresh-token", ...outbox]) {
    expect((await sendPreflight(path)).headers.get("access-control-allow-origin"), path).toBeNull();
    const read = await identity.fetch(path, { headers: { origin: "https://evil.example" } });
    expect(read.headers.get("access-control-allow-origin"), path).toBeNull();
  }
});

test("unknown calls and other projects' outboxes are not found", async () => {
  expect(await refusal(identity, "batchDelete", {})).toBe("Not Found");
  for (const path of ["/", "/emulator/v1/projects/demo-other/mails", "/emulator/v1/projects/demo-other/oobCodes"]) {
    expect((await identity.fetch(path)).status, path).toBe(404);
  }
});
