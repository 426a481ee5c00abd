import { type RouterContextProvider, redirectDocument } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { refusedContext, v4Context } from "../request/context.ts";
import { confirmPath, loginPath } from "../request/to.ts";
import { identityContext, type Viewer, viewerContext } from "../session/context.ts";
import { closeSession } from "../session/current-session.ts";
import { type IdentityAccount, IdentityRefusal, type IdentityToolkit } from "../session/identity-toolkit.ts";
import type { Session } from "../session/session.ts";
import type { Refusal } from "../v4/client.ts";
import { type OwnSentences, type Refused, refusalOf } from "./refusals.ts";

type Context = Readonly<RouterContextProvider>;

/** The answer of the identity provider, or its refusal. */
export type Asked<T> = { ok: true; answer: T } | ({ ok: false } & Refused);

/** Returns the session. Only for pages that require a signed-in member. */
export const ownSession = (context: Context): Session => (context.get(viewerContext) as Viewer).session;

const SIGNED_OUT: ReadonlySet<string> = new Set([
  "INVALID_ID_TOKEN",
  "TOKEN_EXPIRED",
  "USER_NOT_FOUND",
  "USER_DISABLED",
]);

const TAKEN_NUMBER = { status: 409, message: "この電話番号は使えません。別の番号をお試しください。" };

const own: OwnSentences = {
  OUTAGE: { status: 503, message: errorCatalogue.unavailable.detail },
  OTHERWISE: { status: 422, message: "この操作はできませんでした。はじめからもう一度お試しください。" },
  CREDENTIAL_ALREADY_IN_USE: TAKEN_NUMBER,
  PHONE_NUMBER_EXISTS: TAKEN_NUMBER,
  SECOND_FACTOR_EXISTS: { status: 409, message: "この方法は、すでに設定されています。" },
  SECOND_FACTOR_LIMIT_EXCEEDED: { status: 409, message: "これ以上は設定できません。使わないものを削除してください。" },
  UNVERIFIED_EMAIL: { status: 422, message: "先にメールアドレスを確認してください。" },
};

type Ask<T> = (toolkit: IdentityToolkit, id_token: string) => Promise<T>;

/**
 * Changes the member's account at the identity provider. Refuses a form that another account has opened. Throws a
 * redirect to `/login` if the session has ended, or to `/login/confirm` if the sign-in is too old for the change.
 */
export async function askProvider<T>(context: Context, url: URL, ask: Ask<T>): Promise<Asked<T>> {
  const refused = context.get(refusedContext);
  if (refused) return { ok: false, status: refused.status, message: refused.detail, code: null };
  return callProvider(context, url, ask);
}

async function callProvider<T>(context: Context, url: URL, ask: Ask<T>): Promise<Asked<T>> {
  try {
    return { ok: true, answer: await ask(context.get(identityContext).toolkit, ownSession(context).token) };
  } catch (error) {
    const code = error instanceof IdentityRefusal ? error.code : "";
    const to = url.pathname + url.search;
    if (code === "CREDENTIAL_TOO_OLD_LOGIN_AGAIN") throw redirectDocument(confirmPath(to), 303);
    if (!SIGNED_OUT.has(code)) return { ok: false, ...refusalOf(context, error, own) };
    closeSession(context);
    throw redirectDocument(loginPath(to), 303);
  }
}

/** The provider's error codes that concern one field of a form. */
const ABOUT_FIELD: ReadonlySet<string> = new Set([
  "INVALID_CODE",
  "MISSING_CODE",
  "INVALID_RECOVERY_CODE",
  "INVALID_PHONE_NUMBER",
  "INVALID_EMAIL",
]);

/** Returns a refusal that is shown at `field` if it concerns that field, otherwise above the form. */
export function besideField(field: string, { status, message, code }: Refused): Refusal {
  const fields = ABOUT_FIELD.has(code ?? "") ? { [field]: [message] } : {};
  return { code: code ?? "", status, detail: message, fields, needs_sign_in: false, retry_after_s: null };
}

/** Returns the member's account at the provider. Throws an error page if it cannot be read. */
export async function ownAccount(context: Context, url: URL): Promise<IdentityAccount> {
  const asked = await callProvider(context, url, (toolkit, id_token) => toolkit.lookUp(id_token));
  if (asked.ok) return asked.answer;
  throw context.get(v4Context).failure({ ...besideField("", asked), code: "unavailable" });
}
