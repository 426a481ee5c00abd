import { data, type RouterContextProvider, redirect } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Avatar } from "../../people/avatar.tsx";
import { edgeContext } from "../../request/context.ts";
import { loginPath, safeTo, TOKEN_PATH } from "../../request/to.ts";
import { identityContext, type Viewer, viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { keptTo } from "../../sign-in/aim.ts";
import { endUnused, trySignIn } from "../../sign-in/finish-sign-in.ts";
import {
  type HandedSignIn,
  handedSignIn,
  MAX_CUSTOM_TOKEN,
  type NamedAccount,
  uidSaid,
} from "../../sign-in/handed-sign-in.ts";
import type { OwnSentences } from "../../sign-in/refusals.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/token.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "ほかのサービスからのログイン", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the two choices. */
export const handle: Handle = { layout: "plain" };

type Context = Readonly<RouterContextProvider>;

/**
 * Another service sends a person here with a custom token. An attacker could send a victim here to sign in to the
 * attacker's account. So the page first says whose account it is, and signs in only after a click. Source:
 * docs/decisions/0018, "Custom tokens".
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const token = url.searchParams.get("token");
  if (token !== null) throw await keepToken(context, token, safeTo(url.searchParams.get("to")));
  const handed = await handedSignIn.read(context);
  const viewer = context.get(viewerContext);
  return { shown: handed && shownOf(handed), replaced: viewer && accountNameOf(viewer) };
}

/**
 * Moves the token from the address to a cookie and redirects, so that neither the history nor the Referer header
 * contains it.
 */
async function keepToken(context: Context, token: string, to: string): Promise<Response> {
  if (context.get(viewerContext)?.session.id === uidSaid(token)) return redirect(to, 303);
  const is_taken = token !== "" && token.length <= MAX_CUSTOM_TOKEN;
  if (is_taken) await handedSignIn.keep(context, { step: "asked", token, to: keptTo(to) });
  else handedSignIn.forget(context);
  return redirect(TOKEN_PATH, 303);
}

/** The data for the page. They do not include the token, which stays on the server. */
function shownOf(handed: HandedSignIn): { mark: string; account: NamedAccount } | "asked" {
  return handed.step === "asked" ? "asked" : { mark: handed.mark, account: handed.account };
}

function accountNameOf({ session, profile }: Viewer): string {
  const name = profile?.default_name ?? session.displayName;
  const sign = profile ? `@${profile.link_id}` : session.email;
  return name && sign ? `${name}（${sign}）` : (name ?? sign ?? "別のアカウント");
}

const WRONG_TOKEN = {
  status: 401,
  message: "このログインの依頼は、正しくないか、有効期限が切れています。もとのサービスから、もう一度お試しください。",
};
const OVER = {
  status: 410,
  message: "このログインは、すでに終わっています。もとのサービスから、もう一度お試しください。",
};
const sentences: OwnSentences = {
  INVALID_CUSTOM_TOKEN: WRONG_TOKEN,
  MISSING_CUSTOM_TOKEN: WRONG_TOKEN,
  CREDENTIAL_MISMATCH: WRONG_TOKEN,
  USER_NOT_FOUND: WRONG_TOKEN,
  INVALID_REFRESH_TOKEN: OVER,
  TOKEN_EXPIRED: OVER,
};

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const handed = await handedSignIn.read(context);
  if (!handed) return redirect(TOKEN_PATH, 303);
  if (form.get("operation") === "cancel") return cancelSignIn(context, handed);
  // A newer token arrived after this page was loaded. Show the newer token's account, and ignore a form about the older
  // token.
  const mark = handed.step === "named" ? handed.mark : null;
  if (form.get("mark") !== mark) return redirect(TOKEN_PATH, 303);
  const finished = await (handed.step === "asked" ? tryToken(context, handed) : signInAsNamed(context, handed));
  if (finished instanceof Response) return finished;
  const { status, message } = finished;
  const is_over = status !== 503 && status !== 429;
  if (is_over) handedSignIn.forget(context);
  return data({ message, is_over, login_path: loginPath(handed.to) }, status);
}

type Asked = Extract<HandedSignIn, { step: "asked" }>;
type Named = Extract<HandedSignIn, { step: "named" }>;

function tryToken(context: Context, { token, to }: Asked) {
  const { toolkit } = context.get(identityContext);
  return trySignIn(context, () => toolkit.signInWithCustomToken(token), { to, purpose: "name" }, sentences);
}

