import type { RouterContextProvider } from "react-router";
import { causesOf, log } from "../../../workers/kernel/log.ts";
import { edgeContext } from "../../request/context.ts";
import { ResponseError } from "../../v4/errors.ts";

/**
 * Streams texts as a file that the browser saves. Asks for the next text only when the browser has taken the last. A
 * failure ends the download, after its status 200: only the log says why.
 */
export function sendFile(
  context: Readonly<RouterContextProvider>,
  texts: AsyncGenerator<string>,
  { name, type }: { name: string; type: string },
): Response {
  const encoder = new TextEncoder();
  const { request_id } = context.get(edgeContext);
  let is_canceled = false;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await texts.next();
        if (is_canceled) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        if (!is_canceled) logBroken(error, request_id);
        throw error;
      }
    },
    async cancel() {
      is_canceled = true;
      await texts.return(undefined);
    },
  });
  return new Response(stream, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

function logBroken(error: unknown, request_id: string): void {
  const answer = error instanceof ResponseError ? { status: error.status, code: error.problem?.code } : {};
  const stack = error instanceof Error ? error.stack : String(error);
  log("error", { message: "a download broke off", request_id, ...answer, stack, causes: causesOf(error) });
}
