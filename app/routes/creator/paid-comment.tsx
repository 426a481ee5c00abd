import { data, Form, Link, redirect } from "react-router";
import { COMMENT_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { createPaidEventComment } from "../../../workers/contract/comments.ts";
import { getEvent } from "../../../workers/contract/events.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { PAID_OFUSE_USUAL_YEN } from "../../../workers/contract/limits.ts";
import { getCheckoutSession } from "../../../workers/contract/payments.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOf } from "../../forms/words.ts";
import { v4Context } from "../../request/context.ts";
import { PausedNotice } from "../../request/paused-notice.tsx";
import { viewerContext } from "../../session/context.ts";
import { NoMoney, useTakesMoney } from "../../site/money.tsx";
import { Button } from "../../ui/button.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { amountOf, paidCommentForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/paid-comment.ts";
import { AmountFields } from "./amount-fields.tsx";
import { useCreator } from "./creator.ts";
import { eventPath } from "./event-path.ts";
import { pricesOf } from "./letter-prices.ts";
import { LimitLink } from "./limit-link.tsx";
import { LockPanel } from "./lock-panel.tsx";
import { ReplacedPayment } from "./replaced-payment.tsx";

/** The form for a paid comment. It leads to the page of its payment, which shows everything once more. */

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "有料コメントを送る", is_unlisted: true });

/** Offers the words of an earlier payment that failed (`draft`), or of a form that waited for the sign-in. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.event_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const draft = id.safeParse(url.searchParams.get("draft")).data;
  const [{ event }, kept, found] = await Promise.all([
    v4.read(getEvent, { params: { event_id: params.event_id }, query: {} }),
    keptForm(context, url.pathname),
    draft ? v4.send(getCheckoutSession, { params: { session_id: draft } }) : null,
  ]);
  if (event.user.link_id !== params.link_id) throw data(null, { status: 404 });
  const session = found?.ok ? found.answer.checkout_session : null;
  const drafted = session?.words
    ? { ...pricesOf(session.amount), message: session.words.message, replaces_session_id: session.session_id }
    : {};
  return {
    title: event.title,
    locked: event.is_locked ? event : null,
    takes_comments: event.comment_filter !== "none",
    written: (kept ? typedFields(kept, paidCommentForm) : drafted) as Record<string, string>,
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), url.pathname);
  const read = readForm(words.form, paidCommentForm);
  if (!context.get(viewerContext)) return signInWithWords(context, words, read);
  const amount = read.value && amountOf(read.value).data;
  if (!read.value || !amount) return returnWords(words, read.toResult(), 422);
  const sent = await context.get(v4Context).send(createPaidEventComment, {
    params: { event_id: params.event_id },
    body: { message: read.value.message, amount, replaces_session_id: read.value.replaces_session_id },
    idempotency_key: words.idempotency_key,
  });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  return redirect(`/checkout/${sent.answer.checkout_session.session_id}`, 303);
}

export default function PaidCommentPage({ loaderData, actionData, params }: Route.ComponentProps) {
  const { creator, viewer_id, is_own } = useCreator();
  const takes_money = useTakesMoney();
  const { title, locked, takes_comments, written } = loaderData;
  const result = actionData?.result ?? null;
  const initial: Record<string, unknown> = result?.initialValue ?? written;
  const textOf = (name: string) => String(initial[name] ?? "");
  const errorsOf = (name: string) => result?.error?.[name] ?? null;
  const may_pay = creator.is_creator && !is_own && takes_comments;
  return (
    <section className="card letter-card">
      <h1 className="section-title">
        <Link to={eventPath(params)}>{title}</Link>に有料コメントを送る
      </h1>
      {!takes_money && !result ? (
        <NoMoney>
          <p>有料コメントは送れません。</p>
        </NoMoney>
      ) : !may_pay && !result ? (
        <p>この投稿は、有料コメントを受け付けていません。</p>
      ) : locked && !result ? (
        <LockPanel event={locked} path={`${eventPath(params)}/paid-comments`} />
      ) : (
        <Form method="post" reloadDocument className="form">
          <PausedNotice feature="payments" />
          <FormErrors errors={result?.error?.[""]} />
          <LimitLink code={actionData?.code} />
          <ReplacedPayment session_id={textOf("replaces_session_id")} is_refused={Boolean(result?.error?.[""])} />
          <input
            type="hidden"
            name="idempotency_key"
            value={actionData?.idempotency_key ?? loaderData.idempotency_key}
          />
          <Author id={viewer_id} />
          <AmountFields
            first_price={textOf("price") || String(PAID_OFUSE_USUAL_YEN)}
            own_amount={textOf("own_amount")}
            errorsOf={errorsOf}
          />
          <WordsField
            id="paid-comment-message"
            name="message"
            label="コメント"
            hint={`${groupDigits(COMMENT_GRAPHEMES)}文字まで。金額は、コメントといっしょに投稿のページに表示されます。送ったあとは、自分では消せません。`}
            max_graphemes={COMMENT_GRAPHEMES}
            initial={textOf("message")}
            errors={errorsOf("message")}
            textarea={{ rows: 5 }}
          />
          <Button variant="secondary" is_block>
            {viewer_id ? "内容を確認する" : "ログインして内容を確認する"}
          </Button>
          <p className="field-hint">この時点では、お支払いは発生しません。</p>
        </Form>
      )}
    </section>
  );
}
