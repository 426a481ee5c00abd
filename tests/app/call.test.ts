import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { callOperation, callWithFile, type Transport } from "../../app/v4/call.ts";
import { V4 } from "../../app/v4/client.ts";
import { FetchError, RequiredError, ResponseError } from "../../app/v4/errors.ts";
import { getGlobalSignOutStatus, registerKeyForGlobalSignOut } from "../../workers/contract/identity.ts";
import { defineOperation } from "../../workers/contract/operation.ts";
import { problemJson } from "../../workers/contract/problem.ts";
import { listStamps } from "../../workers/contract/references.ts";
import { uploadImage } from "../../workers/contract/uploads.ts";
import { getUser } from "../../workers/contract/users.ts";
import { watchOthers } from "../support/others.ts";

const update = defineOperation({
  id: "update",
  method: "PUT",
  path: "/v4/things/{thing_id}/parts/{part_id}",
  auth: "required",
  summary: "試験用",
  params: z.object({ thing_id: z.string(), part_id: z.string() }),
  query: z.object({ from: z.string(), page: z.coerce.number().default(1), "expand[]": z.array(z.string()).optional() }),
  body: z.object({ name: z.string() }),
  status: 200,
  answer: z.object({ ok: z.boolean() }),
  errors: [],
});
const complete = { params: { thing_id: "a/b", part_id: "あ" }, query: { from: "x" }, body: { name: "n" } };

test("an upload without a file is not sent, and the error names the missing parameter", async () => {
  const { noted, sent } = newTransport(() => new Response("{}"));
  for (const file of [null, undefined]) {
    const error = await callWithFile(noted, uploadImage, file).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RequiredError);
    expect(error).toMatchObject({ field: "file", message: "Required parameter file was null or undefined" });
  }
  expect(sent).toEqual([]);
});

/** Returns a transport that records what was sent. */
function newTransport(answer: () => Response | Promise<Response>, token: string | null = "token") {
  const sent: Request[] = [];
  const noted: Transport = {
    origin: "https://api.test",
    token,
    request_id: "request-0001",
    limit: () => AbortSignal.timeout(5000),
    fetch: async (request) => {
      sent.push(request);
      return answer();
    },
  };
  return { noted, sent };
}
const answerOk = () => Response.json({ ok: true });
async function catchError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("the call succeeded"),
    (error: unknown) => error,
  );
}

describe("a call", () => {
  test("is sent as its contract says", async () => {
    const { noted, sent } = newTransport(answerOk);
    const query = { from: "x&y", "expand[]": ["a", "b"] };
    expect(await callOperation(noted, update, { ...complete, query, idempotency_key: "key-00000001" })).toEqual({
      ok: true,
    });
    const [request] = sent;
    expect(request?.method).toBe("PUT");
    expect(request?.url).toBe(
      "https://api.test/v4/things/a%2Fb/parts/%E3%81%82?from=x%26y&expand%5B%5D=a&expand%5B%5D=b",
    );
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      authorization: "Bearer token",
      "content-type": "application/json",
      "idempotency-key": "key-00000001",
      "x-request-id": "request-0001",
    });
    expect(await request?.json()).toEqual({ name: "n" });
  });

  test("carries a token only if the operation reads one and there is one", async () => {
    for (const [operation, token, wanted] of [
      [listStamps, "token", null],
      [getUser, null, null],
      [getUser, "token", "Bearer token"],
    ] as const) {
      const { noted, sent } = newTransport(answerOk, token);
      await callOperation(noted, operation as typeof getUser, { query: { link_id: "natsume" } });
      expect(sent[0]?.headers.get("authorization")).toBe(wanted);
    }
  });

  test("returns null for an operation without an answer", async () => {
    const { noted } = newTransport(() => new Response(null, { status: 204 }));
    expect(await callOperation(noted, registerKeyForGlobalSignOut, { body: { key: "k" } })).toBeNull();
  });
});

describe("an error answer", () => {
  test.each([400, 401, 404, 409, 422, 429, 500, 503])(
    "with %i throws 'Response returned an error code'",
    async (status) => {
      const { noted } = newTransport(() => new Response("<h1>Bad</h1>", { status }));
      const error = await catchError(callOperation(noted, update, complete));
      expect(error).toBeInstanceOf(ResponseError);
      expect(error).toMatchObject({ message: "Response returned an error code", status, problem: null });
    },
  );

  test("brings the API's own problem", async () => {
    const problem = problemJson("validation_failed", "request-0001", { name: ["短すぎます。"] });
    const { noted } = newTransport(() => Response.json(problem, { status: 422 }));
    expect(await catchError(callOperation(noted, update, complete))).toMatchObject({ status: 422, problem });
  });

  test("brings no problem if the body is not the API's", async () => {
    const { noted } = newTransport(() => Response.json({ code: "elsewhere", detail: "x" }, { status: 503 }));
    expect(await catchError(callOperation(noted, update, complete))).toMatchObject({ status: 503, problem: null });
  });
});

