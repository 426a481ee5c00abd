import { data, Link, redirect } from "react-router";
import { updateProfile } from "../../../workers/contract/users.ts";
import { edgeContext, v4Context, viewerContext } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { IdentityRefusal } from "../../session/identity-toolkit.ts";
import { takePendingSignUp } from "../../session/pending-sign-up.ts";
import { closeSession, openSession, renew } from "../../session/sign-in.ts";
import type { Handle } from "../../shell/layout.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { FormErrors } from "../../ui/form-errors.tsx";
import { FetchError } from "../../v4/errors.ts";
import type { Route } from "./+types/action.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メールアドレスの確認", is_unlisted: true });

/** Nothing beside the form leads away from it. */
export const handle: Handle = { layout: "plain" };

/** Where the links in the identity provider's mails lead, with `mode` and `oobCode`, as Firebase's own do. */
export function loader({ url }: Route.LoaderArgs) {
  const search = url.searchParams;
  const oob_code = search.get("oobCode") ?? "";
  if (search.get("mode") !== "verifyEmail" || oob_code === "") throw data(null, { status: 404 });
  return { oob_code };
}

/** The code is used by pressing a button and not by opening the link: mail scanners open links. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const { toolkit } = context.get(edgeContext);
  let email: string;
  try {
    email = await toolkit.applyCode(String(form.get("oob_code") ?? ""));
  } catch (error) {
    if (error instanceof FetchError) {
      return data({ error: "ただいま確認できません。時間をおいてもう一度お試しください。" }, 503);
    }
    if (!(error instanceof IdentityRefusal)) throw error;
    const message = "このリンクは使用済みか、有効期限が切れています。ログインすると、新しい確認メールをお送りします。";
    return data({ error: message }, 410);
  }
  const viewer = context.get(viewerContext);
  if (viewer) {
    // Somebody else's mail, opened here, says nothing about this member's own address.
    if (viewer.session.email === email) await takeOverConfirmedEmail(context);
    return redirect("/", 303);
  }
  // Confirming proves the mailbox; the cookie proves that it is the browser that chose the password.
  const pending = await takePendingSignUp(context);
  if (pending?.refresh_token) {
    try {
      const session = await openSession(context, await toolkit.refresh(pending.refresh_token));
      if (session.emailVerified) {
        return redirect(`/signup/registration?${new URLSearchParams({ to: pending.to })}`, 303);
      }
      // The link was another account's than the one begun here.
      closeSession(context);
    } catch (error) {
      if (!(error instanceof IdentityRefusal || error instanceof FetchError)) throw error;
    }
  }
  setFlash(context, "email_confirmed");
  return redirect("/login", 303);
}

/** The member's own address was confirmed: a fresh token says so, and the product is told. */
async function takeOverConfirmedEmail(context: Route.ActionArgs["context"]): Promise<void> {
  const session = await renew(context);
  if (session === "refused" || session === "unavailable") return;
  const sent = await context
    .get(v4Context)
    .as(session.token)
    .send(updateProfile, { body: { email_confirmed: true } });
  if (sent.ok) setFlash(context, "email_taken_over");
}

export default function ConfirmEmail({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <div className="page page-narrow">
      <h1 className="page-title">メールアドレスの確認</h1>
      <form method="post" className="card form">
        {actionData ? (
          <>
            <FormErrors errors={[actionData.error]} />
            <p>
              <Link to="/login">ログイン画面へ</Link>
            </p>
          </>
        ) : (
          <p>ボタンを押すと、メールアドレスの確認が完了します。</p>
        )}
        <input type="hidden" name="oob_code" value={loaderData.oob_code} />
        <button type="submit" className="button button-lg button-block">
          メールアドレスを確認する
        </button>
      </form>
    </div>
  );
}
