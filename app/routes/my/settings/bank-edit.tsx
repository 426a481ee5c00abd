import type { SubmissionResult } from "@conform-to/react";
import { Form, Link, redirect, useNavigation } from "react-router";
import {
  type Bank,
  type Branch,
  JAPAN_POST_BANK,
  listBanks,
  listBranches,
} from "../../../../workers/contract/banks.ts";
import { updateBank } from "../../../../workers/contract/payouts.ts";
import { getProfile } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { refuseAuthor } from "../../../forms/authorship.ts";
import { readForm, typedFields } from "../../../forms/read-form.ts";
import { useStayingForm } from "../../../forms/use-staying-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../../forms/words.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { hasRecentSignIn, requireRecentSignIn } from "../../../sign-in/recent-sign-in.ts";
import { Button } from "../../../ui/button.tsx";
import { RadioCards } from "../../../ui/choices.tsx";
import { InputField } from "../../../ui/field.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { sendFromBrowser } from "../../../v4/send-from-browser.ts";
import { bankAccountForm } from "../../operation-forms.server.ts";
import type { Route } from "./+types/bank-edit.ts";
import { accountTypes, EDIT_PATH, editPath, PAYABLE_TYPES } from "./bank-words.ts";
import { SettingsPage } from "./settings-page.tsx";
import { readTypedAccount, signInWithAccount, typedAccount } from "./typed-account.ts";

const TITLE = "振込先の口座の登録";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

/** The search box takes no more. */
const MAX_SOUGHT = 100;

