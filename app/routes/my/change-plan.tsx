import { data, Form, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import {
  getSubscription,
  type Membership,
  previewSubscription,
  updateSubscription,
} from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { safeTo } from "../../request/to.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { Price } from "../../ui/price.tsx";
import type { Route } from "./+types/change-plan.ts";
import { contentsRow, Facts, renewalRows } from "./price-facts.tsx";
import { SUBSCRIPTIONS_PATH } from "./subscription-words.ts";

const TITLE = "プランの変更の確認";
/** The gateway gave no answer, so it may have made the change. The clock asks it again. */
const SILENT = "gateway_unreachable";
const UNPRICED = "決済サービスから応答がないため、いまは変更できません。しばらくしてから、もう一度お試しください。";
const UNCERTAIN =
  "決済サービスから応答がありません。変更できたかどうかは、数分のうちに加入の内容のページでわかります。二重に料金がかかることはありません。";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

/** The last page before a change: the difference to the yen, and when the other plan begins. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { subscription_id, membership_id } = params;
  if (!id.safeParse(subscription_id).success || !id.safeParse(membership_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const path = `${SUBSCRIPTIONS_PATH}/${subscription_id}`;
  const [{ subscription }, sent] = await Promise.all([
    v4.read(getSubscription, { params: { subscription_id } }),
    v4.send(previewSubscription, { params: { membership_id }, query: { subscription_id } }),
  ]);
  // The page of the subscription takes back a change that has not begun.
  if (subscription.membership.membership_id === membership_id) throw redirect(path);
  const common = { subscription, idempotency_key: crypto.randomUUID() };
  if (!sent.ok && sent.refusal.code === SILENT)
    return { ...common, preview: null, error: UNPRICED, is_scheduled: false };
  const is_off = !sent.ok && sent.refusal.code === "payments_unavailable";
  if (!sent.ok && !is_off && (sent.refusal.status >= 500 || sent.refusal.status === 404))
    throw v4.failure(sent.refusal);
  if (!sent.ok) {
    const is_scheduled = sent.refusal.code === "subscription_change_scheduled";
    return { ...common, preview: null, error: sent.refusal.detail, is_scheduled };
  }
  return { ...common, preview: sent.answer.preview, error: null, is_scheduled: false };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const { subscription_id, membership_id } = params;
  const form = await request.formData();
  const sent = await context.get(v4Context).send(updateSubscription, {
    params: { subscription_id },
    body: { membership_id, priced_at: String(form.get("priced_at")), amount_now: Number(form.get("amount_now")) },
    idempotency_key: String(form.get("idempotency_key") || crypto.randomUUID()),
  });
  if (!sent.ok) {
    const { code, detail, status } = sent.refusal;
    return data({ error: code === SILENT ? UNCERTAIN : detail }, status);
  }
  const path = `${SUBSCRIPTIONS_PATH}/${subscription_id}`;
  const is_scheduled = Number(form.get("amount_now")) <= 0;
  setFlash(context, is_scheduled ? "subscription_change_scheduled" : "subscription_changed");
  // A locked page opens only after a change that has begun.
  return redirect(is_scheduled ? path : safeTo(url.searchParams.get("to"), path), 303);
}

export default function ChangePlan({ loaderData, actionData }: Route.ComponentProps) {
  const { subscription, preview, error, is_scheduled, idempotency_key } = loaderData;
  const { subscription_id, membership } = subscription;
  return (
    <section className="card form">
      <h1 className="page-title">{TITLE}</h1>
      {preview ? (
        <>
          <Facts
            rows={[
              ["いまのプラン", <Plan key="from" plan={membership} link_id={preview.creator.link_id} />],
              ["変更後のプラン", <Plan key="to" plan={preview.membership} link_id={preview.creator.link_id} />],
              contentsRow(preview.membership.description),
              [
                "変わる日時",
                preview.amount_now > 0 ? "お支払いの完了後すぐ" : <Begins key="at" iso={preview.begins_at} />,
              ],
              [
                "本日のお支払い",
                <span key="now">
                  <Price amount={preview.amount_now} />
                  {preview.amount_now > 0 && "　次のお支払い日までの差額です。登録したカードで支払います。"}
                </span>,
              ],
              ...renewalRows({ amount: preview.next_amount, charge_at: preview.next_charge_at }),
            ]}
          />
          <p className="field-hint">
            {preview.amount_now > 0
              ? "変更すると、いまのプランだけで読める投稿は読めなくなります。"
              : "変わる日時までは、いまのプランのまま読めます。"}
          </p>
          <Form method="post">
            <HiddenFields
              idempotency_key={idempotency_key}
              priced_at={preview.priced_at}
              amount_now={preview.amount_now}
            />
            <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
            <Button>
              {preview.amount_now > 0
                ? `${groupDigits(preview.amount_now)}円（税込）を支払って変更する`
                : "この内容で変更する"}
            </Button>
          </Form>
        </>
      ) : (
        <>
          <p role="status">{actionData?.error ?? error}</p>
          {is_scheduled && (
            <p>
              <Link to={`${SUBSCRIPTIONS_PATH}/${subscription_id}#scheduled`}>変更の予約を取り消す</Link>
            </p>
          )}
        </>
      )}
      <p>
        <Link to={`${SUBSCRIPTIONS_PATH}/${subscription_id}`}>変更せずに戻る</Link>
      </p>
    </section>
  );
}

function Plan({ plan, link_id }: { plan: Membership; link_id: string }) {
  const { membership_id, title, amount } = plan;
  return (
    <>
      <Link to={`/${link_id}/plans/${membership_id}`}>{title}</Link>　<Price amount={amount} /> / 月
    </>
  );
}

const Begins = ({ iso }: { iso: string }) => <DateTime iso={iso} />;
