import type { SubmissionResult } from "@conform-to/react";
import { useState } from "react";
import { Form, Link, redirect } from "react-router";
import { NAME_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { id } from "../../../workers/contract/fields.ts";
import { PAID_OFUSE_USUAL_YEN, YEN_PER_CHARACTER } from "../../../workers/contract/limits.ts";
import { sendOfuse } from "../../../workers/contract/ofuses.ts";
import { countPaidCharacters } from "../../../workers/contract/paid-characters.ts";
import { type CheckoutSession, getCheckoutSession } from "../../../workers/contract/payments.ts";
import { listDonationCampaigns } from "../../../workers/contract/references.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { yenOf } from "../../forms/typed-digits.ts";
import { refuseWords, returnWords, signInWithWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { PausedNotice, useIsPaused } from "../../request/paused-notice.tsx";
import { viewerContext } from "../../session/context.ts";
import { NoMoney, useTakesMoney } from "../../site/money.tsx";
import { dayOf } from "../../text/tokyo-time.ts";
import { Button } from "../../ui/button.tsx";
import { FieldErrors, FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { amountOf, paidLetterForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/paid-letter.ts";
import { AmountFields, charactersFor } from "./amount-fields.tsx";
import { useCreator } from "./creator.ts";
import { DonationFields, type OpenCampaign } from "./donation-fields.tsx";
import { LetterChoices } from "./letter-choices.tsx";
import { letterChoices } from "./letter-lists.server.ts";
import { OWN_PRICE, pricesOf } from "./letter-prices.ts";
import { LimitLink } from "./limit-link.tsx";
import { ReplacedPayment } from "./replaced-payment.tsx";

/** The form for a paid letter. It leads to the page of its payment, which shows everything once more. */

export const meta: Route.MetaFunction = (args) => {
  const { creator } = args.matches[1]?.loaderData ?? {};
  return pageMeta(args, creator && { title: `${creator.name}さんへ有料のofuseを送る`, is_unlisted: true });
};

/** Offers the words of an earlier payment that failed (`draft`), or of a form that waited for the sign-in. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const draft = id.safeParse(url.searchParams.get("draft")).data;
  const [kept, found, { donation_campaigns }] = await Promise.all([
    keptForm(context, url.pathname),
    draft ? v4.send(getCheckoutSession, { params: { session_id: draft } }) : null,
    v4.read(listDonationCampaigns, {}),
  ]);
  const session = found?.ok ? found.answer.checkout_session : null;
  const drafted = session?.words ? writtenIn(session, session.words) : {};
  const written = kept ? typedFields(kept, paidLetterForm) : drafted;
  const campaigns = donation_campaigns.map(({ closes_at, ...campaign }) => ({
    ...campaign,
    last_day: dayOf(new Date(Date.parse(closes_at) - 1)),
  }));
  return { written, choices: letterChoices, campaigns, idempotency_key: crypto.randomUUID() };
}

/** Returns the fields of the form for words that were written before. */
function writtenIn(
  { session_id, amount, donation }: CheckoutSession,
  words: NonNullable<CheckoutSession["words"]>,
): Record<string, string> {
  return {
    ...pricesOf(amount),
    message: words.message,
    stamp_id: words.stamp_id ?? "",
    letter_appearance_id: words.letter_appearance_id ?? "",
    donation_campaign_id: donation?.donation_campaign_id ?? "",
    donation_percent: String(words.donation_percent ?? ""),
    sender_name: words.sender_name,
    sender_email: words.sender_email ?? "",
    replaces_session_id: session_id,
    ...(words.is_public && { is_public: "on" }),
    ...(words.is_anonymous && { is_anonymous: "on" }),
  };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), url.pathname);
  const { form } = words;
  const read = readForm(form, paidLetterForm);
  // A member whose session has ended must not become a guest unnoticed.
  if (form.has(AUTHOR_FIELD) && !context.get(viewerContext)) return signInWithWords(context, words, read);
  const amount = read.value && amountOf(read.value).data;
  if (!read.value || !amount) return returnWords(words, read.toResult(), 422);
  const v4 = context.get(v4Context);
  const found = await v4.send(getUser, { query: { link_id: params.link_id } });
  if (!found.ok) return refuseWords(context, words, read, found.refusal);
  const { price: _, own_amount: __, donation_percent, ...written } = read.value;
  const donation = { donation_percent: written.donation_campaign_id === null ? null : donation_percent };
  const body = { ...written, ...donation, amount, receiver_user_id: found.answer.user.user_id };
  const sent = await v4.send(sendOfuse, { body, idempotency_key: words.idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  return redirect(`/checkout/${sent.answer.checkout_session.session_id}`, 303);
}

export default function PaidLetterPage({ loaderData, actionData }: Route.ComponentProps) {
  const { creator, is_own } = useCreator();
  const takes_money = useTakesMoney();
  const result = actionData?.result ?? null;
  const idempotency_key = actionData?.idempotency_key ?? loaderData.idempotency_key;
  return (
    <section className="card letter-card">
      <h1 className="section-title">有料のofuseを送る</h1>
      {is_own ? (
        <p>ここにはあなたへのofuseを書くフォームが表示されます。</p>
      ) : creator.is_blocked && !result ? (
        <p>
          <bdi>{creator.name}</bdi>さんをブロックしているため、ofuseは送れません。
        </p>
      ) : !takes_money && !result ? (
        <NoMoney>
          <p>
            有料のofuseは送れません。
            {creator.accepts_free_ofuses && (
              <>
                無料のofuseは、<Link to={`/${creator.link_id}/ofuse`}>こちら</Link>から送れます。
              </>
            )}
          </p>
        </NoMoney>
      ) : creator.is_creator || result ? (
        <PaidLetterForm {...loaderData} result={result} code={actionData?.code} idempotency_key={idempotency_key} />
      ) : (
        <p>
          <bdi>{creator.name}</bdi>さんは、いま有料のofuseを受け取れません。
        </p>
      )}
    </section>
  );
}

function PaidLetterForm(props: {
  result: SubmissionResult | null;
  code: string | null | undefined;
  written: Record<string, string>;
  choices: typeof letterChoices;
  campaigns: readonly OpenCampaign[];
  idempotency_key: string;
}) {
  const { result, written, campaigns, idempotency_key } = props;
  const { creator, viewer_id, on_air_radio } = useCreator();
  const is_paused = useIsPaused("payments");
  const initial: Record<string, unknown> = result?.initialValue ?? written;
  const textOf = (name: string) => String(initial[name] ?? "");
  const first_price = textOf("price") || String(PAID_OFUSE_USUAL_YEN);
  const [chosen, setChosen] = useState({ price: first_price, own_amount: textOf("own_amount") });
  const yen = yenOf(chosen.price === OWN_PRICE ? chosen.own_amount : chosen.price);
  const errorsOf = (name: string) => result?.error?.[name] ?? null;
  return (
    <Form
      method="post"
      reloadDocument
      className="form"
      onChange={(event) => {
        const form = new FormData(event.currentTarget);
        setChosen({ price: String(form.get("price")), own_amount: String(form.get("own_amount")) });
      }}
    >
      <PausedNotice feature={!viewer_id && !is_paused ? "guest_letters" : "payments"} />
      <FormErrors errors={result?.error?.[""]} />
      <LimitLink code={props.code} />
      <ReplacedPayment session_id={textOf("replaces_session_id")} is_refused={Boolean(result?.error?.[""])} />
      <input type="hidden" name="idempotency_key" value={idempotency_key} />
      <Author id={viewer_id} onBack={({ price = "", own_amount = "" }) => setChosen({ price, own_amount })} />
      <AmountFields first_price={first_price} own_amount={textOf("own_amount")} errorsOf={errorsOf} has_characters />
      <WordsField
        id="paid-letter-message"
        name="message"
        label="メッセージ"
        hint={`${YEN_PER_CHARACTER}円で1文字です。絵文字は2文字と数えます。`}
        max_graphemes={charactersFor(Number.isSafeInteger(yen) ? yen : 0)}
        count={countPaidCharacters}
        initial={textOf("message")}
        errors={errorsOf("message")}
        textarea={{ rows: 8, placeholder: "好きなところ、うれしかったこと、応援のひとこと" }}
      />
      <LetterChoices choices={props.choices} initial={initial} errors={result?.error} />
      <details className="about-letter">
        <summary>ファンレターとは</summary>
        <p className="lead">
          便せんを選ぶと、ofuseがファンレターになります。金額も文字数も、届くまでの流れも同じです。
          <bdi>{creator.name}</bdi>さんには、選んだ便せんに書かれた手紙として届きます。
        </p>
      </details>
      {campaigns.length > 0 && <DonationFields campaigns={campaigns} textOf={textOf} errorsOf={errorsOf} />}
      {!viewer_id && (
        <div className="field">
          <label htmlFor="sender-name">お名前（任意）</label>
          <input
            id="sender-name"
            name="sender_name"
            type="text"
            autoComplete="nickname"
            className="control"
            defaultValue={textOf("sender_name")}
            aria-invalid={errorsOf("sender_name") ? true : undefined}
            aria-describedby={errorsOf("sender_name") ? "sender-name-hint sender-name-error" : "sender-name-hint"}
            // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
            autoFocus={Boolean(errorsOf("sender_name"))}
          />
          <div className="field-hint" id="sender-name-hint">
            {NAME_GRAPHEMES}文字まで。書かなければ「ゲスト」として届きます。
            <Link to={`/login?to=/${creator.link_id}/ofuse/paid`}>ログイン</Link>すると、返信を受け取れます。
          </div>
          <FieldErrors errors={errorsOf("sender_name")} id="sender-name-error" />
        </div>
      )}
      {!viewer_id && (
        <div className="field">
          <label htmlFor="sender-email">メールアドレス（任意）</label>
          <input
            id="sender-email"
            name="sender_email"
            type="email"
            autoComplete="email"
            className="control"
            defaultValue={textOf("sender_email")}
            aria-invalid={errorsOf("sender_email") ? true : undefined}
            aria-describedby={errorsOf("sender_email") ? "sender-email-hint sender-email-error" : "sender-email-hint"}
            // biome-ignore lint/a11y/noAutofocus: after a refused form, the person continues at the field to correct.
            autoFocus={Boolean(errorsOf("sender_email"))}
          />
          <div className="field-hint" id="sender-email-hint">
            領収書と、このofuseをあとからあなたのアカウントに残すためのリンクを、このアドレスに送ります。
            <bdi>{creator.name}</bdi>さんには知らせません。
          </div>
          <FieldErrors errors={errorsOf("sender_email")} id="sender-email-error" />
        </div>
      )}
      <label className="check">
        <input type="checkbox" name="is_anonymous" defaultChecked={textOf("is_anonymous") === "on"} />
        <span>
          名前を伏せて送る
          <small>
            <bdi>{creator.name}</bdi>さんにも、あなたの名前はわかりません。
          </small>
        </span>
      </label>
      <label className="check">
        <input type="checkbox" name="is_public" defaultChecked={textOf("is_public") === "on"} />
        <span>
          このofuseを<bdi>{creator.name}</bdi>さんのページで公開する
          <small>
            生配信の画面やラジオのチャットに、金額と一緒に載ることもあります。公開しなくても、届いたことと名前、スタンプだけは出ることがあります。
          </small>
        </span>
      </label>
      {on_air_radio && <p className="field-hint">{on_air_radio.letter_note}</p>}
      <Button variant="secondary" is_block>
        内容を確認する
      </Button>
      <p className="field-hint">この時点では、お支払いは発生しません。</p>
    </Form>
  );
}
