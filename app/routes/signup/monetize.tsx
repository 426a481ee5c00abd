import { useEffect } from "react";
import { data, Form, Link, redirect, redirectDocument, useNavigation } from "react-router";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN, PLATFORM_FEE_PERCENT } from "../../../workers/contract/limits.ts";
import {
  type CreatorAccount,
  getCreatorAccount,
  type IdentityVerification,
  linkCreatorAccount,
  updateCreatorAccount,
} from "../../../workers/contract/payouts.ts";
import { getProfile } from "../../../workers/contract/users.ts";
import { flagKind, sessionStore, showRegisterCompleteModal, storedKey } from "../../browser/stored-keys.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { isComplete } from "../../middleware/completeness.ts";
import { v4Context } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { NoMoney, useTakesMoney } from "../../site/money.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { Radios } from "../../ui/radios.tsx";
import { yenText } from "../../ui/yen.tsx";
import { isRegistrationDone } from "../my/earnings/payout-state.ts";
import { readBank } from "../my/earnings/read-bank.ts";
import type { Route } from "./+types/monetize.ts";

const PATH = "/signup/monetize";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "収益化登録", is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  if (!context.get(viewerContext)) throw redirectDocument(loginPath(PATH));
  if (context.get(viewerContext)?.registration === "missing") throw redirect(registrationPath);
  const v4 = context.get(v4Context);
  const [{ user }, { creator_account }, bank] = await Promise.all([
    v4.read(getProfile, {}),
    v4.read(getCreatorAccount, {}),
    readBank(v4),
  ]);
  if (!isComplete(user)) throw redirect(registrationPath);
  return {
    is_creator: user.is_creator,
    account: creator_account,
    is_done: isRegistrationDone(creator_account),
    has_bank: bank.account !== null,
    idempotency_key: crypto.randomUUID(),
  };
}

/**
 * The middleware does not redirect pages below /signup to the registration, so this page links to it: payouts need a
 * registered name.
 */
const registrationPath = `/signup/registration?${new URLSearchParams({ to: PATH })}`;

/** Leads to the gateway's page of the next step, or asks the gateway how far the steps are. */
export async function action({ request, context }: Route.ActionArgs) {
  if (!context.get(viewerContext)) throw redirectDocument(loginPath(PATH), 303);
  const form = await request.formData();
  const v4 = context.get(v4Context);
  if (form.get("operation") === "check") {
    const sent = await v4.send(updateCreatorAccount, { body: {} });
    if (!sent.ok) return data({ error: sent.refusal.detail }, { status: sent.refusal.status });
    return redirect(PATH, 303);
  }
  const account_type = linkCreatorAccount.body.shape.account_type.safeParse(form.get("account_type"));
  if (!account_type.success) return data({ error: "個人か法人かを選んでください。" }, { status: 422 });
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const sent = await v4.send(linkCreatorAccount, { body: { account_type: account_type.data }, idempotency_key });
  if (!sent.ok) {
    if (sent.refusal.needs_sign_in) throw redirectDocument(loginPath(PATH), 303);
    return data({ error: sent.refusal.detail }, { status: sent.refusal.status });
  }
  // The gateway's page is no page of the app.
  return redirectDocument(sent.answer.url, 303);
}

/** Whether a member who is not yet a creator has left for the gateway's page. Only this page loads the key. */
const hasBegunRegistration = storedKey(sessionStore, "hasBegunMonetization", flagKind);

/**
 * Lets the first page outside /signup greet a new creator. The gateway's webhook may make the member a creator before they
 * return, so this page may never show the change. The flag tells it that there was one.
 */
function useCreatorGreeting(is_creator: boolean): void {
  useEffect(() => {
    if (is_creator && hasBegunRegistration.take()) showRegisterCompleteModal.write("creator");
  }, [is_creator]);
}

export default function Monetize({ loaderData, actionData }: Route.ComponentProps) {
  const { is_creator, account, is_done, has_bank, idempotency_key } = loaderData;
  useCreatorGreeting(is_creator);
  if (!useTakesMoney()) {
    return (
      <div className="page page-reading">
        <h1 className="page-title">収益化登録</h1>
        <NoMoney>
          <p>
            収益化登録、有料のofuseやコメント、プランへの加入は、いまは利用できません。投稿や無料のofuseは、そのままお使いいただけます。
          </p>
        </NoMoney>
        <p>
          <ButtonLink to="/my/posts/new" variant="primary-outline">
            投稿を作る
          </ButtonLink>
        </p>
      </div>
    );
  }
  return (
    <div className="page page-reading">
      <h1 className="page-title">収益化登録</h1>
      <p className="lead">
        {is_done
          ? "すべての手続きが済んでいます。売上を口座で受け取れます。"
          : "登録すると、応援やメンバーシップの売上を受け取り、ニュースレターを送れるようになります。"}
      </p>
      {actionData?.error && <FormErrors errors={[actionData.error]} answer={actionData} />}
      <Steps account={account} has_bank={has_bank} />
      {is_done ? (
        <p>
          <ButtonLink to="/my/transactions">売上のページへ</ButtonLink>
        </p>
      ) : (
        <NextStep
          account={account}
          has_bank={has_bank}
          idempotency_key={idempotency_key}
          onBegin={is_creator ? undefined : () => hasBegunRegistration.write(true)}
        />
      )}
      {is_creator && !is_done && (
        <p className="notice">
          プランやニュースレターは、いまから作れます。<Link to="/my/transactions">売上のページへ</Link>
        </p>
      )}
      <MoneyFacts />
    </div>
  );
}

type StepState = "done" | "next" | "waiting" | "refused" | "later";
const STATES: Record<StepState, string> = {
  done: "済み",
  next: "これから",
  waiting: "確認中",
  refused: "やり直しが必要",
  later: "このあと",
};

