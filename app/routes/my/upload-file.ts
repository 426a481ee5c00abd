import { type ErrorCode, errorCatalogue } from "../../../workers/contract/errors.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { viewerContext } from "../../session/context.ts";
import { closeSession } from "../../session/current-session.ts";
import { UnreadableForm } from "../../uploads/receive.ts";
import type { Route } from "./+types/upload-file.ts";

/**
 * Uploads one file; called by a page's script. Answers 201 with `{ image }` or `{ media }`, `{ code, detail }` with the
 * status of a refusal, or 401 if the session has ended. With `?is_public` only pictures are taken, which everybody may see.
 */
export async function action({ request, url, context }: Route.ActionArgs) {
  if (!context.get(viewerContext)) return refusalAnswer("unauthenticated");
  const purpose = url.searchParams.has("is_public") ? "public" : "post";
  try {
    const { form, images, media, refused } = await receiveOwnUploads(request, context, purpose);
    const refusal = refuseAuthor(context, form) ?? refused[0]?.refusal;
    if (refusal) {
      const { code, status, detail, needs_sign_in, retry_after_s } = refusal;
      if (needs_sign_in) closeSession(context);
      const headers = retry_after_s === null ? PRIVATE : { ...PRIVATE, "retry-after": String(retry_after_s) };
      return Response.json({ code, detail }, { status, headers });
    }
    if (images[0]) return Response.json({ image: images[0] }, { status: 201, headers: PRIVATE });
    if (media[0]) return Response.json({ media: media[0] }, { status: 201, headers: PRIVATE });
    return refusalAnswer("file_missing");
  } catch (error) {
    if (error instanceof UnreadableForm) return refusalAnswer("bad_request");
    throw error;
  }
}

const PRIVATE = { "cache-control": "private, no-store" };

function refusalAnswer(code: ErrorCode) {
  const { status, detail } = errorCatalogue[code];
  return Response.json({ code, detail }, { status, headers: PRIVATE });
}
