import { data, type RouterContextProvider, redirect } from "react-router";
import { RADIO_TRANSCRIPT_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { id } from "../../../workers/contract/fields.ts";
import { listRadioCaptions } from "../../../workers/contract/radio-captions.ts";
import { createRadio, getRadio, type Radio, type RadioBody, updateRadio } from "../../../workers/contract/radios.ts";
import { forgetIntent } from "../../forms/intent.ts";
import type { ReadForm } from "../../forms/read-form.ts";
import { refuseWords, returnWords, type Words } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import type { V4 } from "../../v4/client.ts";
import { radioPath } from "../creator/radio-path.ts";
import type { editedRadioForm } from "../operation-forms.server.ts";
import { editPath, RADIO_PATH } from "./radio-path.ts";

type Context = Readonly<RouterContextProvider>;

/** Returns one of the caller's radios. Throws 404 for any other: only their owner reads `updated_at`. */
export async function readOwnRadio(v4: V4, radio_id: string): Promise<Radio> {
  if (!id.safeParse(radio_id).success) throw data(null, { status: 404 });
  const { radio } = await v4.read(getRadio, { params: { radio_id } });
  if (radio.updated_at === null) throw data(null, { status: 404 });
  return radio;
}

/** Returns the content of a radio of the caller's, to send it with a change. The API refuses it if another page was faster. */
export const bodyOf = (radio: Radio): RadioBody & { seen_updated_at?: string } => ({
  ...(radio.updated_at !== null && { seen_updated_at: radio.updated_at }),
  title: radio.title,
  description: radio.description ?? "",
  image_id: radio.image?.image_id ?? null,
  publish_target_type: radio.publish_target_type,
  recording_publish_target_type: radio.recording_publish_target_type,
  publish_target_membership_id: radio.publish_target_membership_id,
  starts_at: radio.starts_at,
  is_chat_on: radio.is_chat_on,
  transcript: radio.transcript ?? "",
});

/** Returns the captions of a radio as one text, a line each: the start of a transcript. At most as long as a transcript. */
export async function readCaptions(v4: V4, radio_id: string): Promise<string> {
  const lines: string[] = [];
  let next_page_token: string | undefined;
  do {
    const query = { limit: 500, ...(next_page_token && { next_page_token }) };
    const page = await v4.part(listRadioCaptions, { params: { radio_id }, query });
    if (!page) return "";
    lines.unshift(...page.captions.map(({ words }) => words));
    next_page_token = page.next_page_token ?? undefined;
  } while (next_page_token);
  // Cuts between code points, of which a grapheme has one or more.
  return [...lines.join("\n")].slice(0, RADIO_TRANSCRIPT_GRAPHEMES).join("");
}

/**
 * Saves the form of a new radio, or of `radio`. Returns to the list, or shows the address with the new key: it can be
 * shown only now. Leads to the button that makes another key when the answer with the key went elsewhere.
 */
export async function saveRadio(
  context: Context,
  { words, read, radio }: { words: Words; read: ReadForm<typeof editedRadioForm>; radio: Radio | null },
) {
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const v4 = context.get(v4Context);
  const { idempotency_key } = words;
  const operation = words.form.get("do");
  const { seen_updated_at, ...written } = read.value;
  // The form has no picture: a page of its own takes it.
  const body = { ...written, image_id: radio?.image?.image_id ?? null };
  const change = { ...body, ...(operation !== "overwrite" && seen_updated_at && { seen_updated_at }) };
  const sent = radio
    ? await v4.send(updateRadio, {
        params: { radio_id: radio.radio_id },
        body: { ...change, rotates_url_key: operation === "rotate" },
        idempotency_key,
      })
    : await v4.send(createRadio, { body, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  const { radio: saved, url_key, is_url_key_new } = sent.answer;
  if (url_key === null) {
    // The form was sent twice, and the browser shows this second answer: only the first one had the key.
    if (is_url_key_new) return returnToRadios(context, "radio_key_unshown", editPath(saved.radio_id));
    return returnToRadios(context, "radio_saved");
  }
  forgetIntent(context, "form");
  const path = radioPath({ link_id: saved.user.link_id, radio_id: saved.radio_id });
  return data({ key_path: `${path}?key=${url_key}`, radio_id: saved.radio_id });
}

/** Ends a form that was accepted: says on the list of radios, or on the page `to`, what happened. */
export function returnToRadios(context: Context, said: FlashCode, to = RADIO_PATH) {
  forgetIntent(context, "form");
  setFlash(context, said);
  return redirect(to, 303);
}
