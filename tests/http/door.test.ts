import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { defineOperation } from "../../workers/contract/operation.ts";
import { problemJson } from "../../workers/contract/problem.ts";
import { jsonAnswer } from "../../workers/http/answer.ts";
import { readText } from "../../workers/http/body.ts";
import { answerRequest } from "../../workers/http/door.ts";
import { checkValue, readInput } from "../../workers/http/input.ts";
import { createRouter } from "../../workers/http/router.ts";
import { Problem } from "../../workers/kernel/problem.ts";

const MAX_BYTES = 100;
const address = "https://api.example/v4/boxes/a%2Fb";

/** Returns a problem's body and its headers. */
async function refusalOf(error: unknown, headers: Record<string, string> = {}) {
  const response = await answerRequest(new Request(address, { headers }), async () => {
    throw error;
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Runs `act` and returns what it logged as errors. */
async function loggedBy(act: () => Promise<unknown>): Promise<string[]> {
  const log = vi.spyOn(console, "error").mockReturnValue();
  await act();
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  return lines;
}

describe("an error", () => {
  test("that is unexpected is logged under the request's id, and reveals nothing to the caller", async () => {
    const lines = await loggedBy(async () => {
      const { body } = await refusalOf(new Error("no such table: users"), { "x-request-id": "request-0001" });
      expect(body).toEqual(problemJson("internal_error", "request-0001"));
    });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ request_id: "request-0001", message: "no such table: users" });
  });

  test("with an undeclared code becomes internal_error", async () => {
    const lines = await loggedBy(async () => {
      expect((await refusalOf(new Problem("no_such_code"))).body).toMatchObject({ code: "internal_error" });
    });
    expect(lines).toHaveLength(1);
  });

  test("caused by the caller is not logged", async () => {
    expect(await loggedBy(() => refusalOf(new Problem("not_found", { cause: new Error("why") })))).toEqual([]);
  });

  test.each(["unavailable", "gateway_unreachable"])("with the code %s logs its cause", async (code) => {
    const cause = new Error("timed out");
    const lines = await loggedBy(() => refusalOf(new Problem(code, { cause }), { "x-request-id": "request-0001" }));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ message: "timed out", request_id: "request-0001" }]);
  });

  test.each([
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
    "get: We encountered an internal error. Please try again. (10001)",
    "put: Reduce your concurrent request rate for the same object. (10058)",
  ])("of the database or the bucket that passes by itself is logged and answered 503: %s", async (message) => {
    const lines = await loggedBy(async () => {
      expect(await refusalOf(new Error(message))).toMatchObject({ status: 503, body: { code: "unavailable" } });
    });
    expect(lines.join()).toContain(message);
  });

  test("of the bucket that does not pass is answered 500", async () => {
    const lines = await loggedBy(async () => {
      const refusal = await refusalOf(new Error("get: The requested range is not satisfiable (10039)"));
      expect(refusal.body).toMatchObject({ code: "internal_error" });
    });
    expect(lines).toHaveLength(1);
  });

  test("has its fields, Retry-After, the allowed methods, and the scheme of a 401", async () => {
    const fields = { title: ["入力してください。"] };
    expect((await refusalOf(new Problem("validation_failed", { fields }))).body).toMatchObject({ errors: fields });
    const limited = await refusalOf(new Problem("too_many_requests", { retry_after_s: 7 }));
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
    const refused = await refusalOf(new Problem("method_not_allowed", { allow: ["GET", "PUT"] }));
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, PUT"]);
    expect((await refusalOf(new Problem("unauthenticated"))).headers.get("www-authenticate")).toBe("Bearer");
  });
});

describe("an answer", () => {
  test("has its request id and nosniff, and is uncacheable unless the worker says otherwise", async () => {
    const answerWith = (headers: Record<string, string>) =>
      answerRequest(new Request(address, { headers: { "x-request-id": "request-0001" } }), async (request_id) => {
        expect(request_id).toBe("request-0001");
        return new Response(null, { headers });
      });
    expect(Object.fromEntries((await answerWith({})).headers)).toEqual({
      "x-request-id": "request-0001",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      // No router named one.
      "x-route": "other",
    });
    expect((await answerWith({ "cache-control": "public, max-age=60" })).headers.get("cache-control")).toBe(
      "public, max-age=60",
    );
  });

  test("gets a new request id when the caller's is malformed", async () => {
    const { headers, body } = await refusalOf(new Problem("not_found"), { "x-request-id": '"}{"a":"b"}' });
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-z]{26}$/);
    expect(body).toMatchObject({ request_id: headers.get("x-request-id") });
  });

  test("with status 204 has no body, and says when it is a replay", async () => {
    expect(await jsonAnswer(204, { a: 1 }).text()).toBe("");
    expect(jsonAnswer(200, {}, true).headers.get("idempotency-replayed")).toBe("true");
  });

  test("that is a WebSocket stays unchanged", async () => {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    const upgraded = new Response(null, { status: 101, webSocket: client });
    expect(await answerRequest(new Request(address), async () => upgraded)).toBe(upgraded);
    server.close();
  });
});