const VERIFICATIONS: Record<IdentityVerification, StepState> = {
  none: "later",
  pending: "waiting",
  unverified: "refused",
  verified: "done",
};

type Progress = { account: CreatorAccount | null; has_bank: boolean };

function Steps({ account, has_bank }: Progress) {
  const is_agreed = account?.steps.includes("tos_accepted") ?? false;
  const is_enabled = account?.steps.includes("payouts_enabled") ?? false;
  const verification = account?.identity_verification ?? "none";
  const steps: { name: string; note: string; state: StepState }[] = [
    {
      name: "情報の入力と、規約への同意",
      note: "お名前、生年月日、ご住所などを、決済サービスのページで入力します。",
      state: is_agreed ? "done" : "next",
    },
    {
      name: "本人確認",
      note: VERIFICATION_NOTES[verification],
      state: is_agreed ? VERIFICATIONS[verification] : "later",
    },
    {
      name: "振込先の口座の登録",
      note: account?.is_bank_refused
        ? "登録された口座を、決済サービスが受け付けませんでした。内容をご確認のうえ、登録し直してください。"
        : "ご本人（法人は法人名義）の、日本の銀行の口座をお使いください。",
      state: account?.is_bank_refused ? "refused" : has_bank ? "done" : is_agreed ? "next" : "later",
    },
    {
      name: "振込の開始",
      note: "上の手続きがそろうと、自動で始まります。数分かかることがあります。",
      state: is_enabled ? "done" : is_agreed && has_bank && verification === "verified" ? "waiting" : "later",
    },
  ];
  return (
    <section className="card section" aria-labelledby="steps-title">
      <h2 id="steps-title" className="section-title">
        手続きの流れ
      </h2>
      <ol className="steps">
        {steps.map(({ name, note, state }) => (
          <li key={name}>
            <span className="row">
              <b>{name}</b>
              <Badge tone={state === "done" || state === "later" ? "quiet" : undefined}>{STATES[state]}</Badge>
            </span>
            <span className="row-note">{note}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const VERIFICATION_NOTES: Record<IdentityVerification, string> = {
  none: "運転免許証やマイナンバーカードなどの書類で確認します。法人は、登記の情報も確認します。",
  pending: "書類を確認しています。通常は1日から数日かかります。終わるまでお待ちください。",
  unverified: "書類を確認できませんでした。「手続きを続ける」から、読み取れる書類をもう一度お送りください。",
  verified: "確認できました。",
};

function NextStep(props: Progress & { idempotency_key: string; onBegin: (() => void) | undefined }) {
  const { account, has_bank, idempotency_key, onBegin } = props;
  const is_sending = useNavigation().state === "submitting";
  const is_agreed = account?.steps.includes("tos_accepted") ?? false;
  const needs_gateway = !is_agreed || account?.identity_verification === "unverified";
  return (
    <section className="card form" aria-labelledby="next-title">
      <h2 id="next-title" className="section-title">
        次にすること
      </h2>
      {needs_gateway && (
        <Form method="post" action={PATH} className="form" onSubmit={onBegin}>
          <HiddenFields idempotency_key={idempotency_key} account_type={is_agreed ? account?.account_type : null} />
          {!is_agreed && (
            <Radios
              id="account_type"
              name="account_type"
              label="どちらで登録しますか？"
              initial={account?.account_type ?? "individual"}
              errors={null}
              choices={[
                { value: "individual", label: "個人", note: "個人事業主の方も、こちらです。" },
                { value: "company", label: "法人", note: "株式会社、合同会社など。" },
              ]}
            />
          )}
          <p className="row-note">
            決済サービスのページへ移ります。入力された情報は決済サービスが預かり、ofuseには保存されません。
          </p>
          <div>
            <Button aria-disabled={is_sending}>{account ? "手続きを続ける" : "手続きを始める"}</Button>
          </div>
        </Form>
      )}
      {is_agreed && !has_bank && (
        <p>
          <ButtonLink to="/my/settings/bank" variant={needs_gateway ? "gray-outline" : "primary"}>
            振込先の口座を登録する
          </ButtonLink>
        </p>
      )}
      {is_agreed && account?.is_bank_refused && (
        <p>
          <ButtonLink to="/my/settings/bank">振込先の口座を確認する</ButtonLink>
        </p>
      )}
      {is_agreed && (
        <Form method="post" action={PATH}>
          <HiddenFields />
          <Button name="operation" value="check" variant="gray-outline" aria-disabled={is_sending}>
            いまの状態を確かめる
          </Button>
        </Form>
      )}
    </section>
  );
}

function MoneyFacts() {
  return (
    <section className="card" aria-labelledby="money-title">
      <h2 id="money-title" className="section-title">
        お金のこと
      </h2>
      <dl className="facts">
        <div>
          <dt>登録・月々の料金</dt>
          <dd>無料</dd>
        </div>
        <div>
          <dt>手数料</dt>
          <dd>{`売上の${PLATFORM_FEE_PERCENT}%（決済の費用を含む。1円未満は切り捨て）`}</dd>
        </div>
        <div>
          <dt>例</dt>
          <dd>{`1,000円の応援では、手数料が${yenText(10 * PLATFORM_FEE_PERCENT)}、受け取りは${yenText(1000 - 10 * PLATFORM_FEE_PERCENT)}です`}</dd>
        </div>
        <div>
          <dt>振込</dt>
          <dd>{`残高${yenText(PAYOUT_MIN_YEN)}から。振込手数料は1回${yenText(PAYOUT_FEE_YEN)}です`}</dd>
        </div>
        <div>
          <dt>用意するもの</dt>
          <dd>本人確認の書類と、ご本人名義の銀行口座</dd>
        </div>
      </dl>
    </section>
  );
}
