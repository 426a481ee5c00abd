import { type Context, Hono } from "hono";
import { IDENTITY_BODY_BYTES } from "../../contract/bounds.ts";
import { readText } from "../../http/body.ts";
import { randomSecret } from "../../kernel/digest.ts";
import { logUnexpected } from "../../kernel/log.ts";
import { Problem } from "../../kernel/problem.ts";
import { isOwnAddress } from "../deployment.ts";
import { Refusal } from "../provider/refusal.ts";
import { normaliseEmail } from "../provider/rules.ts";
import { openIdentity } from "../storage/database.ts";
import { developerKeySet } from "./keys.ts";
import { NOBODY_TYPED, renderChoice, renderPostBack, renderRefusal, type TypedPerson } from "./page.ts";
import { type DeveloperPerson, findStandIn, people, type StandIn } from "./providers.ts";
import { exchangeCode, issueCode } from "./tokens.ts";

/**
 * The developer identity provider imitates Google, Apple, X and LINE, and believes any identity the user claims. Only
 * demo projects on the developer's own machine serve it. Source: OpenID Connect Core 1.0, section 3.1; RFC 6749,
 * section 4.1.
 */

type Room = { Bindings: IdentityEnv & { request_id: string } };
type Page = ReturnType<typeof renderChoice>;

export const developer = new Hono<Room>();
developer.notFound((c) => showRefusal(c, 404, "お探しのページは見つかりませんでした。"));
developer.onError((error, c) => {
  if (error instanceof Problem) return showRefusal(c, 400, "送信された内容を読み取れませんでした。");
  logUnexpected(error, c.env.request_id);
  return showRefusal(c, 500, "問題が発生しました。");
});

/** A site's authorization request. The worker checks every field before it redirects the browser. */
interface AuthorizationRequest {
  provider_id: string;
  stand_in: StandIn;
  redirect_uri: string;
  response_mode: "query" | "form_post";
  state: string;
  nonce: string | null;
}

/** Returns the request, or the reason to refuse it. */
function readAuthorizationRequest(c: Context<Room>): AuthorizationRequest | string {
  const provider_id = c.req.param("provider") ?? "";
  const stand_in = findStandIn(provider_id);
  if (!stand_in) return "知らないサービスです。";
  const { client_id, redirect_uri = "", response_type, state = "", nonce, response_mode } = c.req.query();
  if (client_id !== c.env.PROJECT_ID) return "知らないサイトからの依頼です。";
  if (!isOwnAddress(c.env, redirect_uri)) return "戻り先のアドレスが正しくありません。";
  if (response_type !== "code" || state === "") return "依頼の内容が正しくありません。";
  return {
    provider_id,
    stand_in,
    redirect_uri,
    response_mode: response_mode === "form_post" ? "form_post" : "query",
    state,
    nonce: nonce ?? null,
  };
}

developer.get("/developer-idp/:provider/authorize", (c) => {
  const asked = readAuthorizationRequest(c);
  if (typeof asked === "string") return showRefusal(c, 400, asked);
  return showPage(c, 200, (nonce) => renderChoice(asked.stand_in, NOBODY_TYPED, nonce));
});

developer.post("/developer-idp/:provider/authorize", async (c) => {
  if (c.req.header("origin") !== new URL(c.req.url).origin)
    return showRefusal(c, 403, "ほかのサイトから送信された内容です。");
  const asked = readAuthorizationRequest(c);
  if (typeof asked === "string") return showRefusal(c, 400, asked);
  const form = new URLSearchParams(await readText(c.req.raw, IDENTITY_BODY_BYTES));
  const { state, stand_in } = asked;
  if (form.has("deny")) return callBack(c, asked, { error: "access_denied", state });
  const person = personOf(form);
  if ("errors" in person) return showPage(c, 422, (nonce) => renderChoice(stand_in, person, nonce));
  const told = stand_in.tells_email ? person : { ...person, email: null, email_verified: false };
  const code = await issueCode(openIdentity(c.env, Date.now()), { ...asked, person: told });
  return callBack(c, asked, { code, state });
});

developer.post("/developer-idp/:provider/token", async (c) => {
  const form = new URLSearchParams(await readText(c.req.raw, IDENTITY_BODY_BYTES));
  const refuseToken = (error: string) => c.json({ error }, 400);
  if (form.get("client_id") !== c.env.PROJECT_ID) return refuseToken("invalid_client");
  if (form.get("grant_type") !== "authorization_code") return refuseToken("unsupported_grant_type");
  const id_token = await exchangeCode(openIdentity(c.env, Date.now()), {
    provider_id: c.req.param("provider"),
    redirect_uri: form.get("redirect_uri") ?? "",
    code: form.get("code") ?? "",
  });
  if (!id_token) return refuseToken("invalid_grant");
  return c.json({ token_type: "Bearer", access_token: randomSecret(), expires_in: 300, id_token });
});

developer.get("/developer-idp/:provider/keys", async (c) =>
  c.json(await developerKeySet(openIdentity(c.env, Date.now()))),
);

function personOf(form: URLSearchParams): DeveloperPerson | TypedPerson {
  const chosen = people[Number(form.get("person") ?? "")];
  if (chosen) return chosen;
  const name = (form.get("name") ?? "").trim();
  const email = (form.get("email") ?? "").trim();
  const email_verified = form.has("email_verified");
  const errors: TypedPerson["errors"] = {};
  if (name === "") errors.name = "名前を入力してください。";
  if (email !== "" && !isEmail(email)) errors.email = "メールアドレスの形式が正しくありません。";
  if (Object.keys(errors).length > 0) return { name, email, email_verified, errors };
  return { name, email: email === "" ? null : normaliseEmail(email), email_verified: email !== "" && email_verified };
}

function isEmail(typed: string): boolean {
  try {
    normaliseEmail(typed);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Redirects back to the site that asked. {@link readAuthorizationRequest} has checked that it is our own. */
function callBack(
  c: Context<Room>,
  asked: AuthorizationRequest,
  answer: Record<string, string>,
): Response | Promise<Response> {
  if (asked.response_mode === "form_post") {
    return showPage(c, 200, (nonce) => renderPostBack(asked.stand_in.name, asked.redirect_uri, answer, nonce));
  }
  const back = new URL(asked.redirect_uri);
  for (const [key, value] of Object.entries(answer)) back.searchParams.set(key, value);
  return c.redirect(back.href, 303);
}

function showRefusal(c: Context<Room>, status: 400 | 403 | 404 | 500, reason: string) {
  return showPage(c, status, (nonce) => renderRefusal(reason, nonce));
}

async function showPage(
  c: Context<Room>,
  status: 200 | 400 | 403 | 404 | 422 | 500,
  render: (nonce: string) => Page,
): Promise<Response> {
  const nonce = randomSecret();
  c.header(
    "content-security-policy",
    `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  );
  c.header("x-frame-options", "DENY");
  // Do not send `no-referrer`: our own forms would then send `Origin: null` and be refused.
  c.header("referrer-policy", "same-origin");
  return c.html(await render(nonce), status);
}