async function signInAsNamed(context: Context, { refresh_token, to }: Named) {
  const { toolkit } = context.get(identityContext);
  const attempt = async () => ({ kind: "signed_in" as const, tokens: await toolkit.refresh(refresh_token) });
  const finished = await trySignIn(context, attempt, { to, purpose: "sign_in" }, sentences);
  if (!(finished instanceof Response)) return finished;
  handedSignIn.forget(context);
  return finished;
}

/**
 * If the token has been used to sign in, revokes that sign-in after the response. Otherwise the account's device list
 * would show it.
 */
function cancelSignIn(context: Context, handed: HandedSignIn): Response {
  handedSignIn.forget(context);
  if (handed.step === "named") {
    const { afterAnswer } = context.get(edgeContext);
    const { toolkit } = context.get(identityContext);
    const { refresh_token } = handed;
    afterAnswer("the end of a handed sign-in", async () => endUnused(context, await toolkit.refresh(refresh_token)));
  }
  return redirect(loginPath(handed.to), 303);
}

export default function HandedToken({ loaderData: { shown, replaced }, actionData }: Route.ComponentProps) {
  const message = actionData?.message;
  const login_path = actionData?.login_path ?? "/login";
  if (!shown || actionData?.is_over) {
    return (
      <div className="page page-narrow">
        <h1 className="page-title">{message ? "ログインできませんでした" : "ログインの依頼が見つかりません"}</h1>
        <section className="card form">
          {message ? (
            <FormErrors errors={[message]} />
          ) : (
            <p>
              ほかのサービスからのログインは、10分以内に続けてください。時間が経ったときや、手続きが終わっているときは、もとのサービスからもう一度お試しください。
            </p>
          )}
          <ButtonLink to={replaced ? "/" : login_path} is_block>
            {replaced ? "ホームへ" : "ログイン画面へ"}
          </ButtonLink>
        </section>
      </div>
    );
  }
  const errors = message ? [message] : undefined;
  return shown === "asked" ? (
    <Asking errors={errors} replaced={replaced} />
  ) : (
    <Naming errors={errors} replaced={replaced} {...shown} />
  );
}

interface StepProps {
  errors: string[] | undefined;
  /** The name of the account that this browser is signed in to now. */
  replaced: string | null;
}

function Asking({ errors, replaced }: StepProps) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">ほかのサービスからのログイン</h1>
      <section className="card form">
        <FormErrors errors={errors} />
        <p>ほかのサービスやアプリから、ofuseへのログインを求められました。</p>
        <p>まだログインはしていません。続けると、どのアカウントでログインするのかを確かめられます。</p>
        {replaced && (
          <p className="notice">
            いまは<b>{replaced}</b>でログインしています。
          </p>
        )}
        <form method="post">
          <Button size="lg" is_block>
            アカウントを確かめる
          </Button>
        </form>
        <Cancel />
      </section>
    </div>
  );
}

function Naming({ errors, replaced, mark, account }: StepProps & { mark: string; account: NamedAccount }) {
  const { name, link_id, email, icon_image } = account;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">このアカウントでログインしますか？</h1>
      <section className="card form">
        <FormErrors errors={errors} />
        <div className="person">
          <Avatar image={icon_image} size={48} />
          <p className="person-text account">
            <b>{name ?? email ?? "登録がまだ済んでいないアカウント"}</b>
            {link_id && <span>{`@${link_id}`}</span>}
            {name && email && <span>{email}</span>}
          </p>
        </div>
        <p>
          ご自分のアカウントのときだけ、ログインしてください。ほかの方のアカウントでは、あなたが書いたことや送ったofuseが、その方のものになります。
        </p>
        {replaced && (
          <p className="notice">
            いまは<b>{replaced}</b>でログインしています。切り替えると、そのアカウントからはログアウトします。
          </p>
        )}
        <form method="post">
          <input type="hidden" name="mark" value={mark} />
          <Button size="lg" is_block>
            このアカウントでログインする
          </Button>
        </form>
        <Cancel />
      </section>
    </div>
  );
}

function Cancel() {
  return (
    <form method="post">
      <input type="hidden" name="operation" value="cancel" />
      <Button variant="gray-outline" is_block>
        心当たりがないので、やめる
      </Button>
    </form>
  );
}
