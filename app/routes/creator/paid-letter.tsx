import type { SubmissionResult } from "@conform-to/react";
import { useState } from "react";
import { Form, Link, redirect } from "react-router";
import { NAME_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { id } from "../../../workers/contract/fields.ts";
import { countPaidCharacters } from "../../../workers/contract/graphemes.ts";
import { PAID_OFUSE_USUAL_YEN, YEN_PER_CHARACTER } from "../../../workers/contract/limits.ts";
import { sendOfuse } from "../../../workers/contract/ofuses.ts";
import { getCheckoutSession } from "../../../workers/contract/payments.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { viewerContext } from "../../session/context.ts";
import { Button } from "../../ui/button.tsx";
import { FieldErrors, FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { amountOf, paidLetterForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/paid-letter.ts";
import { AmountFields, charactersFor } from "./amount-fields.tsx";
import { useCreator } from "./creator.ts";
import { OWN_PRICE, pricesOf } from "./letter-prices.ts";

/** The form for a paid letter. It leads to the page of its payment, which shows everything once more. */

export const meta: Route.MetaFunction = (args) => {
  const { creator } = args.matches[1]?.loaderData ?? {};
  return pageMeta(args, creator && { title: `${creator.name}さんへ有料のofuseを送る`, is_unlisted: true });
};

/** Offers the words of an earlier payment that failed (`draft`), or of a form that waited for the sign-in. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const draft = id.safeParse(url.searchParams.get("draft")).data;
  const [kept, found] = await Promise.all([
    keptForm(context, url.pathname),
    draft ? context.get(v4Context).send(getCheckoutSession, { params: { session_id: draft } }) : null,
  ]);
  const session = found?.ok ? found.answer.checkout_session : null;
  const drafted = session?.words ? writtenIn(session.amount, session.words) : {};
  return { written: kept ? typedFields(kept, paidLetterForm) : drafted, idempotency_key: crypto.randomUUID() };
}

/** Returns the fields of the form for words that were written before. */
function writtenIn(
  amount: number,
  words: { message: string; is_public: boolean; is_anonymous: boolean; sender_name: string },
): Record<string, string> {
  return {
    ...pricesOf(amount),
    message: words.message,
    sender_name: words.sender_name,
    ...(words.is_public && { is_public: "on" }),
    ...(words.is_anonymous && { is_anonymous: "on" }),
  };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), url.pathname);
  const { form } = words;
  const read = readForm(form, paidLetterForm);
  const viewer = context.get(viewerContext);
  const author = form.get(AUTHOR_FIELD);
  // A member whose session has ended must not become a guest unnoticed.
  if (author !== null && !viewer) return signInWithWords(context, words, read);
  if (author !== null && viewer?.profile && author !== viewer.profile.user_id) return redirect(url.pathname, 303);
  const amount = read.value && amountOf(read.value).data;
  if (!read.value || !amount) return returnWords(words, read.toResult(), 422);
  const v4 = context.get(v4Context);
  const found = await v4.send(getUser, { query: { link_id: params.link_id } });
  if (!found.ok) return refuseWords(context, words, read, found.refusal);
  const { message, is_public, is_anonymous, sender_name } = read.value;
  const body = { receiver_user_id: found.answer.user.user_id, amount, message, is_public, is_anonymous, sender_name };
  const sent = await v4.send(sendOfuse, { body, idempotency_key: words.idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  return redirect(`/checkout/${sent.answer.checkout_session.session_id}`, 303);
}

export default function PaidLetterPage({ loaderData, actionData }: Route.ComponentProps) {
  const { creator, is_own } = useCreator();
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
      ) : creator.is_creator || result ? (
        <PaidLetterForm result={result} written={loaderData.written} idempotency_key={idempotency_key} />
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
  written: Record<string, string>;
  idempotency_key: string;
}) {
  const { result, written, idempotency_key } = props;
  const { creator, viewer_id } = useCreator();
  const initial: Record<string, unknown> = result?.initialValue ?? written;
  const textOf = (name: string) => String(initial[name] ?? "");
  const first_price = textOf("price") || String(PAID_OFUSE_USUAL_YEN);
  const [chosen, setChosen] = useState({ price: first_price, own_amount: textOf("own_amount") });
  const yen = Number(chosen.price === OWN_PRICE ? chosen.own_amount : chosen.price);
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
      <FormErrors errors={result?.error?.[""]} />
      <input type="hidden" name="idempotency_key" value={idempotency_key} />
      {viewer_id && <input type="hidden" name={AUTHOR_FIELD} value={viewer_id} />}
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
            aria-describedby="sender-name-hint"
          />
          <div className="field-hint" id="sender-name-hint">
            {NAME_GRAPHEMES}文字まで。書かなければ「ゲスト」として届きます。
            <Link to={`/login?to=/${creator.link_id}/ofuse/paid`}>ログイン</Link>すると、返信を受け取れます。
          </div>
          <FieldErrors errors={errorsOf("sender_name")} id="sender-name-error" />
        </div>
      )}
      <label className="check">
        <input type="checkbox" name="is_anonymous" defaultChecked={textOf("is_anonymous") === "on"} />
        <span>
          名前を伏せて送る
          <small className="field-hint">
            <bdi>{creator.name}</bdi>さんにも、あなたの名前は分かりません。
          </small>
        </span>
      </label>
      <label className="check">
        <input type="checkbox" name="is_public" defaultChecked={textOf("is_public") === "on"} />
        <span>
          このofuseを<bdi>{creator.name}</bdi>さんのページで公開する
        </span>
      </label>
      <Button variant="secondary" is_block>
        内容を確認する
      </Button>
      <p className="field-hint">この時点では、お支払いは発生しません。</p>
    </Form>
  );
}