/** Says which step the address has reached: the bank, the branch, then the account itself. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getProfile, {});
  if (!user.is_creator) throw redirect("/my/settings/bank");
  const q = (url.searchParams.get("q") ?? "").trim().slice(0, MAX_SOUGHT);
  const { bank_code, branch_code } = chosenIn(url);
  if (!bank_code) return { step: "bank" as const, q, ...(await v4.read(listBanks, { query: { q } })) };
  const sent = await v4.send(listBranches, { params: { bank_code }, query: { q: branch_code || q } });
  if (!sent.ok && sent.refusal.status >= 500) throw v4.failure(sent.refusal);
  // The bank is not in the list any more, or somebody wrote the address by hand.
  if (!sent.ok) throw redirect(EDIT_PATH);
  const { bank, branches, has_more } = sent.answer;
  const is_japan_post = bank.bank_code === JAPAN_POST_BANK;
  if (!branch_code) return { step: "branch" as const, q, bank, branches, has_more, is_japan_post };
  const branch = branches.find((each) => each.branch_code === branch_code);
  if (!branch) throw redirect(editPath({ bank_code }));
  await requireRecentSignIn(context, url);
  return {
    step: "account" as const,
    bank,
    branch,
    is_japan_post,
    written: { ...untyped, ...(await readTypedAccount(context)) },
    idempotency_key: crypto.randomUUID(),
  };
}

const untyped = { account_type: "futsu", account_number: "", account_holder_kana: "" };
type Written = typeof untyped;

const chosenIn = ({ searchParams }: URL) => ({
  bank_code: searchParams.get("bank_code") ?? "",
  branch_code: searchParams.get("branch_code") ?? "",
});

/** The address has the bank and the branch, the form has the rest. */
export async function action({ request, url, context }: Route.ActionArgs) {
  const chosen = chosenIn(url);
  const here = editPath(chosen);
  const words = { ...wordsOf(await request.formData(), EDIT_PATH), action: here };
  const not_theirs = refuseAuthor(context, words.form);
  if (not_theirs?.code === "another_person") {
    // Do not show one person's account to the other.
    const { toResult } = readForm(words.form, bankAccountForm, Object.keys(bankAccountForm.shape));
    return returnWords(words, toResult(not_theirs.detail), not_theirs.status);
  }
  const read = readForm(words.form, bankAccountForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const typed = { to: here, fields: typedFields(words.form, bankAccountForm) };
  if (!hasRecentSignIn(context)) return signInWithAccount(context, { ...typed, is_over: false });
  const { idempotency_key } = words;
  const body = { ...chosen, ...read.value };
  const sent = await context.get(v4Context).send(updateBank, { body, idempotency_key });
  if (!sent.ok && sent.refusal.needs_sign_in) return signInWithAccount(context, { ...typed, is_over: true });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  typedAccount.forget(context);
  setFlash(context, "bank_saved");
  return redirect("/my/settings/bank", 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

type Shown = Route.ComponentProps["loaderData"];

export default function BankEdit({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <SettingsPage title={TITLE}>
      <p className="back">
        <Link to="/my/settings/bank">振込先の口座へ戻る</Link>
      </p>
      {loaderData.step === "bank" && <BankStep {...loaderData} />}
      {loaderData.step === "branch" && <BranchStep {...loaderData} />}
      {loaderData.step === "account" && (
        <AccountStep
          key={`${loaderData.bank.bank_code} ${loaderData.branch.branch_code}`}
          {...loaderData}
          answer={actionData}
        />
      )}
    </SettingsPage>
  );
}

function BankStep({ q, banks, has_more }: Extract<Shown, { step: "bank" }>) {
  return (
    <section className="card form" aria-labelledby="step-title">
      <h2 id="step-title" className="section-title">
        1. 銀行を選ぶ
      </h2>
      <SearchForm q={q} label="銀行の名前、読みがな、または4桁の銀行コード" placeholder="例：みずほ" />
      <Found
        title={q ? `「${q}」に合う銀行` : "よく使われる銀行"}
        none={`「${q}」に合う銀行が見つかりません。名前の一部、読みがな、または4桁の銀行コードでお探しください。`}
        places={banks.map(({ bank_code, name }) => ({ to: editPath({ bank_code }), code: bank_code, name }))}
        has_more={has_more}
      />
    </section>
  );
}

function BranchStep({ q, bank, branches, has_more, is_japan_post }: Extract<Shown, { step: "branch" }>) {
  const { bank_code } = bank;
  return (
    <section className="card form" aria-labelledby="step-title">
      <h2 id="step-title" className="section-title">
        2. 支店を選ぶ
      </h2>
      <Chosen bank={bank} />
      {is_japan_post && (
        <p className="notice">
          ゆうちょ銀行は、通帳の「記号・番号」ではなく、「振込用の店名」を選びます。店名は3桁の数字です（例：〇一八は018）。
        </p>
      )}
      <SearchForm
        q={q}
        bank_code={bank_code}
        label={is_japan_post ? "振込用の店名（3桁の数字）" : "支店の名前、読みがな、または3桁の支店コード"}
        placeholder={is_japan_post ? "例：018" : "例：渋谷"}
      />
      <Found
        title={q ? `「${q}」に合う支店` : "支店コードの順"}
        none={`「${q}」に合う支店が見つかりません。名前の一部、読みがな、または3桁の支店コードでお探しください。`}
        places={branches.map(({ branch_code, name }) => ({
          to: editPath({ bank_code, branch_code }),
          code: branch_code,
          name,
        }))}
        has_more={has_more}
      />
    </section>
  );
}

function AccountStep({
  bank,
  branch,
  is_japan_post,
  written,
  idempotency_key,
  answer,
}: Extract<Shown, { step: "account" }> & { answer: Route.ComponentProps["actionData"] }) {
  const lastResult = answer?.result as SubmissionResult<string[]> | undefined;
  const [form, fields] = useStayingForm<Written>({ id: "bank", lastResult, defaultValue: written });
  const is_sending = useNavigation().state === "submitting";
  const { bank_code } = bank;
  const { branch_code } = branch;
  return (
    <Form method="post" action={editPath({ bank_code, branch_code })} id={form.id} className="card form" noValidate>
      <HiddenFields idempotency_key={answer?.idempotency_key || idempotency_key} />
      <h2 id="step-title" className="section-title">
        3. 口座の情報を入力する
      </h2>
      <FormErrors errors={form.errors} />
      <Chosen bank={bank} branch={branch} />
      <RadioCards
        field={fields.account_type}
        label="口座の種別"
        choices={PAYABLE_TYPES.map((value) => ({ value, label: accountTypes[value] }))}
      />
      <InputField
        field={fields.account_number}
        label="口座番号"
        type="text"
        hint={
          is_japan_post
            ? "「振込用の口座番号」（7桁以内の数字）を入力してください。通帳の「番号」とは異なります。通帳や、ゆうちょ銀行のサイトで確認できます。"
            : "7桁以内の数字。7桁より短い番号は、先頭に0を補って登録します。"
        }
        input={{ autoComplete: "off", inputMode: "numeric", maxLength: 30 }}
      />
      <InputField
        field={fields.account_holder_kana}
        label="口座名義（カナ）"
        type="text"
        hint="通帳にあるとおりに、姓と名のあいだを空けて入力してください（例：ナツメ ハナコ、法人は カ)ナツメ）。ひらがなや小さい「ャ」「ッ」は、銀行の表記に直して登録します。"
        input={{ autoComplete: "off", autoCapitalize: "characters", spellCheck: false, maxLength: MAX_SOUGHT }}
      />
      <p className="field-hint">
        番号や名義が口座と異なると、振込ができずに戻ってくることがあります。登録の前に、もう一度お確かめください。
      </p>
      <Button aria-disabled={is_sending}>この口座を登録する</Button>
    </Form>
  );
}

/** What was chosen in the earlier steps, with links back to them. */
function Chosen({ bank, branch }: { bank: Bank; branch?: Branch }) {
  const { bank_code } = bank;
  return (
    <dl className="facts bank-facts">
      <div>
        <dt>銀行</dt>
        <dd>
          {`${bank.name}（${bank_code}） `}
          <Link to={EDIT_PATH}>銀行を選び直す</Link>
        </dd>
      </div>
      {branch && (
        <div>
          <dt>支店</dt>
          <dd>
            {`${branch.name}（${branch.branch_code}） `}
            <Link to={editPath({ bank_code })}>支店を選び直す</Link>
          </dd>
        </div>
      )}
    </dl>
  );
}

function SearchForm(props: { q: string; bank_code?: string; label: string; placeholder: string }) {
  const { q, bank_code, label, placeholder } = props;
  return (
    // The key resets the field for each new search.
    <Form key={`${bank_code} ${q}`} action={EDIT_PATH} className="bank-search" role="search">
      {bank_code && <input type="hidden" name="bank_code" value={bank_code} />}
      <div className="field">
        <label htmlFor="q">{label}</label>
        <input
          id="q"
          type="search"
          name="q"
          defaultValue={q}
          className="control"
          placeholder={placeholder}
          maxLength={MAX_SOUGHT}
          autoComplete="off"
          enterKeyHint="search"
        />
      </div>
      <Button variant="primary-outline">探す</Button>
    </Form>
  );
}

function Found(props: {
  title: string;
  none: string;
  places: readonly { to: string; code: string; name: string }[];
  has_more: boolean;
}) {
  const { title, none, places, has_more } = props;
  if (places.length === 0) {
    return (
      <p className="notice" role="status">
        {none}
      </p>
    );
  }
  return (
    <div>
      <h3 className="bank-list-title">{title}</h3>
      {has_more && <p className="field-hint">一部だけを表示しています。名前や読みがなで探すと、しぼり込めます。</p>}
      <ul className="bank-list">
        {places.map(({ to, code, name }) => (
          <li key={code}>
            <Link to={to}>
              <span>{name}</span> <small>{code}</small>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
