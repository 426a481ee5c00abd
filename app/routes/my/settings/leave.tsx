import { type SubmissionResult, useForm } from "@conform-to/react";
import { data, Form, Link, useNavigation } from "react-router";
import * as z from "zod";
import { LEFT_NAME, LINK_ID_HELD_DAYS } from "../../../../workers/contract/bounds.ts";
import { MAX_PAGE_SIZE } from "../../../../workers/contract/fields.ts";
import { unsubscribe } from "../../../../workers/contract/leaving.ts";
import { getBalance } from "../../../../workers/contract/ledger.ts";
import { PAYOUT_MIN_YEN } from "../../../../workers/contract/limits.ts";
import { listOwnMemberships, listSubscriptions, type Subscription } from "../../../../workers/contract/memberships.ts";
import { toNormalForm } from "../../../../workers/contract/normal-form.ts";
import type { AnswerOf } from "../../../../workers/contract/operation.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { AUTHOR_FIELD } from "../../../forms/author-field.ts";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { readForm } from "../../../forms/read-form.ts";
import { completingPath } from "../../../middleware/completeness.ts";
import { v4Context } from "../../../request/context.ts";
import { viewerContext } from "../../../session/context.ts";
import { closeSession } from "../../../session/current-session.ts";
import { deleteIdentity, sayGoodbye } from "../../../session/leave.ts";
import { ownSession } from "../../../sign-in/ask-provider.ts";
import { requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { Button } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { yenText } from "../../../ui/yen.tsx";
import type { V4 } from "../../../v4/client.ts";
import { PLANS_PATH } from "../plan-state.ts";
import { SUBSCRIPTIONS_PATH } from "../subscription-words.ts";
import type { Route } from "./+types/leave.ts";
import { SettingsPage } from "./settings-page.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "退会", is_unlisted: true });

const PATH = "/my/settings/leave";
const CONFIRMATION = "退会する";
const leaveForm = z.object({
  confirmation: z
    .string(`「${CONFIRMATION}」と入力してください。`)
    .refine((typed) => toNormalForm(typed).trim() === CONFIRMATION, `「${CONFIRMATION}」と入力してください。`),
});

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  // A person who has not registered yet has joined and earned nothing, and can leave too.
  const is_member = Boolean(context.get(viewerContext)?.profile);
  const [kept, running, earned, own] = await Promise.all([
    keptForm(context, PATH),
    // These two are no optional parts: the typed word also gives up plans and a balance, which the page must have named.
    is_member ? listRunningPlans(v4) : [],
    is_member ? v4.read(getBalance, {}) : null,
    is_member ? v4.part(listOwnMemberships, {}) : null,
  ]);
  const now_ms = Date.now();
  return {
    plans: running.map(({ subscription_id, membership, creator, paid_until }) => ({
      subscription_id,
      title: membership.title,
      creator_name: creator.name,
      paid_until: Date.parse(paid_until) > now_ms ? paid_until : null,
    })),
    members_count: (own?.memberships ?? []).reduce((sum, each) => sum + each.members_count, 0),
    money: earned && moneyOf(earned.balance),
    user_id: context.get(viewerContext)?.profile?.user_id,
    confirmation: String(kept?.get("confirmation") ?? ""),
    completing: completingPath(context.get(viewerContext)?.profile ?? null, "/"),
  };
}

/** Lists all plans that end, or can no longer be read, when the person leaves. */
async function listRunningPlans(v4: V4) {
  const running: Subscription[] = [];
  for (let page_number = 1; ; page_number++) {
    const query = { state: "running", page_number, page_size: MAX_PAGE_SIZE } as const;
    const { subscriptions, has_next } = await v4.read(listSubscriptions, { query });
    running.push(...subscriptions);
    if (!has_next) return running;
  }
}

/**
 * Returns what of a balance prevents leaving, and what is given up on leaving because no payout can be so small. Source:
 * docs/decisions/0026, "Leaving".
 */
