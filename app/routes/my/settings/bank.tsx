import type { SubmissionResult } from "@conform-to/react";
import { data, Form, Link, redirect, useNavigation } from "react-router";
import * as z from "zod";
import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN } from "../../../../workers/contract/limits.ts";
import { toNormalForm } from "../../../../workers/contract/normal-form.ts";
import { getCreatorAccount, updateCreatorAccount } from "../../../../workers/contract/payouts.ts";
import { getProfile } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { Author } from "../../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { readForm } from "../../../forms/read-form.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { refuseWords, wordsOf } from "../../../forms/words.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { useTakesMoney } from "../../../site/money.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { DateTime } from "../../../ui/date-time.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { sendFromBrowser } from "../../../v4/send-from-browser.ts";
import { isRegistrationDone } from "../earnings/payout-state.ts";
import { readBank } from "../earnings/read-bank.ts";
import { MonetizePrompt } from "../monetize-prompt.tsx";
import type { Route } from "./+types/bank.ts";
import { accountTypes, EDIT_PATH, editPath } from "./bank-words.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "振込先の口座";
const BANK_PATH = "/my/settings/bank";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const [{ user }, { account, is_unreadable }, { creator_account }, kept] = await Promise.all([
    v4.read(getProfile, {}),
    readBank(v4),
    v4.read(getCreatorAccount, {}),
    keptForm(context, BANK_PATH),
  ]);
  const written = creator_account && {
    invoice_number: String(kept?.get("invoice_number") ?? creator_account.invoice_number ?? ""),
  };
  const is_finished = isRegistrationDone(creator_account);
  return { user_id: user.user_id, is_creator: user.is_creator, account, is_unreadable, is_finished, written };
}

const invoiceForm = z.object({ invoice_number: z.string().optional() });

/** Sets or removes the number that invoices show. */
export async function action({ request, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), BANK_PATH);
  const typed = words.form.get("invoice_number");
  // None of our pages sends a form without the field. It must not remove the number.
  if (typeof typed !== "string") throw data(null, { status: 400 });
  // People paste the number in groups: T 7000 0120 50002.
  const invoice_number = toNormalForm(typed, "NFKC").replaceAll(/[\s-]/g, "").toUpperCase();
  const body = { invoice_number: invoice_number === "" ? null : invoice_number };
  const sent = await context.get(v4Context).send(updateCreatorAccount, { body });
  if (!sent.ok) return refuseWords(context, words, readForm(words.form, invoiceForm), sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(BANK_PATH, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

export default function BankSettings({ loaderData, actionData }: Route.ComponentProps) {
  const { user_id, is_creator, account, is_unreadable, is_finished, written } = loaderData;
  const takes_money = useTakesMoney();
  if (!is_creator && !account) {
    return (
      <SettingsPage title={TITLE}>
        <MonetizePrompt title="口座の登録には、収益化登録が必要です">
          <p>登録すると、応援やメンバーシップの売上を口座で受け取れるようになります。</p>
        </MonetizePrompt>
      </SettingsPage>
    );
  }
  return (
    <SettingsPage title={TITLE}>
      <p className="lead">売上の振込を受け取る口座です。</p>
      {is_unreadable && (
        <p className="notice" role="status">
          登録された口座を読み取れませんでした。お手数ですが、もう一度登録してください。
        </p>
      )}
      {account ? <Account account={account} is_creator={is_creator} /> : <NoAccount />}
      {account && is_creator && !is_finished && takes_money && (
        <p>
          <ButtonLink to="/signup/monetize">手続きの続きへ</ButtonLink>
        </p>
      )}
      <ul className="plain-notes">
        <li>{`残高が${groupDigits(PAYOUT_MIN_YEN)}円以上のときに振込できます。振込手数料は1回${PAYOUT_FEE_YEN}円です。`}</li>
        <li>口座番号と名義は、暗号にして保管しています。ほかの人に表示されることはありません。</li>
      </ul>
      {written && <InvoiceNumber user_id={user_id} written={written} answer={actionData} />}
    </SettingsPage>
  );
}

function InvoiceNumber(props: {
  user_id: string;
  written: { invoice_number: string };
  answer: Route.ComponentProps["actionData"];
}) {
  const { user_id, written, answer } = props;
  const lastResult = answer?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<typeof written>({ id: "invoice", lastResult, defaultValue: written });
  const is_sending = useNavigation().state === "submitting";
  return (
    <Form method="post" action={BANK_PATH} id={form.id} className="card form" noValidate>
      <h2 className="section-title">インボイスの登録番号（任意）</h2>
      <FormErrors errors={form.errors} />
      <Author id={user_id} verb="保存" />
      <InputField
        field={fields.invoice_number}
        label="適格請求書発行事業者の登録番号"
        type="text"
        hint="Tと13桁の数字です。登録している方だけ入力してください。これからのお支払いの請求書と領収書に、あなたの番号として載ります。"
        input={{ autoComplete: "off", maxLength: 30 }}
      />
      <div>
        <Button aria-disabled={is_sending}>登録番号を保存する</Button>
      </div>
    </Form>
  );
}

function NoAccount() {
  return (
    <section className="card form">
      <h2 className="section-title">口座はまだ登録されていません</h2>
      <p>銀行と支店を選び、口座番号と名義を入力します。通帳やキャッシュカードをご用意ください。</p>
      <div>
        <ButtonLink to={EDIT_PATH}>口座を登録する</ButtonLink>
      </div>
    </section>
  );
}

type Shown = NonNullable<Route.ComponentProps["loaderData"]["account"]>;

function Account({ account, is_creator }: { account: Shown; is_creator: boolean }) {
  const { bank_code, bank_name, branch_code, branch_name, account_type } = account;
  return (
    <section className="card form" aria-labelledby="account-title">
      <h2 id="account-title" className="section-title">
        登録されている口座
      </h2>
      <dl className="facts bank-facts">
        <div>
          <dt>銀行</dt>
          <dd>{`${bank_name}（${bank_code}）`}</dd>
        </div>
        <div>
          <dt>支店</dt>
          <dd>{`${branch_name}（${branch_code}）`}</dd>
        </div>
        <div>
          <dt>種別</dt>
          <dd>{accountTypes[account_type]}</dd>
        </div>
        <div>
          <dt>口座番号（下3桁のみ表示）</dt>
          <dd>{`****${account.account_number_last3}`}</dd>
        </div>
        <div>
          <dt>口座名義（カナ）</dt>
          <dd>{account.account_holder_kana}</dd>
        </div>
        <div>
          <dt>登録・変更した日時</dt>
          <dd>
            <DateTime iso={account.updated_at} />
          </dd>
        </div>
      </dl>
      {is_creator && (
        <>
          <div>
            <ButtonLink to={EDIT_PATH} variant="primary-outline">
              口座を変更する
            </ButtonLink>
          </div>
          <p>
            <Link to={editPath({ bank_code, branch_code })}>同じ支店のまま、種別・番号・名義だけを変更する</Link>
          </p>
        </>
      )}
    </section>
  );
}
