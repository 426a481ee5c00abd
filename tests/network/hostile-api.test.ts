import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { listUserEvents } from "../../workers/contract/events.ts";
import { productOperations } from "../../workers/contract/index.ts";
import { createIntent, redeemIntent } from "../../workers/contract/intents.ts";
import type { Operation } from "../../workers/contract/operation.ts";
import { listRelationships } from "../../workers/contract/relationships.ts";
import { getUser, updateProfile } from "../../workers/contract/users.ts";
import { api, database, freshMember, type Member, network } from "../support/network.ts";
import { shareOf } from "../support/share.ts";
import { ask, expectProblem, NOBODY, refused, userId } from "./support/calls.ts";

let member: Member;
let natsume: string;
beforeAll(async () => {
  member = await freshMember("敵意");
  natsume = await userId("natsume");
});

const withBody = productOperations.filter(({ body }) => body);
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const pathOf = (path: string) => path.replace(/\{\w+\}/g, NOBODY);

describe.concurrent.each(withBody.map((operation, index) => ({ ...operation, index })))("$id", (operation) => {
  const { method, path, index } = operation;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api(method, pathOf(path), { token: member.token, body, headers });

  test("refuses a body that is not JSON", async () => {
    const no_text = new Uint8Array([0x7b, 0x22, 0xff, 0xc0, 0xaf, 0x22, 0x7d]);
    const broken = ["", "{", '{"a":}', "\ufeff{", "{'a':1}", "undefined", "{}{}", '{"a":"\u0000"}', no_text];
    for (const body of shareOf(broken, index, 2)) expectProblem(await post(body), "bad_request");
  });

  test("refuses JSON of the wrong shape", async () => {
    // An empty change of a profile is valid too, so it is left out.
    const strange = [[], null, 1, "1e999", '"{}"', true, nested(32)];
    for (const each of shareOf(strange, index, 2)) {
      expectProblem(await post(typeof each === "string" ? each : JSON.stringify(each)), "validation_failed");
    }
  });

  test("refuses JSON with more depth or values than any call needs", async () => {
    const many = (values: number) => `[${Array(values - 1).fill(0)}]`;
    const needless = [nested(33), nested(20_000), many(65_002)];
    for (const body of shareOf(needless, index, 1)) expectProblem(await post(body), "bad_request");
  });

  test("refuses every other content type", async () => {
    const others = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"];
    for (const type of shareOf(others, index, 1)) {
      expectProblem(await post("{}", { "content-type": type }), "unsupported_media_type");
    }
  });

  test("refuses a megabyte, announced or streamed", async () => {
    const megabyte = JSON.stringify({ message: "あ".repeat(350_000) });
    const announced = async () => {
      expectProblem(await post(megabyte), "payload_too_large");
    };
    const streamed = async () => {
      const response = await fetch(`${(await network()).url}${pathOf(path)}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${member.token}` },
        body: new Blob([megabyte]).stream(),
        duplex: "half",
      } as RequestInit);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: "payload_too_large" });
    };
    for (const sendIt of shareOf([announced, streamed], index, 1)) await sendIt();
  });
});

describe("texts that cannot be stored as they are", () => {
  test.each(["\\ud800", "\\udfff\\ud800", "\\u0000", "\\u001b[31m", "\\u0086"])("%s is refused", async (escaped) => {
    const letter = `{"receiver_user_id":"${natsume}","message":"あ${escaped}い"}`;
    const reply = await api("POST", "/v4/free_ofuses", { token: member.token, body: letter });
    expect(expectProblem(reply, "validation_failed").errors).toHaveProperty("message");
    const profile = await api("PUT", "/v4/profile", { token: member.token, body: `{"bio":"${escaped}x"}` });
    expectProblem(profile, "validation_failed");
  });

  test("SQL and markup are stored as plain text", async () => {
    const bio = `'; DROP TABLE users;-- <script>alert(1)</script> \${7*7} %00`;
    expect((await ask(updateProfile, { token: member.token, body: { bio } })).user.bio).toBe(bio);
  });

  test("a prototype's property is not a field", async () => {
    const reply = await api("PUT", "/v4/profile", {
      token: member.token,
      body: '{"__proto__":{"is_creator":true},"constructor":{"prototype":{}},"is_creator":true,"email":"a@example.jp"}',
    });
    expect(reply.json).toMatchObject({ user: { is_creator: false, email: member.email } });
  });

  test("a lone surrogate or a NUL in a query finds nobody", async () => {
    for (const link_id of ["%00", "%ed%a0%80", "%ff", "natsume%00", "%27%20OR%201=1"]) {
      const { status, text } = await api("GET", `/v4/users?link_id=${link_id}`);
      expect({ link_id, status, text }).toMatchObject({ status: 404 });
    }
    await refused(getUser, "validation_failed", { query: { link_id: "a".repeat(65) } });
  });

  test("an intent stores no more words than its form may have", async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, "x"]));
    const form = { kind: "form", path: "/natsume/ofuse" } as const;
    await ask(createIntent, { body: { ...form, fields: fields(150) } });
    await refused(createIntent, "validation_failed", { body: { ...form, fields: fields(151) } });
    await refused(createIntent, "validation_failed", { body: { ...form, path: "https://evil.example", fields: {} } });
    await refused(createIntent, "validation_failed", { body: { kind: "pay", amount: 1 } });
  });

  test("an intent cannot be read with another secret", async () => {
    const { intent_id } = await ask(createIntent, { body: { kind: "follow", following_id: natsume } });
    for (const call of [{ intent_id }, { intent_id: NOBODY }]) {
      for (const token of [member.token, null]) {
        await refused(redeemIntent, "intent_unusable", { params: call, token, body: { secret: "guess" } });
      }
    }
    expect((await ask(listRelationships, { token: member.token })).relationships).toEqual([]);
  });

  test("an intent to follow is redeemed once", async () => {
    const { intent_id, secret } = await ask(createIntent, { body: { kind: "follow", following_id: natsume } });
    const { token } = await freshMember("あとから");
    const call = { params: { intent_id }, token, body: { secret } };
    await ask(redeemIntent, call);
    await refused(redeemIntent, "intent_unusable", call);
    expect((await ask(listRelationships, { token })).relationships).toHaveLength(1);
  });
});

