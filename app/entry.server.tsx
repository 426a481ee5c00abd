import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from "react-router";
import { causesOf, log } from "../workers/kernel/log.ts";
import { markRefusal } from "./crawlers/page-meta.ts";
import { edgeContext, keptContext, nonceContext } from "./request/context.ts";
import { viewerContext } from "./session/context.ts";
import { KeptContext } from "./shell/kept-context.tsx";
import { renderHtml, stackOf } from "./shell/render-html.ts";
import { arrangeMemberDocument } from "./styles/member-document.ts";

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
  const is_member = context.get(viewerContext) !== null;
  // A visitor's page has no React scripts and is cached, so it must not contain a nonce, and no script reads its data.
  const nonce = is_member ? context.get(nonceContext) : undefined;
  const { serverHandoffStream: _, ...withoutData } = routerContext;
  const rendered = await renderHtml(
    <KeptContext value={context.get(keptContext)}>
      <ServerRouter context={is_member ? routerContext : withoutData} url={request.url} nonce={nonce} />
    </KeptContext>,
    { nonce, signal: request.signal, request_id: context.get(edgeContext).request_id },
  );
  const html = markRefusal(rendered, routerContext.staticHandlerContext);
  headers.set("content-type", "text/html; charset=utf-8");
  const pattern = routerContext.staticHandlerContext.matches.flatMap(({ route }) => route.path ?? []).join("/");
  const body = is_member ? arrangeMemberDocument(html, pattern) : html.replaceAll(DISCOVERY, "");
  return new Response(body, { status, headers });
}

/** React Router marks links for its script, which visitors do not load. React escapes quotes, so no text looks like it. */
const DISCOVERY = ' data-discover="true"';

/**
 * Logs unexpected errors. A thrown response is expected: it either was logged already or is the client's fault. The line
 * has no path, which would name people and posts: the line of the request with the same id has the route.
 */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return;
  const { request_id } = context.get(edgeContext);
  log("error", { message: "request failed", request_id, stack: stackOf(error), causes: causesOf(error) });
};
