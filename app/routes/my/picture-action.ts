import type { RouterContextProvider } from "react-router";
import { errorCatalogue } from "../../../workers/contract/errors.ts";
import { refuseAuthor } from "../../forms/authorship.ts";
import { receiveOwnUploads } from "../../forms/receive-own-uploads.ts";
import { refuseFile } from "../../uploads/file-field.tsx";
import { UnreadableForm } from "../../uploads/receive.ts";

/**
 * Reads a sent {@link PictureForm} and uploads its file, which is re-encoded like every upload.
 *
 * @returns the new picture's id, null to remove the picture, or the answer that refuses the form.
 */
export async function readPictureForm(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<{ image_id: string | null } | { refusal: ReturnType<typeof refuseFile> }> {
  try {
    const { form, image_of, refused } = await receiveOwnUploads(request, context, "public");
    const image_id = image_of.get("picture")?.image_id ?? null;
    const not_theirs = refuseAuthor(context, form);
    if (not_theirs) return { refusal: refuseFile(not_theirs) };
    const [first] = refused;
    if (first) return { refusal: refuseFile(first.refusal, "picture") };
    if (image_id === null && form.get("do") !== "remove") {
      return { refusal: refuseFile({ detail: "画像のファイルを選んでください。", status: 422 }, "picture") };
    }
    return { image_id };
  } catch (error) {
    if (!(error instanceof UnreadableForm)) throw error;
    return { refusal: refuseFile(errorCatalogue.bad_request) };
  }
}
