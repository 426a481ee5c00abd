import type { RouterContextProvider } from "react-router";
import { v4Context } from "../request/context.ts";
import { viewerContext } from "../session/context.ts";
import { type Purpose, type Received, receiveUploads } from "../uploads/receive.ts";
import { refuseAuthor } from "./authorship.ts";

/**
 * Receives a form with files. Discards the files if nobody is signed in, and after a field that names another account, so
 * that a file never becomes that of an account that signed in later. The caller refuses the form afterwards.
 * @throws UnreadableForm
 */
export function receiveOwnUploads(
  request: Request,
  context: Readonly<RouterContextProvider>,
  purpose: Purpose = "post",
): Promise<Received> {
  const v4 = context.get(viewerContext) ? context.get(v4Context) : null;
  return receiveUploads(request, (form) => (refuseAuthor(context, form) ? null : v4), purpose);
}
