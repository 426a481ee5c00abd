import { data, Form, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getSubscription, updateSubscription } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import type { Route } from "./+types/cancel-subscription.ts";
import { SUBSCRIPTIONS_PATH } from "./subscription-words.ts";

const TITLE = "プランの解約";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

const pathOf = (subscription_id: string) => `${SUBSCRIPTIONS_PATH}/${subscription_id}`;

export async function loader({ params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.subscription_id).success) throw data(null, { status: 404 });
  const { subscription } = await context.get(v4Context).read(getSubscription, { params });
  // Nothing is left to cancel.
  if (subscription.status === "canceled" || subscription.is_ending) throw redirect(pathOf(params.subscription_id));
  return { subscription, idempotency_key: crypto.randomUUID() };
}

export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const body = { is_ending: true };
  const sent = await context.get(v4Context).send(updateSubscription, { params, body, idempotency_key });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "subscription_ending");
  return redirect(pathOf(params.subscription_id), 303);
}

export default function CancelSubscription({ loaderData, actionData }: Route.ComponentProps) {
  const { subscription, idempotency_key } = loaderData;
  const { subscription_id, membership, creator, status, paid_until, is_billed, is_creator_disabled } = subscription;
  return (
    <section className="card form">
      <h1 className="page-title">{TITLE}</h1>
      <p>
        <bdi>{creator.name}</bdi>さんの「{membership.title}」を解約します。
      </p>
      <ul className="plain-notes">
        {status === "past_due" && is_billed ? (
          <li>お支払いを確認できていない更新は取りやめになり、加入はすぐに終了します。</li>
        ) : (
          <>
            {is_creator_disabled ? (
              <li>いまは、メンバー限定の投稿を読めません。</li>
            ) : (
              <li>
                <DateTime iso={paid_until} /> まで、メンバー限定の投稿を読めます。
              </li>
            )}
            {!is_creator_disabled && is_billed && <li>この日時より前なら、解約を取りやめて更新を続けられます。</li>}
            {!is_billed && <li>この解約は取りやめられません。</li>}
          </>
        )}
        <li>
          次回以降の料金はかかりません。
          {is_creator_disabled
            ? "お支払い済みの料金については、加入の内容のページにある連絡先へお問い合わせください。"
            : "お支払い済みの料金の返金はありません。"}
        </li>
      </ul>
      <Form method="post">
        <HiddenFields idempotency_key={idempotency_key} />
        <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
        <Button variant="alert">解約する</Button>
      </Form>
      <p>
        <Link to={pathOf(subscription_id)}>解約せずに戻る</Link>
      </p>
    </section>
  );
}
