import { RouterContextProvider } from "react-router";
import { type Edge, edgeContext, jarContext } from "../../../app/request/context.ts";
import { CookieJar } from "../../../app/request/cookies.ts";

/** Returns the context of a request to the sign-in page from a browser with this cookie, and what the browser gets back. */
export function contextOfBrowser(cookie: string) {
  const context = new RouterContextProvider();
  const jar = new CookieJar(new Request("https://ofuse.example/login", { headers: { cookie } }));
  context.set(jarContext, jar);
  context.set(edgeContext, { request_id: "request-1" } as Edge);
  return { context, jar };
}
