import { data, Link, redirect, useFetcher } from "react-router";
import { PLANS_OF_A_CREATOR } from "../../../workers/contract/bounds.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { listOwnMemberships, type OwnMembership, updateMembership } from "../../../workers/contract/memberships.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { OneTimeHint } from "../../shell/one-time-hint.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { Price } from "../../ui/price.tsx";
import type { Route } from "./+types/memberships.ts";
import { MonetizePrompt } from "./monetize-prompt.tsx";
import { Moved } from "./moved.tsx";
import { PLANS_PATH, stateOf } from "./plan-state.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メンバーシップ", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const { memberships } = await context.get(v4Context).read(listOwnMemberships, {});
  const profile = context.get(viewerContext)?.profile;
  return { memberships, is_creator: profile?.is_creator ?? false, link_id: profile?.link_id ?? null };
}

/** Moves a plan to another place in the list. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const v4 = context.get(v4Context);
  const params = { membership_id: String(form.get("membership_id") ?? "") };
  if (!id.safeParse(params.membership_id).success) throw data(null, { status: 404 });
  const sent = await v4.send(updateMembership, { params, body: { position: Number(form.get("position")) } });
  if (!sent.ok) throw v4.failure(sent.refusal);
  return redirect(PLANS_PATH, 303);
}

export default function Memberships({ loaderData }: Route.ComponentProps) {
  const { memberships, is_creator, link_id } = loaderData;
  const open = memberships.filter(({ active_state }) => active_state === "active");
  const newPlan = memberships.length < PLANS_OF_A_CREATOR && (
    <ButtonLink to={`${PLANS_PATH}/new`}>プランを作る</ButtonLink>
  );
  return (
    <>
      <h1 className="page-title">メンバーシップ</h1>
      <p className="lead">月額で応援してくれる人だけが読める投稿や、続けて届く特典のためのプランです。</p>
      {!is_creator && (
        <MonetizePrompt title="プランを作るには、収益化登録が必要です">
          <p>登録が済むと、月額100円から10,000円までのプランを{PLANS_OF_A_CREATOR}個まで作れます。</p>
        </MonetizePrompt>
      )}
      {is_creator && memberships.length === 0 && (
        <EmptyState title="まだプランがありません">
          <p>「応援プラン」のような、特典のない小さなプランからでも始められます。</p>
          <p>{newPlan}</p>
        </EmptyState>
      )}
      {memberships.length > 0 && (
        <>
          <div className="row plan-actions">
            {is_creator && newPlan}
            {open.length > 0 && <Link to={`/${link_id}/plans`}>公開ページで見る</Link>}
          </div>
          <ol className="rows plan-rows">
            {memberships.map((plan, index) => (
              <PlanRow
                key={plan.membership_id}
                plan={plan}
                place={index + 1}
                up={index > 0 ? index - 1 : null}
                down={index < memberships.length - 1 ? index + 1 : null}
              />
            ))}
          </ol>
        </>
      )}
      {is_creator && (
        <OneTimeHint id="memberships" is_floating>
          プランの内容や定員はあとから変えられますが、募集を始めたプランの月額は変えられません。小さな金額から始めてみましょう。
        </OneTimeHint>
      )}
    </>
  );
}

function PlanRow(props: { plan: OwnMembership; place: number; up: number | null; down: number | null }) {
  const { plan, place, up, down } = props;
  const { membership_id, title, amount, members_count } = plan;
  const state = stateOf(plan);
  const members = `メンバー ${groupDigits(members_count)}人`;
  return (
    <li className="card plan-row">
      <h2 className="plan-title">
        <Link to={`${PLANS_PATH}/${membership_id}/edit`}>{title}</Link>{" "}
        <Badge tone={state === "open" ? undefined : "quiet"}>{STATES[state]}</Badge>
        {plan.is_full && <Badge tone="quiet">満員</Badge>}
      </h2>
      <p>
        <Price amount={amount} /> / 月{plan.members_limit !== null && `　定員${groupDigits(plan.members_limit)}人`}
      </p>
      <div className="post-row-buttons">
        <ButtonLink to={`${PLANS_PATH}/${membership_id}/edit`} {...SMALL} aria-label={`「${title}」を編集`}>
          編集
        </ButtonLink>
        {state !== "draft" && (
          <ButtonLink to={`${PLANS_PATH}/${membership_id}/members`} {...SMALL} aria-label={`「${title}」の${members}`}>
            {members}
          </ButtonLink>
        )}
        {up !== null && <MoveButton plan={plan} position={up} sign="↑" way="上" />}
        {down !== null && <MoveButton plan={plan} position={down} sign="↓" way="下" />}
        <Moved title={title} place={place} />
      </div>
    </li>
  );
}

function MoveButton(props: { plan: OwnMembership; position: number; sign: string; way: string }) {
  const { plan, position, sign, way } = props;
  const fetcher = useFetcher<typeof action>();
  return (
    <fetcher.Form method="post" action={PLANS_PATH}>
      <HiddenFields membership_id={plan.membership_id} position={position} />
      <Button
        {...SMALL}
        data-move=""
        aria-label={`「${plan.title}」を${way}へ`}
        aria-disabled={fetcher.state !== "idle"}
      >
        {sign}
      </Button>
    </fetcher.Form>
  );
}

const SMALL = { variant: "gray-outline", size: "sm" } as const;
const STATES = { draft: "下書き", open: "募集中", closed: "募集終了" };