const operation = defineOperation({
  id: "putBox",
  method: "PUT",
  path: "/v4/boxes/{box_id}",
  auth: "none",
  summary: "",
  params: z.object({ box_id: z.string().max(3) }),
  query: z.object({ page: z.coerce.number().optional(), "ids[]": z.array(z.string()).optional() }),
  body: z.object({ title: z.string().min(2), count: z.number() }),
  status: 200,
  answer: z.object({}),
  errors: [],
});

describe("the router", () => {
  const router = createRouter<string>([
    {
      operation,
      async answer({ params, request_id }, context) {
        return jsonAnswer(200, { params, request_id, context });
      },
    },
  ]);
  const sendRequest = (method: string, path: string) =>
    answerRequest(new Request(`https://api.example${path}`, { method }), (id) =>
      router(new Request(`https://api.example${path}`, { method }), id, "context"),
    );

  test("passes decoded parameters, the request id and the worker's context to a route", async () => {
    const response = await sendRequest("PUT", "/v4/boxes/a%2Fb");
    expect(await response.json()).toEqual({
      params: { box_id: "a/b" },
      request_id: response.headers.get("x-request-id"),
      context: "context",
    });
  });

  test("names HEAD among the allowed methods of an address that can be read", async () => {
    const routes = (["GET", "PUT", "DELETE"] as const).map((method) => ({
      operation: { ...operation, method },
      answer: async () => jsonAnswer(200, {}),
    }));
    const read = createRouter<string>(routes);
    const answerTo = (method: string) =>
      answerRequest(new Request(address, { method }), (id) => read(new Request(address, { method }), id, ""));
    expect((await answerTo("POST")).headers.get("allow")).toBe("GET, HEAD, PUT, DELETE");
    expect((await answerTo("HEAD")).status).toBe(200);
  });

  test("answers a wrong method with the allowed ones, and an unknown path with not_found", async () => {
    const refused = await sendRequest("DELETE", "/v4/boxes/a");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "PUT"]);
    expect((await sendRequest("PUT", "/v4/boxes")).status).toBe(404);
  });
});