function moneyOf(balance: AnswerOf<typeof getBalance>["balance"]) {
  const { available, pending, in_transit, held, held_pending, contested } = balance;
  const rest = available + held - held_pending;
  const is_enough = rest >= PAYOUT_MIN_YEN;
  const is_waiting = is_enough || [pending, held_pending, in_transit, contested].some((yen) => yen > 0);
  return {
    ...{ pending, in_transit, contested, is_waiting },
    payable: is_enough ? available : 0,
    held: is_enough ? held : held_pending,
    given_up: is_waiting ? 0 : Math.max(rest, 0),
  };
}

/**
 * Deletes the product's account first, then the identity provider's. In the other order, a failure of the second step
 * would leave an account that nobody can sign in to and delete.
 */
export async function action({ request, url, context }: Route.ActionArgs) {
  const form = await request.formData();
  const read = readForm(form, leaveForm);
  if (!read.value) return data({ result: read.toResult() }, 422);
  await requireRecentSignIn(context, new URL(PATH, url), form);
  const session = ownSession(context);
  const sent = await context.get(v4Context).send(unsubscribe, {});
  // The account may be deleted already, by an earlier attempt whose second step failed. Then continue with that step.
  if (!sent.ok && sent.refusal.code !== "account_left") {
    const result = read.toResult(sent.refusal.detail);
    // Another account is signed in now: its owner must type the word.
    const typed = sent.refusal.code === "another_person" ? { initialValue: {} } : {};
    return data({ result: { ...result, ...typed } }, sent.refusal.status);
  }
  const is_deleted = await deleteIdentity(context, session);
  if (is_deleted) closeSession(context);
  forgetIntent(context, "follow");
  forgetIntent(context, "form");
  return sayGoodbye(context, is_deleted);
}

const gone = [
  "プロフィール、アイコンとカバー画像、外部リンク",
  "投稿と下書き、アップロードした画像・音声・動画",
  "無料のコメント、「いいね」、フォロー、ブロック、リアクション、お知らせ",
  "振込先の口座（口座番号と名義）",
  "メールアドレスとログイン方法（すべての端末からログアウトします）",
];
const kept = [
  `送った手紙と、あなたの返信。相手のもとに「${LEFT_NAME}」からのものとして残ります`,
  `有料コメント。「${LEFT_NAME}」からのものとして公開されたまま残ります`,
  "通報の記録",
  "お金のやりとりの記録。法律の定める期間（7年または10年）のあとも、帳簿として残ります（お名前とメールアドレスは切り離します）。振込の記録には、銀行、支店、口座番号の下3桁が残ります",
  "振込先の口座を登録・変更した記録（日時、銀行、支店、預金の種類）。変更から7年間残ります",
  "運営がアカウントに対して行った操作の記録（お名前とメールアドレスは含みません）",
];

