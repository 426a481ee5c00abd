import { data, type RouterContextProvider } from "react-router";
import { urlKey } from "../../../workers/contract/radios.ts";
import { getOverlay } from "../../../workers/contract/streaming.ts";
import { v4Context } from "../../request/context.ts";

/** Reads an overlay by the token of its address. Throws 404 for a wrong or replaced one. */
export function readOverlay(context: Readonly<RouterContextProvider>, token: string, after?: number) {
  if (!urlKey.safeParse(token).success) throw data(null, { status: 404 });
  return context.get(v4Context).asVisitor().withUrlKey(token).read(getOverlay, { query: { after } });
}
