import { data, type RouterContextProvider, redirect } from "react-router";
import type { AnswerOf, Operation } from "../../../workers/contract/operation.ts";
import { getOperator } from "../../../workers/contract/operator.ts";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import type { ReadForm } from "../../forms/read-form.ts";
import { v4Context } from "../../request/context.ts";
import { type FlashCode, setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { isOperator } from "../../session/operator.ts";
import { confirmIdentity } from "../../sign-in/recent-sign-in.ts";
import type { CallInput } from "../../v4/call.ts";
import type { Refusal, Sent } from "../../v4/client.ts";

/**
 * What the loaders and actions of the operators' pages share. Every loader and every action begins with
 * {@link admitOperator}. Source: docs/decisions/0053.
 */

type Context = Readonly<RouterContextProvider>;

/** Returns for an operator. Throws the page of an unknown address for all other viewers, before the request is read. */
export async function admitOperator(context: Context): Promise<void> {
  const viewer = context.get(viewerContext);
  // Do not ask the API for other members: its outage must not tell them that the address exists.
  if (!viewer || !isOperator(viewer.session)) throw data(null, { status: 404 });
  await context.get(v4Context).read(getOperator, {});
}

/** What the forms of a page need: their author, and the words that were kept during the proof of identity. */
export interface FormState {
  author: string | null;
  kept: Readonly<Record<string, string>> | null;
}

/** Admits the operator, and returns what the forms of the page at `path` need. */
export async function openForms(context: Context, path: string): Promise<FormState> {
  await admitOperator(context);
  const kept = await keptForm(context, path);
  return {
    author: context.get(viewerContext)?.profile?.user_id ?? null,
    kept: kept && (Object.fromEntries(kept) as Record<string, string>),
  };
}

/** The action of a page without forms: a form sent there gets the answer of an unknown address. */
export const refuseForm = () => {
  throw data(null, { status: 404 });
};

/**
 * Sends an act to the API. Redirects to the proof of identity if the last one is more than ten minutes old; the words of
 * `form` are in the form again afterwards. Throws the error page for an unknown subject.
 */
export async function sendAct<O extends Operation>(
  context: Context,
  url: URL,
  form: FormData,
  operation: O,
  input: CallInput<O>,
): Promise<Sent<AnswerOf<O>>> {
  const v4 = context.get(v4Context);
  const sent = await v4.send(operation, input);
  if (sent.ok) return sent;
  if (sent.refusal.code === "recent_sign_in_required") return confirmIdentity(context, url, form);
  if (sent.refusal.code === "not_found") throw v4.failure(sent.refusal);
  return sent;
}

/** The answer to a refused form. */
export interface RefusedAct {
  /** The field `act` of the form: which of the page's forms it was. */
  act: string;
  /** The sentence about the form as a whole. */
  error: string | undefined;
  typed: Record<string, string>;
  errors: Record<string, readonly string[] | null>;
}

/** Shows a form with the errors of its schema, or with the API's refusal. */
export function refuseAct(form: FormData, read: Pick<ReadForm, "toResult">, refusal?: Refusal) {
  const errors = read.toResult(refusal).error ?? {};
  const strings = [...form].filter((field): field is [string, string] => typeof field[1] === "string");
  const refused: RefusedAct = {
    act: String(form.get("act") ?? ""),
    error: errors[""]?.join(" "),
    typed: Object.fromEntries(strings),
    errors,
  };
  return data(refused, refusal?.status ?? 422);
}

/** Ends an act: back to the page, with a message. */
export function finishAct(context: Context, to: string, flash: FlashCode) {
  forgetIntent(context, "form");
  setFlash(context, flash);
  return redirect(to, 303);
}