describe("a missing answer", () => {
  const message = "The request failed and the interceptors did not return an alternative response";

  test("throws the network's error, with its cause", async () => {
    const cause = new TypeError("connection refused");
    const { noted } = newTransport(() => Promise.reject(cause));
    const error = await catchError(callOperation(noted, update, complete));
    expect(error).toBeInstanceOf(FetchError);
    expect(error).toMatchObject({ message, cause });
  });

  test("throws the same error when the answer breaks off", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const { noted } = newTransport(() => new Response(broken));
    expect(await catchError(callOperation(noted, update, complete))).toMatchObject({ name: "FetchError", message });
  });

  test.each([
    ["an HTML page", "<h1>nginx</h1>"],
    ["an empty body", ""],
  ])("throws the same error for %s with status 200", async (_, body) => {
    const { noted } = newTransport(() => new Response(body));
    expect(await catchError(callOperation(noted, update, complete))).toMatchObject({ name: "FetchError", message });
  });

  test("throws the same error after the page's time limit", async () => {
    const { noted } = newTransport(answerOk);
    const fetch: Transport["fetch"] = ({ signal }) =>
      new Promise((_, failed) => signal.addEventListener("abort", () => failed(signal.reason)));
    const limited = { ...noted, fetch, limit: () => AbortSignal.timeout(1) };
    expect(await catchError(callOperation(limited, update, complete))).toMatchObject({ name: "FetchError", message });
  });

  test("has a limit of its own when many calls make one file", async () => {
    const { noted } = newTransport(answerOk);
    const fetch: Transport["fetch"] = (request) => {
      request.signal.throwIfAborted();
      return noted.fetch(request);
    };
    const over = new V4({ ...noted, fetch, limit: () => AbortSignal.abort() });
    expect(await catchError(over.call(update, complete))).toMatchObject({ name: "FetchError" });
    expect(await over.callOnce(update, complete)).toEqual({ ok: true });
  });

  test("of a list that is read page by page lets others run before each", async () => {
    const haveOthersRun = watchOthers();
    await new V4(newTransport(answerOk).noted).callOnce(update, complete);
    expect(haveOthersRun()).toBe(true);
  });
});

describe("a missing required parameter", () => {
  const missing: [field: string, input: object][] = [
    ["thing_id", { ...complete, params: { part_id: "b" } }],
    ["thing_id", { ...complete, params: undefined }],
    ["part_id", { ...complete, params: { thing_id: "a", part_id: null } }],
    ["from", { ...complete, query: {} }],
    ["from", { ...complete, query: undefined }],
    ["from", { ...complete, query: { from: null } }],
    ["body", { ...complete, body: null }],
    ["body", { ...complete, body: undefined }],
  ];

  test.each(missing)("is named in the error, and nothing is sent: %s", async (field, input) => {
    const { noted, sent } = newTransport(answerOk);
    const error = await catchError(callOperation(noted, update, input as typeof complete));
    expect(error).toBeInstanceOf(RequiredError);
    expect(error).toMatchObject({ message: `Required parameter ${field} was null or undefined`, field });
    expect(sent).toEqual([]);
  });

  test("is also the key of the global sign-out status", async () => {
    const { noted } = newTransport(answerOk);
    const query = {} as { key: string };
    expect(await catchError(callOperation(noted, getGlobalSignOutStatus, { query }))).toMatchObject({
      message: "Required parameter key was null or undefined",
    });
  });
});

test.each([
  ["an object without the fields", update, "{}"],
  ["a page of a proxy", update, "<!doctype html>"],
  ["a body where there is none", { ...update, status: 204, answer: null } as const, "<!doctype html>"],
])("a write that is answered 200 with %s was not answered", async (_, operation, body) => {
  const { noted } = newTransport(() => new Response(body));
  expect(await catchError(callOperation(noted, operation, complete))).toBeInstanceOf(FetchError);
});

test("a failing call is logged with its operation, status, cause and request id", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const linesOf = () => logged.mock.calls.map(([line]) => JSON.parse(line));
  const broken = newTransport(() => Response.json(problemJson("internal_error", "request-0001"), { status: 500 }));
  await new V4(broken.noted).send(update, complete);
  const down = newTransport(() => Promise.reject(new TypeError("connection refused")));
  await new V4(down.noted).send(update, complete);
  const refused = newTransport(() => Response.json(problemJson("not_found", "request-0001"), { status: 404 }));
  await new V4(refused.noted).send(update, complete);
  const line = { level: "error", message: "/v4 did not answer", request_id: "request-0001", operation: "update" };
  expect(linesOf()).toEqual([
    expect.objectContaining({ ...line, status: 500, cause: "internal_error" }),
    expect.objectContaining({ ...line, status: null, cause: "TypeError: connection refused" }),
  ]);
  logged.mockRestore();
});
