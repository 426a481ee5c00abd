import { data, Form, Link, redirect, redirectDocument, useNavigation } from "react-router";
import { getBalance } from "../../../../workers/contract/ledger.ts";
import { PAYOUT_FEE_YEN, PAYOUT_MIN_YEN } from "../../../../workers/contract/limits.ts";
import { createPayout, getCreatorAccount, payoutYen } from "../../../../workers/contract/payouts.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { typedYen } from "../../../forms/typed-number.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { PausedNotice } from "../../../request/paused-notice.tsx";
import { loginPath } from "../../../request/to.ts";
import { closeSession } from "../../../session/current-session.ts";
import { NoMoney, useTakesMoney } from "../../../site/money.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { FieldErrors, FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { yenText } from "../../../ui/yen.tsx";
import type { Route } from "./+types/payout.ts";
import { branchText } from "./branch-text.ts";
import { EARNINGS_PATH, PAYOUT_PATH } from "./paths.ts";
import { findMissingStep } from "./payout-state.ts";
import { readBank } from "./read-bank.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "振込の申請", is_unlisted: true });

const readAmount = (typed: string) => typedYen("残高から引く額").pipe(payoutYen).safeParse(typed);

/**
 * The address has the amount, so that the page shows what will arrive before the button is pressed, without a script, and
 * Back loses nothing.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const typed = url.searchParams.get("amount")?.trim() ?? null;
  const [{ balance }, { creator_account }, { account }] = await Promise.all([
    v4.read(getBalance, {}),
    v4.read(getCreatorAccount, {}),
    readBank(v4),
  ]);
  const { available } = balance;
  const missing = findMissingStep({ account: creator_account, has_bank: account !== null, available });
  const read = typed === null ? null : readAmount(typed);
  const error = !read
    ? null
    : !read.success
      ? (read.error.issues[0]?.message ?? "")
      : read.data > available
        ? `残高は${yenText(available)}です。残高までの額を入力してください。`
        : null;
  return {
    available,
    missing,
    bank: account && {
      name: `${account.bank_name} ${branchText(account.branch_name)}`,
      number: `****${account.account_number_last3}`,
      holder: account.account_holder_kana,
      updated_at: account.updated_at,
    },
    typed,
    error,
    amount: read?.success && error === null ? read.data : null,
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const read = readAmount(String(form.get("amount") ?? ""));
  if (!read.success) throw data(null, { status: 400 });
  const idempotency_key = String(form.get("idempotency_key") || crypto.randomUUID());
  const seen_bank_updated_at = String(form.get("seen_bank_updated_at") ?? "") || undefined;
  const body = { amount: read.data, seen_bank_updated_at };
  const sent = await context.get(v4Context).send(createPayout, { body, idempotency_key });
  if (!sent.ok) {
    if (sent.refusal.needs_sign_in) {
      closeSession(context);
      return redirectDocument(loginPath(confirmationPath(read.data)), 303);
    }
    return data({ error: sent.refusal.detail }, { status: sent.refusal.status });
  }
  setFlash(context, "payout_requested");
  return redirect(EARNINGS_PATH, 303);
}

/** A refusal shows the page again with what is true now: the balance, and the bank account. */
export const shouldRevalidate = () => true;

/** Returns the address of the confirmation. Its form goes there too, so that an ended session does not lose the amount. */
const confirmationPath = (amount: number) => `${PAYOUT_PATH}?amount=${amount}`;

export default function RequestPayout({ loaderData, actionData }: Route.ComponentProps) {
  const { available, missing, amount } = loaderData;
  const takes_money = useTakesMoney();
  return (
    <>
      <p className="back">
        <Link to={EARNINGS_PATH}>売上へ戻る</Link>
      </p>
      <h1 className="page-title">振込の申請</h1>
      <p className="lead">
        振込できる残高：<b>{yenText(available)}</b>
      </p>
      <PausedNotice feature="payouts" />
      {actionData?.error && <FormErrors errors={[actionData.error]} answer={actionData} />}
      {!takes_money ? (
        <NoMoney>
          <p>残高はそのまま残ります。受け付けが始まると、振込を申請できます。</p>
        </NoMoney>
      ) : missing ? (
        <section className="card form">
          <p>{missing.sentence}</p>
          {missing.link && (
            <p>
              <ButtonLink to={missing.link.to}>{missing.link.label}</ButtonLink>
            </p>
          )}
        </section>
      ) : amount === null ? (
        <AmountForm {...loaderData} />
      ) : (
        <Confirmation {...loaderData} amount={amount} />
      )}
    </>
  );
}

type Shown = Route.ComponentProps["loaderData"];

function AmountForm({ available, typed, error }: Shown) {
  return (
    <Form action={PAYOUT_PATH} className="card form">
      <div className="field">
        <label htmlFor="amount">残高から引く額（円）</label>
        <input
          id="amount"
          name="amount"
          className="control"
          type="text"
          inputMode="numeric"
          autoComplete="off"
          defaultValue={typed ?? String(available)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? "amount-hint amount-error" : "amount-hint"}
          // biome-ignore lint/a11y/noAutofocus: after a refusal, the person continues at the field to correct.
          autoFocus={error !== null}
        />
        <div id="amount-hint" className="field-hint">
          {`${yenText(PAYOUT_MIN_YEN)}から。振込手数料${yenText(PAYOUT_FEE_YEN)}が、この額から引かれます。`}
        </div>
        {error && <FieldErrors errors={[error]} id="amount-error" />}
      </div>
      <div>
        <Button>届く額を確認する</Button>
      </div>
    </Form>
  );
}

function Confirmation({ amount, available, bank, idempotency_key }: Shown & { amount: number }) {
  const is_sending = useNavigation().state === "submitting";
  return (
    <Form method="post" action={confirmationPath(amount)} className="card form">
      <HiddenFields amount={amount} seen_bank_updated_at={bank?.updated_at} idempotency_key={idempotency_key} />
      <h2 className="section-title">内容の確認</h2>
      <dl className="facts money-facts">
        <div>
          <dt>残高から引く額</dt>
          <dd>{yenText(amount)}</dd>
        </div>
        <div>
          <dt>振込手数料</dt>
          <dd>{yenText(-PAYOUT_FEE_YEN)}</dd>
        </div>
        <div>
          <dt>口座に届く額</dt>
          <dd>
            <b className="balance-yen">{yenText(amount - PAYOUT_FEE_YEN)}</b>
          </dd>
        </div>
        <div>
          <dt>申請のあとの残高</dt>
          <dd>{yenText(available - amount)}</dd>
        </div>
        {bank && (
          <div>
            <dt>振込先</dt>
            <dd>{`${bank.name} ${bank.number} ${bank.holder}`}</dd>
          </div>
        )}
      </dl>
      <p className="row-note">
        届くまでに数日かかります。口座の間違いなどで振り込めなかったときは、手数料を含めて全額を残高に戻し、お知らせします。
      </p>
      <div className="form-buttons">
        <Button aria-disabled={is_sending}>この内容で申請する</Button>
        <ButtonLink to={PAYOUT_PATH} variant="gray-outline">
          額を変える
        </ButtonLink>
      </div>
    </Form>
  );
}