export default function Leave({ loaderData, actionData }: Route.ComponentProps) {
  const lastResult = actionData?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useForm<{ confirmation: string }>({
    id: "leave",
    lastResult,
    defaultValue: { confirmation: loaderData.confirmation },
  });
  const { completing, plans, members_count, money } = loaderData;
  const is_sending = useNavigation().state === "submitting";
  return (
    <SettingsPage title="退会" completing={completing}>
      {(members_count > 0 || money?.is_waiting) && <Obstacles members_count={members_count} money={money} />}
      <section className="card form">
        <h2 className="section-title">退会すると消えるもの</h2>
        <ul className="plain-notes">
          {gone.map((line) => (
            <li key={line}>{line}</li>
          ))}
          {money !== null && money.given_up > 0 && (
            <li>
              <b>{`売上の残高 ${yenText(money.given_up)}`}</b>
              {`。振込は${yenText(PAYOUT_MIN_YEN)}からのため、退会すると受け取れなくなります`}
            </li>
          )}
        </ul>
        {plans.length > 0 && (
          <>
            <h2 className="section-title">終了するメンバーシップ</h2>
            <p>
              次の{plans.length}
              件のプランは、退会するとすぐに終了し、読める期間が残っていても読めなくなります。お支払い済みの料金の返金はありません。
            </p>
            <ul className="plain-notes">
              {plans.map(({ subscription_id, title, creator_name, paid_until }) => (
                <li key={subscription_id}>
                  <bdi>{creator_name}</bdi>さんの「{title}」
                  {paid_until && (
                    <>
                      （
                      <DateTime iso={paid_until} format="date" /> まで支払い済み）
                    </>
                  )}
                </li>
              ))}
            </ul>
            <p>
              <Link to={SUBSCRIPTIONS_PATH}>加入中のプランを見る</Link>
            </p>
          </>
        )}
        <h2 className="section-title">残るもの</h2>
        <ul className="plain-notes">
          {kept.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <p className="field-hint">
          {`取り消すことはできません。同じメールアドレスで登録し直すことはできますが、消えたものは戻りません。ユーザーIDは${LINK_ID_HELD_DAYS}日のあいだ、だれも使えません。`}
          詳しくは
          <Link
            to={completing ? `/signup/privacy?${new URLSearchParams({ to: PATH })}#retention` : "/privacy#retention"}
          >
            プライバシーポリシー
          </Link>
          をご覧ください。
        </p>
      </section>
      <section className="card form">
        <h2 className="section-title">先に、データを保存しておきましょう</h2>
        <p>投稿、下書き、手紙、コメントなどを、ひとつのファイルにまとめて保存できます。退会のあとは受け取れません。</p>
        <div>
          <a className="button button-primary-outline" href="/my/settings/export" download>
            データをダウンロード
          </a>
        </div>
      </section>
      <Form method="post" action={PATH} id={form.id} className="card form" noValidate>
        <h2 className="section-title">退会の手続き</h2>
        <FormErrors errors={form.errors} />
        {/* Another account that signed in meanwhile must not be deleted. */}
        <HiddenFields {...{ [AUTHOR_FIELD]: loaderData.user_id }} />
        <InputField
          field={fields.confirmation}
          label={`確認のため、「${CONFIRMATION}」と入力してください`}
          type="text"
          hint="ログインから時間がたっているときは、もう一度ご本人の確認をお願いします。"
          input={{ autoComplete: "off" }}
        />
        <Button variant="alert" aria-disabled={is_sending}>
          退会する
        </Button>
      </Form>
    </SettingsPage>
  );
}

/** What a creator must settle before leaving, and where. */
function Obstacles({ members_count, money }: Pick<Route.ComponentProps["loaderData"], "members_count" | "money">) {
  return (
    <section className="card form" aria-labelledby="obstacles-title">
      <h2 id="obstacles-title" className="section-title">
        いまは、まだ退会できません
      </h2>
      {members_count > 0 && (
        <p>
          あなたのプランに、メンバーが{members_count}人います。<Link to={PLANS_PATH}>メンバーシップ</Link>
          で募集を止めると、いまのメンバーの加入も、期間の終わりに終了します。全員の期間が終わると、退会できます。
        </p>
      )}
      {money?.is_waiting && (
        <>
          <p>
            まだ受け取っていない<Link to="/my/transactions">売上</Link>があります。
          </p>
          <ul className="plain-notes">
            {money.pending > 0 && <li>{`確定を待っている売上 ${yenText(money.pending)}`}</li>}
            {money.in_transit > 0 && <li>{`振込の途中の売上 ${yenText(money.in_transit)}`}</li>}
            {money.payable > 0 && <li>{`振込できる残高 ${yenText(money.payable)}`}</li>}
            {money.held > 0 && <li>{`運営が確認している売上 ${yenText(money.held)}`}</li>}
            {money.contested > 0 && <li>{`支払いへの異議や返金の結果を待っている売上 ${yenText(money.contested)}`}</li>}
          </ul>
          <p>
            {`どれも済むと、退会できます。振込は${yenText(PAYOUT_MIN_YEN)}からです。確定しても届かないときは、その残高を受け取らずに退会することになります。`}
            {money.contested > 0 && "異議の結果が出るまで、数か月かかることがあります。"}
          </p>
        </>
      )}
    </section>
  );
}
