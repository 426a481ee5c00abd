import { data, Link, redirect } from "react-router";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { edgeContext } from "../../request/context.ts";
import { identityContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { keptTo } from "../../sign-in/aim.ts";
import { readPendingSignUp, renewPendingSignUp, startPendingSignUp } from "../../sign-in/pending-sign-up.ts";
import { refusalOf } from "../../sign-in/refusals.ts";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { DemoOutbox } from "../login/demo-outbox.tsx";
import type { Route } from "./+types/sent.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "確認メールを送りました", is_unlisted: true });

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

/**
 * The minimum duration of an answer, longer than it takes to renew a pending sign-up. Only a new address has one to
 * renew, so a faster answer would reveal accounts.
 */
const ANSWER_AFTER_MS = 400;

/** Shows the address, but only in the browser in which a person typed it. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const pending = await readPendingSignUp(context);
  return {
    is_demo: context.get(edgeContext).is_demo,
    email: pending?.email ?? null,
    is_sent_again: url.searchParams.has("again"),
  };
}

/**
 * Sends the email again. The answer, its cookie and its duration are the same for all addresses, so that they do not
 * reveal accounts (decisions, "Limits").
 */
export async function action({ url, context }: Route.ActionArgs) {
  const pending = await readPendingSignUp(context);
  if (!pending) return redirect("/signup", 303);
  const { email, to } = pending;
  const { afterAnswer } = context.get(edgeContext);
  const { toolkit } = context.get(identityContext);
  try {
    const waited = new Promise((done) => setTimeout(done, ANSWER_AFTER_MS));
    const renewed = await renewPendingSignUp(context);
    if (!renewed) await startPendingSignUp(context, { ...pending, refresh_token: "" });
    const way_on = url.origin + keptTo(to);
    afterAnswer("the mail of a sign-up, once more", () =>
      renewed ? toolkit.sendVerificationMail(renewed.tokens.id_token, way_on) : toolkit.sendEmailLink(email, way_on),
    );
    await waited;
    return redirect("/signup/sent?again", 303);
  } catch (error) {
    const { status, message } = refusalOf(context, error, {
      OUTAGE: { status: 503, message: "ただいま送信できません。時間をおいてもう一度お試しください。" },
    });
    return data({ error: message }, status);
  }
}

export default function Sent({ loaderData, actionData }: Route.ComponentProps) {
  const { is_demo, email, is_sent_again } = loaderData;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">確認メールを送りました</h1>
      <div className="card form">
        {is_sent_again && (
          <p className="notice" role="status">
            もう一度お送りしました。届くまで数分かかることがあります。
          </p>
        )}
        <p>
          {email && (
            <>
              <b className="account-address">{email}</b> にお送りしました。
            </>
          )}
          メールに書かれたリンクを開くと、登録を続けられます。
        </p>
        <p>届かないときは、迷惑メールの中もご確認ください。すでに登録済みの方は、そのままログインできます。</p>
        <DemoOutbox is_demo={is_demo} what="メール" />
        {email && (
          <form method="post" action="/signup/sent">
            <FormErrors errors={actionData && [actionData.error]} />
            <Button variant="gray-outline" is_block>
              メールをもう一度送る
            </Button>
          </form>
        )}
        <p>
          <Link to="/signup">メールアドレスを入力し直す</Link>
        </p>
      </div>
      <p className="form-aside">
        <Link to="/login">ログインする</Link>
      </p>
    </div>
  );
}
