import { data, type RouterContextProvider, redirect } from "react-router";
import { LINK_ID } from "../../../workers/contract/users.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { forgetWords } from "../../forms/forget-words.ts";
import { formIntent, keepIntent } from "../../forms/intent.ts";
import { typedFields } from "../../forms/read-form.ts";
import { signInWithWords, unkeptWords, wordsOf } from "../../forms/words.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { letterForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/begin-letter.ts";

const letterPath = ({ link_id }: { link_id: string }) => `/${link_id}/ofuse`;

/** The button of the letter page has this name. */
const PAID_FIELD = "paid";

/** This address only accepts forms. A GET redirects to the letter page. */
export const loader = ({ params }: Route.LoaderArgs) => redirect(letterPath(params));

/**
 * Takes the words of a letter and shows them in another form: those that a person typed on another site (embed.ts) in the
 * form of the letter page, and those of the letter page in the form for a paid letter. It sends nothing: the other site
 * may have hidden what the person pressed.
 */
export async function action({ request, url, params, context }: Route.ActionArgs) {
  if (!LINK_ID.test(params.link_id)) throw data(null, { status: 404 });
  const sent = await request.formData();
  const is_paid = sent.has(PAID_FIELD);
  const path = letterPath(params) + (is_paid ? "/paid" : "");
  const form = letterOf(sent, context);
  if (!form) return redirect(path, 303);
  const words = wordsOf(form, path);
  // A member whose session has ended must not become a guest unnoticed.
  if (sent.has(AUTHOR_FIELD) && !context.get(viewerContext)) return signInWithWords(context, words, null);
  const refusal = await keepIntent(context, formIntent(path, form));
  if (refusal) throw unkeptWords(context, { ...words, action: url.pathname }, refusal);
  if (!is_paid) setFlash(context, "letter_brought");
  return redirect(path, 303);
}

/**
 * A member's page keeps its words when they did not arrive. Once the form for a paid letter has them, the tab forgets its
 * own: older ones would replace them there, and the free form would offer them again.
 */
export async function clientAction({ request, params, serverAction }: Route.ClientActionArgs) {
  const { message = "" } = Object.fromEntries(await request.clone().formData());
  try {
    return await sendFromBrowser(request, serverAction);
  } catch (answer) {
    const free = letterPath(params);
    const paid = `${free}/paid`;
    const to = answer instanceof Response && answer.headers.get("location");
    if (String(message).trim() && to === paid) for (const path of [paid, free]) forgetWords(path);
    throw answer;
  }
}

/**
 * Returns the letter's fields and their author; only the author gets them back. Returns null when nothing was typed. Keeps
 * only the message of a letter from another site: the person saw no other field there.
 */
function letterOf(sent: FormData, context: Readonly<RouterContextProvider>): FormData | null {
  const { message = "", ...choices } = typedFields(sent, letterForm);
  if (!message.trim()) return null;
  const form = new FormData();
  form.set("message", message);
  if (sent.has(PAID_FIELD)) {
    for (const [name, value] of Object.entries({ ...choices, [PAID_FIELD]: "on" })) form.set(name, value);
  }
  const author = sent.get(AUTHOR_FIELD) ?? context.get(viewerContext)?.profile?.user_id;
  if (author) form.set(AUTHOR_FIELD, author);
  return form;
}

/** Without a component this would be a resource route, which answers an error as data instead of an error page. */
export default function LetterBegun() {
  return null;
}
