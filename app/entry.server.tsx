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
 * Renders the whole page before sending the first byte, so that it is complete without JavaScript. By default, React
 * hides content past ~12 kB behind an inline script; `progressiveChunkSize` prevents that.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  // A visitor's page has no React scripts and is cached, so it must not contain a nonce.
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

/** Logs unexpected errors. A thrown response is expected: it either was logged already or is the client's fault. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  const { pathname } = new URL(request.url);
  const { request_id } = context.get(edgeContext);
  console.error(JSON.stringify({ message: "request failed", request_id, path: pathname, stack: stackOf(error) }));
};

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
