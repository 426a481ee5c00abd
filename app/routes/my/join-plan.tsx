import { data, Form, Link, redirectDocument } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { SESSION_MINUTES } from "../../../workers/contract/limits.ts";
import { createSubscription, getMembership, previewSubscription } from "../../../workers/contract/memberships.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { safeTo, toQuery } from "../../request/to.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { Price } from "../../ui/price.tsx";
import { SecondPlanNotice } from "../creator/second-plan-notice.tsx";
import type { Route } from "./+types/join-plan.ts";
import { keepOrigin } from "./joining-origin.ts";
import { PLANS_PATH } from "./plan-state.ts";
import { contentsRow, Facts, renewalRows } from "./price-facts.tsx";
import { LIMIT_PATH, SUBSCRIPTIONS_PATH, secondPlanOf } from "./subscription-words.ts";

const TITLE = "お申し込み内容の確認";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

/** The last page before the order: what, price, later charges, delivery, how to cancel. Source: 特定商取引法 第12条の6. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.membership_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const readPlan = async () => {
    const { membership } = await v4.read(getMembership, { params, query: {} });
    return { membership, found: await v4.send(getUser, { query: { user_id: membership.user_id } }) };
  };
  const [{ membership, found }, sent] = await Promise.all([
    readPlan(),
    v4.send(previewSubscription, { params, query: {} }),
  ]);
  const joined_plans = (found.ok ? found.answer.joined_plans : []).map((plan) => ({ ...plan, ...secondPlanOf(plan) }));
  const common = { membership, joined_plans, query: toQuery(url), idempotency_key: crypto.randomUUID() };
  if (sent.ok) return { ...common, preview: sent.answer.preview, refusal: null };
  const { status, code, detail } = sent.refusal;
  if ((status >= 500 && code !== "payments_unavailable") || status === 401) throw v4.failure(sent.refusal);
  const way_on = wayOn(code, membership.membership_id, found.ok ? found.answer.user.link_id : null);
  return { ...common, preview: null, refusal: { detail, way_on } };
}

/** Returns where a person continues after a refusal. */
function wayOn(code: string, membership_id: string, link_id: string | null): { to: string; label: string } {
  if (code === "spending_limit_reached") return { to: LIMIT_PATH, label: "上限額を確認する" };
  if (code === "minor_limit_reached") return { to: LIMIT_PATH, label: "今月のお支払いを確認する" };
  if (code === "cannot_join_own_plan") return { to: `${PLANS_PATH}/${membership_id}/edit`, label: "プランを編集する" };
  if (link_id && (code === "membership_not_open" || code === "membership_full"))
    return { to: `/${link_id}/plans`, label: "ほかのプランを見る" };
  if (link_id && code === "blocked") return { to: `/${link_id}`, label: "クリエイターのページを見る" };
  return { to: SUBSCRIPTIONS_PATH, label: "加入中のプランを見る" };
}

/** Leads to the gateway's page. A form that is sent twice leads to the same page. */
export async function action({ request, url, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const sent = await context.get(v4Context).send(createSubscription, {
    body: { membership_id: params.membership_id },
    idempotency_key: String(form.get("idempotency_key") || crypto.randomUUID()),
  });
  if (!sent.ok) return data({ error: sent.refusal.detail }, sent.refusal.status);
  const { checkout_url, joining_id } = sent.answer.joining;
  const to = safeTo(url.searchParams.get("to"), "");
  if (to) keepOrigin(context, joining_id, to);
  throw redirectDocument(checkout_url ?? `${SUBSCRIPTIONS_PATH}/joining/${joining_id}`, 303);
}

export default function JoinPlan({ loaderData, actionData }: Route.ComponentProps) {
  const { membership, joined_plans, preview, refusal, query, idempotency_key } = loaderData;
  return (
    <>
      <h1 className="page-title">{TITLE}</h1>
      {preview ? (
        <section className="card form" aria-labelledby="plan-title">
          <h2 id="plan-title" className="section-title">
            {membership.title}
          </h2>
          <Facts
            rows={[
              [
                "クリエイター",
                <Link key="creator" to={`/${preview.creator.link_id}`}>
                  <bdi>{preview.creator.name}</bdi>
                </Link>,
              ],
              contentsRow(membership.description),
              ["料金", <MonthlyPrice key="price" amount={preview.next_amount} />],
              ["本日のお支払い", <Price key="now" amount={preview.amount_now} />],
              ...renewalRows({ amount: preview.next_amount, charge_at: preview.next_charge_at }),
              ["お支払い方法", "クレジットカード。次の画面（決済サービス）で入力します。"],
              [
                "お申し込みの期限",
                `次の画面（決済サービス）を開いてから${SESSION_MINUTES}分です。過ぎると取り消され、料金はかかりません。`,
              ],
              ["読めるようになる時期", "お支払いの完了後、すぐに読めます。"],
            ]}
          />
          <SecondPlanNotice membership_id={membership.membership_id} joined_plans={joined_plans} query={query} />
          <Form method="post" reloadDocument>
            <HiddenFields idempotency_key={idempotency_key} />
            <FormErrors errors={actionData?.error ? [actionData.error] : null} answer={actionData} />
            <Button is_block>内容を確認して、お支払いへ進む</Button>
          </Form>
          <p className="field-hint">
            お支払いの画面で確定するまで、料金はかかりません。確定が本日より後になると、次回以降のお支払い日もその日付に合わせて変わります。
          </p>
          <p>
            <Link to={`/${preview.creator.link_id}/plans/${membership.membership_id}${query}`}>
              プランのページへ戻る
            </Link>
          </p>
        </section>
      ) : (
        <section className="card prose">
          <h2 className="section-title">{membership.title}</h2>
          <p role="status">{refusal.detail}</p>
          <p>
            <ButtonLink to={refusal.way_on.to}>{refusal.way_on.label}</ButtonLink>
          </p>
        </section>
      )}
    </>
  );
}

function MonthlyPrice({ amount }: { amount: number }) {
  return (
    <>
      <Price amount={amount} /> / 月
    </>
  );
}