describe("a request's input", () => {
  const json = { "content-type": "application/json; charset=utf-8" };
  const putBody = (body: BodyInit, headers: Record<string, string> = json, query = "") =>
    new Request(`https://api.example/v4/boxes/a${query}`, { method: "PUT", body, headers });
  const readRequest = (request: Request, params = { box_id: "a" }) => readInput(operation, request, params, MAX_BYTES);
  const bodyOfLength = (length: number) => JSON.stringify({ title: "x".repeat(length), count: 1 });

  test("is parsed, validated, and kept as it was sent", async () => {
    expect(await readRequest(putBody(bodyOfLength(2), json, "?page=2&ids[]=a&unknown=b"))).toEqual({
      input: { params: { box_id: "a" }, query: { page: 2, "ids[]": ["a"] }, body: { title: "xx", count: 1 } },
      text: bodyOfLength(2),
    });
  });

  test("may be exactly as long as the limit, and must be UTF-8", async () => {
    const fits = MAX_BYTES - bodyOfLength(0).length;
    expect((await readRequest(putBody(bodyOfLength(fits)))).text).toHaveLength(MAX_BYTES);
    await expect(readRequest(putBody(bodyOfLength(fits + 1)))).rejects.toMatchObject({ code: "payload_too_large" });
    await expect(readText(putBody(new Uint8Array([0xff])), MAX_BYTES)).rejects.toMatchObject({ code: "bad_request" });
  });

  test.each([
    ["another media type", putBody("title=xx", { "content-type": "application/x-www-form-urlencoded" })],
    ["a media type that only begins alike", putBody(bodyOfLength(2), { "content-type": "application/jsonp" })],
  ])("is refused as %s", async (_, request) => {
    await expect(readRequest(request)).rejects.toMatchObject({ code: "unsupported_media_type" });
  });

  test.each([
    ["broken JSON", "{"],
    ["JSON nested too deep", `${"[".repeat(40)}${"]".repeat(40)}`],
  ])("is a bad request as %s", async (_, body) => {
    await expect(readRequest(putBody(body))).rejects.toMatchObject({ code: "bad_request" });
  });

  test("is refused with a Japanese sentence for each invalid field", async () => {
    const refusal = await readRequest(putBody('{"title":"x"}')).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "validation_failed" });
    const { fields = {} } = refusal as Problem;
    expect(Object.keys(fields)).toEqual(["title", "count"]);
    for (const [sentence] of Object.values(fields)) expect(sentence).toMatch(/[ぁ-ん]/);
  });

  test("is not found when a path parameter is malformed", async () => {
    await expect(readRequest(putBody(bodyOfLength(2)), { box_id: "abcd" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("a check without a sentence of its own", () => {
  const flag = z.union([z.boolean(), z.enum(["true", "false"])]);
  const schema = z.object({
    name: z.string().min(2).max(3).optional(),
    count: z.int().min(1).max(10_000).optional(),
    coerced: z.coerce.number().optional(),
    flag: flag.optional(),
    ids: z.array(z.string()).min(1).max(2).optional(),
    on: z.iso.date().optional(),
    at: z.iso.datetime().optional(),
    link: z.url().optional(),
    path: z.string().startsWith("/").optional(),
    code: z.string().regex(/^x+$/).optional(),
    order: z.enum(["newest", "oldest"]).optional(),
    yes: z.literal(true).optional(),
    level: z.union([z.literal(2), z.literal(3)]).optional(),
    inner: z.object({ name: z.string() }).optional(),
    change: z
      .discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })])
      .optional(),
    body: z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int() })]).optional(),
  });
  const fieldsOf = (schema: z.ZodType, value: unknown) => {
    try {
      checkValue(schema, value);
    } catch (error) {
      return (error as Problem).fields;
    }
    return null;
  };

  test.each([
    [{ name: 3 }, "name", "nameは、文字列で指定してください。"],
    [{ name: "a" }, "name", "nameは、2文字以上で指定してください。"],
    [{ name: "abcd" }, "name", "nameは、3文字以内で指定してください。"],
    [{ count: "3" }, "count", "countは、数値で指定してください。"],
    [{ count: 1.5 }, "count", "countは、整数で指定してください。"],
    [{ count: 0 }, "count", "countは、1以上の数で指定してください。"],
    [{ count: 10_001 }, "count", "countは、10,000以下の数で指定してください。"],
    [{ coerced: "abc" }, "coerced", "coercedは、数値で指定してください。"],
    [{ flag: "yes" }, "flag", "flagは、true か false で指定してください。"],
    [{ ids: "a" }, "ids", "idsは、配列で指定してください。"],
    [{ ids: [] }, "ids", "idsは、1個以上指定してください。"],
    [{ ids: ["a", "b", "c"] }, "ids", "idsは、2個以内で指定してください。"],
    [{ ids: [1] }, "ids.0", "ids.0は、文字列で指定してください。"],
    [{ on: "2026-02-30" }, "on", "onは、2026-11-20 のような日付で指定してください。"],
    [{ at: "2026-11-20" }, "at", "atは、2026-11-20T03:15:00.000Z のような日時で指定してください。"],
    [{ link: "example.jp" }, "link", "linkは、https:// で始まるURLで指定してください。"],
    [{ path: "a" }, "path", "pathは、「/」で始まる文字列で指定してください。"],
    [{ code: "y" }, "code", "codeの形式が正しくありません。"],
    [{ order: "best" }, "order", "orderは、newest、oldest のどれかを指定してください。"],
    [{ yes: false }, "yes", "yesに指定できるのは true だけです。"],
    [{ level: 1 }, "level", "levelは、2、3 のどれかを指定してください。"],
    [{ inner: {} }, "inner.name", "inner.nameを指定してください。"],
    [{ change: {} }, "change.kind", "change.kindを指定してください。"],
    [{ change: { kind: "c" } }, "change.kind", "change.kindは、a、b のどれかを指定してください。"],
    [{ body: { a: 1, b: 2 } }, "body", "bodyの内容が正しくありません。"],
  ])("gets a sentence that a person understands: %j", (value, name, sentence) => {
    expect(fieldsOf(schema, value)).toEqual({ [name]: [sentence] });
  });

  test("names each required parameter that is missing", () => {
    const required = z.object(
      Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, field.unwrap()])),
    );
    const { coerced: _, ...others } = required.shape;
    const missing = Object.keys(others).map((name) => [name, [`${name}を指定してください。`]]);
    expect(fieldsOf(z.object(others), {})).toEqual(Object.fromEntries(missing));
  });

  test("names unknown fields, but not more than a sentence takes", () => {
    const body = { a: 1, x1: 1, x2: 1, x3: 1, [`x4${"y".repeat(100)}`]: 1 };
    const strict = z.strictObject({ a: z.int() });
    expect(fieldsOf(strict, { a: 1, x: 1 })).toEqual({ body: ["xは指定できません。"] });
    expect(fieldsOf(strict, body)).toEqual({ body: ["x1、x2、x3などは指定できません。"] });
    expect(fieldsOf(strict, { a: 1, ["y".repeat(100)]: 1 })?.body?.[0]).toHaveLength("は指定できません。".length + 50);
  });

  test("never replaces a sentence of the schema", () => {
    const own = z.object({ title: z.string("題を書いてください。").min(1, "題を書いてください。") });
    for (const value of [{}, { title: 3 }, { title: "" }]) {
      expect(fieldsOf(own, value)).toEqual({ title: ["題を書いてください。"] });
    }
  });
});
