import { data, type RouterContextProvider, redirect, redirectDocument } from "react-router";
import { LINK_ID } from "../../../workers/contract/users.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { formIntent, keepIntent } from "../../forms/intent.ts";
import { unkeptWords, wordsOf } from "../../forms/words.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import type { Route } from "./+types/begin-letter.ts";

const letterPath = ({ link_id }: { link_id: string }) => `/${link_id}/ofuse`;

/** This address only accepts forms. A GET redirects to the letter page. */
export const loader = ({ params }: Route.LoaderArgs) => redirect(letterPath(params));

/**
 * Takes the words that a person typed into the form on another site (embed.ts), and shows them in the form of the letter
 * page. It sends nothing: the other site may have hidden what the person pressed.
 */
export async function action({ request, url, params, context }: Route.ActionArgs) {
  if (!LINK_ID.test(params.link_id)) throw data(null, { status: 404 });
  const form = letterOf(await request.formData(), context);
  const path = letterPath(params);
  if (form) {
    const refusal = await keepIntent(context, formIntent(path, form));
    if (refusal) throw unkeptWords(context, { ...wordsOf(form, path), action: url.pathname }, refusal);
    setFlash(context, "letter_brought");
  }
  return redirectDocument(path, 303);
}

/** Returns the words and their author, who alone gets them back. Returns null when nothing was typed. */
function letterOf(sent: FormData, context: Readonly<RouterContextProvider>): FormData | null {
  const message = sent.get("message");
  if (typeof message !== "string" || message.trim() === "") return null;
  const form = new FormData();
  form.set("message", message);
  const author = context.get(viewerContext)?.profile?.user_id;
  if (author) form.set(AUTHOR_FIELD, author);
  return form;
}

/** Without a component this would be a resource route, which answers an error as data instead of an error page. */
export default function LetterBegun() {
  return null;
}