describe("a page number", () => {
  test.each(["-1", "0", "abc", "1.5", "10001", "1e9", "NaN", "Infinity", "", "9007199254740993", "1,2"])(
    "%j is refused",
    async (page_number) => {
      const params = { user_id: natsume };
      await refused(listUserEvents, "validation_failed", { params, query: { page_number } });
      await refused(listRelationships, "validation_failed", { token: member.token, query: { page_number } });
    },
  );

  test("10,000 is an empty page", async () => {
    const page = await ask(listUserEvents, { params: { user_id: natsume }, query: { page_number: 10_000 } });
    expect(page).toMatchObject({ events: [], has_next: false });
  });
});

const MALFORMED_IDS = [
  ...["natsume", "1", "0", "-1", NOBODY.toUpperCase(), `8${NOBODY.slice(1)}`, `${NOBODY}z`, "%00", "%27--"],
];
/** Returns the query fields that accept only ids. A token of a page looks like one, and a malformed one is refused as such. */
const idsAsked = ({ id, query }: Operation) =>
  Object.entries(query?.shape ?? {}).flatMap(([name, schema]) => {
    if (name === "next_page_token" || (id === "exportAccount" && name === "after")) return [];
    const takes = (value: string) => z.safeParse(schema as z.ZodType, value).success;
    return takes(NOBODY) && !takes("natsume") ? [name] : [];
  });

const asking = productOperations.filter((operation) => idsAsked(operation).length > 0);
test.concurrent.each(asking)("$id finds nothing by a malformed id in its query", async (operation) => {
  for (const name of idsAsked(operation)) {
    for (const malformed of shareOf(MALFORMED_IDS, asking.indexOf(operation), 3)) {
      const call = { token: operation.auth === "none" ? null : member.token, query: { [name]: malformed } };
      const params = Object.fromEntries(
        [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => [key, NOBODY]),
      );
      await refused(operation, "not_found", { ...call, params });
    }
  }
});

const withId = productOperations.filter(({ path }) => path.includes("{"));
test.concurrent.each(withId)("$id finds nothing by a malformed id", async (operation) => {
  for (const malformed of shareOf(MALFORMED_IDS, withId.indexOf(operation), 2)) {
    const path = operation.path.replace(/\{\w+\}/g, malformed);
    const body = { secret: "x", is_opened: true };
    const options = { token: member.token, ...("body" in operation && { body }) };
    expectProblem(await api(operation.method, path, options), "not_found");
  }
});

test.each(["/v4/users/%ff/events", "/v4/events/%c0%af", "/v4/events/%ed%a0%80"])(
  "%s is refused without an internal error",
  async (path) => {
    const reply = await api("GET", path);
    expectProblem(reply, reply.status === 404 ? "not_found" : "bad_request");
  },
);

test.each([
  "/v4/",
  "/v4/nothing",
  "/v4/profile/",
  "/v4/profile/x",
  "/v4/users/x/y/z",
  "/api/",
  "/api/nothing",
  "/v4//profile",
])("%s is not found in the API", async (path) => {
  expectProblem(await api("GET", path), "not_found");
});

describe("an unsupported method", () => {
  const paths = [...Map.groupBy(productOperations, ({ path }) => path)];

  test.concurrent.each(paths)("at %s is refused with the supported ones", async (path, operations) => {
    const allowed = operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).sort();
    const others = ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((each) => !allowed.includes(each));
    const index = paths.findIndex(([each]) => each === path);
    for (const method of shareOf(others, index, 1)) {
      const reply = await api(method, pathOf(path), { token: member.token });
      expectProblem(reply, "method_not_allowed");
      expect(reply.headers.get("allow")?.split(/, */).sort()).toEqual(allowed);
    }
  });

  test("is refused for pictures too", async () => {
    const reply = await api("POST", `/media/${NOBODY}/medium`);
    expectProblem(reply, "method_not_allowed");
    expect(reply.headers.get("allow")).toMatch(/GET/);
  });
});

test("the request id is always our own", async () => {
  const headers = { "x-request-id": "my-request-0001" };
  for (const path of ["/v4/profile", "/v4/nothing", "/v4/docs", "/media/x/medium", "/v2/general/auth/sign-ins"]) {
    expect((await api("GET", path, { headers })).headers.get("x-request-id"), path).toMatch(/^[0-9a-z]{26}$/);
  }
});

test("every answer of the API forbids content sniffing", async () => {
  const [image_id] = (await (await database()).prepare("SELECT image_id FROM images WHERE access = 'public'").all())
    .results;
  const asked: [method: string, path: string, status: number][] = [
    ["GET", "/v4/genres/all", 200],
    ["GET", "/v4/profile", 401],
    ["GET", "/v4/nothing", 404],
    ["PUT", "/v4/genres/all", 405],
    ["GET", "/v4/openapi.json", 200],
    ["GET", "/v4/docs", 200],
    ["GET", "/api/maintenance", 200],
    ["GET", `/media/${image_id?.image_id}/medium`, 200],
    ["GET", "/media/x/medium", 404],
  ];
  for (const [method, path, status] of asked) {
    const reply = await api(method, path);
    expect([path, reply.status, reply.headers.get("x-content-type-options")]).toEqual([path, status, "nosniff"]);
  }
});
