import { RouterContextProvider } from "react-router";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { edgeContext } from "../../app/request/context.ts";
import { sendFile } from "../../app/routes/my/send-file.ts";
import { ResponseError } from "../../app/v4/errors.ts";

const context = new RouterContextProvider();
context.set(edgeContext, { request_id: "request-0001" } as never);

beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const send = (texts: AsyncGenerator<string>) => sendFile(context, texts, { name: "letters.csv", type: "text/csv" });
const lines = () => vi.mocked(console.error).mock.calls.map(([line]) => JSON.parse(line));

describe("a download", () => {
  test("is the texts in their order, and logs nothing", async () => {
    async function* texts() {
      yield "名前\n";
      yield "夏目\n";
    }
    expect(await send(texts()).text()).toBe("名前\n夏目\n");
    expect(lines()).toEqual([]);
  });

  test("that breaks off is logged with the request's id and the API's answer", async () => {
    async function* texts() {
      yield "名前\n";
      throw new ResponseError(503, { code: "unavailable" } as never);
    }
    await expect(send(texts()).text()).rejects.toThrow("Response returned an error code");
    expect(lines()).toEqual([
      expect.objectContaining({
        message: "a download broke off",
        request_id: "request-0001",
        status: 503,
        code: "unavailable",
      }),
    ]);
  });

  test("that its reader cancels is no error", async () => {
    let is_over = false;
    async function* texts() {
      try {
        for (;;) yield "行\n";
      } finally {
        is_over = true;
      }
    }
    const reader = send(texts()).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(is_over).toBe(true);
    expect(lines()).toEqual([]);
  });

  test("whose next text fails after its reader has canceled is no error", async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const asked = Promise.withResolvers<void>();
    async function* texts() {
      yield "名前\n";
      asked.resolve();
      yield await promise;
    }
    const reader = send(texts()).body?.getReader();
    await reader?.read();
    await asked.promise;
    const canceled = reader?.cancel();
    reject(new Error("cut off"));
    await canceled?.catch(() => {});
    expect(lines()).toEqual([]);
  });
});
