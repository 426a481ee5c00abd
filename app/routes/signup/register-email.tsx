import { data, Link, redirectDocument } from "react-router";
import { edgeContext, viewerContext } from "../../middleware/context.ts";
import { IdentityRefusal } from "../../session/identity-toolkit.ts";
import { loginPath, safeTo } from "../../session/to.ts";
import type { Handle } from "../../shell/layout.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { FetchError } from "../../v4/errors.ts";
import type { Route } from "./+types/register-email.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メールアドレスの確認", is_unlisted: true });

/** Nothing beside the form leads away from it. */
export const handle: Handle = { layout: "plain" };

/** Where somebody whose mail came back is led. Source: spec section 4, Account completeness redirect. */
export function loader({ url, context }: Route.LoaderArgs) {
  const to = safeTo(url.searchParams.get("to"));
  const viewer = context.get(viewerContext);
  if (!viewer) throw redirectDocument(loginPath(url.pathname + url.search));
  const is_invalid = viewer.profile?.email_invalid ?? false;
  return { to, email: viewer.session.email, is_invalid, is_proven: viewer.session.emailVerified && !is_invalid };
}

export async function action({ url, context }: Route.ActionArgs) {
  const viewer = context.get(viewerContext);
  if (!viewer) return redirectDocument(loginPath(url.pathname + url.search));
  try {
    await context.get(edgeContext).toolkit.sendVerificationMail(viewer.session.token);
    return { sent: true, error: null };
  } catch (error) {
    if (!(error instanceof IdentityRefusal || error instanceof FetchError)) throw error;
    return data({ sent: false, error: "確認メールを送れませんでした。時間をおいてもう一度お試しください。" }, 503);
  }
}

export default function RegisterEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { to, email, is_invalid, is_proven } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">メールアドレスの確認</h1>
      <form method="post" className="card form">
        <FormErrors errors={actionData?.error ? [actionData.error] : undefined} />
        {is_invalid && (
          <p className="notice">お送りしたメールが届きませんでした。メールアドレスの状態をご確認ください。</p>
        )}
        <p>
          登録されているメールアドレス：<b>{email ?? "未登録"}</b>
        </p>
        {is_proven ? (
          <p>このメールアドレスは確認済みです。</p>
        ) : actionData?.sent ? (
          <p role="status">確認メールを送りました。メールに書かれたリンクを開いてください。</p>
        ) : (
          <button type="submit" className="button button-block">
            確認メールを送る
          </button>
        )}
      </form>
      {!is_invalid && (
        <p className="form-aside">
          <Link to={to}>もとのページへ戻る</Link>
        </p>
      )}
    </div>
  );
}
