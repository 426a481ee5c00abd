import { renderToReadableStream } from "react-dom/server";
import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import { edgeContext, keptContext, nonceContext } from "./request/context.ts";
import { viewerContext } from "./session/context.ts";
import { KeptContext } from "./shell/kept-context.tsx";

/**
 * Renders the whole page before the first byte: text with JavaScript off equals text with it on. Left to itself React
 * hides finished content past ~12 kB behind an inline script, which `progressiveChunkSize` forbids.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  // A visitor's page has no script for it, and nothing in it may belong to one request.
  const nonce = context.get(viewerContext) ? context.get(nonceContext) : undefined;
  const stream = await renderToReadableStream(
    <KeptContext value={context.get(keptContext)}>
      <ServerRouter context={routerContext} url={request.url} nonce={nonce} />
    </KeptContext>,
    {
      nonce,
      signal: request.signal,
      progressiveChunkSize: 1e9,
      onError: (error) => console.error(JSON.stringify({ message: "rendering failed", stack: stackOf(error) })),
    },
  );
  await stream.allReady;
  headers.set("content-type", "text/html; charset=utf-8");
  return new Response(stream, { status, headers });
}

/** Logs what nobody expected; a refusal with a status of its own was already logged, or is nobody's fault. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  const { pathname } = new URL(request.url);
  const { request_id } = context.get(edgeContext);
  console.error(JSON.stringify({ message: "request failed", request_id, path: pathname, stack: stackOf(error) }));
};

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
