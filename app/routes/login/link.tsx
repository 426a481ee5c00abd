import { useForm } from "@conform-to/react";
import { data, Link, redirect } from "react-router";
import * as z from "zod";
import { emailAddress } from "../../../workers/contract/text.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { readForm } from "../../forms/read-form.ts";
import { edgeContext } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import type { Handle } from "../../shell/layout.ts";
import { type Aim, aimOf } from "../../sign-in/aim.ts";
import { besideField } from "../../sign-in/ask-provider.ts";
import { askedLink, sendSignInLink } from "../../sign-in/email-link.ts";
import { refusalOf } from "../../sign-in/refusals.ts";
import { InputField } from "../../ui/field.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import type { Route } from "./+types/link.ts";
import { AimFields } from "./aim-fields.tsx";
import { backOf } from "./back.ts";
import { DemoOutbox } from "./demo-outbox.tsx";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: titleOf(args.loaderData?.sent_to), is_unlisted: true });

const titleOf = (sent_to: string | null | undefined) => (sent_to ? "メールを送りました" : "メールでログイン");

/** The page has no navigation, so that nothing distracts from the form. */
export const handle: Handle = { layout: "plain" };

const linkForm = z.object({ email: emailAddress });

export async function loader({ url, context }: Route.LoaderArgs) {
  const asked = url.searchParams.has("sent") ? await askedLink.read(context) : null;
  const { to, purpose }: Aim = asked ?? aimOf(url.searchParams);
  const is_member = context.get(viewerContext) !== null;
  if (is_member && purpose === "sign_in") throw redirect(to);
  if (!is_member && purpose !== "sign_in") throw redirect(loginPath(to));
  const { is_demo } = context.get(edgeContext);
  return { aim: { to, purpose }, sent_to: asked?.email ?? null, is_demo };
}

/** Gives the same answer for every address, so that it does not reveal whether the address has an account. */
export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const aim = aimOf(form);
  const viewer = context.get(viewerContext);
  if (!viewer && aim.purpose !== "sign_in") return redirect(loginPath(aim.to), 303);
  // A signed-in member cannot choose another address: use the address of their account.
  if (aim.purpose !== "sign_in") form.set("email", viewer?.session.email ?? "");
  const read = readForm(form, linkForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  try {
    await sendSignInLink(context, read.value.email, { ...aim, url });
    return redirect("/login/link?sent", 303);
  } catch (error) {
    const refused = refusalOf(context, error, {
      OUTAGE: { status: 503, message: "ただいまメールを送れません。時間をおいてもう一度お試しください。" },
    });
    return data({ result: read.toResult(besideField("email", refused)) }, refused.status);
  }
}

export default function LinkByMail({ loaderData, actionData }: Route.ComponentProps) {
  const [form, fields] = useForm<z.infer<typeof linkForm>>({ id: "link", lastResult: actionData?.result });
  const { aim, sent_to, is_demo } = loaderData;
  const back = backOf(aim);
  const is_sign_in = aim.purpose === "sign_in";
  return (
    <div className="page page-narrow">
      <h1 className="page-title">{titleOf(sent_to)}</h1>
      {sent_to ? (
        <section className="card form">
          <p>
            <b>{sent_to}</b> にログイン用のリンクを送りました。1時間以内に、このブラウザーで開いてください。
          </p>
          <p>届かないときは、迷惑メールの中と、メールアドレスの打ち間違いをご確認ください。</p>
          <DemoOutbox is_demo={is_demo} what="メール" />
          <form method="post" action={`/login/link?${new URLSearchParams({ ...aim })}`}>
            <AimFields aim={aim} />
            <input type="hidden" name="email" value={sent_to} />
            <button type="submit" className="button button-gray-outline button-block">
              もう一度送る
            </button>
          </form>
        </section>
      ) : (
        <>
          <p className="lead">
            パスワードなしでログインできるリンクをお送りします。
            {is_sign_in && "はじめての方は、そのまま登録に進めます。"}
          </p>
          <form method="post" id={form.id} className="card form" noValidate>
            <FormErrors errors={form.errors ?? (is_sign_in ? undefined : fields.email.errors)} />
            <AimFields aim={aim} />
            {/* For a signed-in member, the link goes to the address of their account. */}
            {is_sign_in && (
              <InputField
                field={fields.email}
                label="メールアドレス"
                type="email"
                input={{ autoComplete: "email", inputMode: "email" }}
              />
            )}
            <button type="submit" className="button button-lg button-block">
              リンクを受け取る
            </button>
          </form>
        </>
      )}
      <p className="form-aside">
        <Link to={back.path}>{back.words}</Link>
      </p>
    </div>
  );
}
