import type { SubmissionResult } from "@conform-to/react";
import { data, Link, redirect, useFetcher, useLocation } from "react-router";
import { REPLY_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { getOfuse, likeOfuse, type Ofuse, updateOfuse } from "../../../workers/contract/ofuses.ts";
import { rememberLike } from "../../browser/liked.ts";
import { likedOfuses } from "../../browser/stored-keys.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Author } from "../../forms/author.tsx";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, wordsOf } from "../../forms/words.ts";
import { LikeButton, LikedNote } from "../../likes/like.tsx";
import { useLiked } from "../../likes/use-liked.ts";
import { AvatarLink, calledOf, hasLeft, NameLink, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { safeTo } from "../../request/to.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { HiddenFields } from "../../ui/hidden-fields.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { stayOnPage } from "../../v4/stay-on-page.ts";
import { BlockMenu } from "../creator/block-menu.tsx";
import { isFanLetter, thingOf } from "../creator/fan-letter.ts";
import { stampNames } from "../creator/letter-lists.server.ts";
import { paperClass, Stamp } from "../creator/letter-look.tsx";
import { letterReplyForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/letter.ts";
import { boxPath } from "./box-path.ts";
import { boxFilterOf, readBoxView } from "./box-view.ts";
import { HideLetterForm } from "./hide-letter-form.tsx";
import { LetterNavigation } from "./letter-navigation.tsx";
import { RefundBadge } from "./refund-badge.tsx";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, args.loaderData && { title: titleOf(args.loaderData.ofuse), is_unlisted: true });

const titleOf = (ofuse: Ofuse) =>
  ofuse.type === "received"
    ? `${calledOf(senderOf(ofuse))}からの${thingOf(ofuse)}`
    : `${calledOf(ofuse.receiver)}への${thingOf(ofuse)}`;

export async function loader({ url, params, context }: Route.LoaderArgs) {
  if (!id.safeParse(params.ofuse_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const view = readBoxView(url);
  const { ofuse, neighbors, removal_id } = await v4.read(getOfuse, {
    params: { ofuse_id: params.ofuse_id },
    query: { neighbors_in: view.type, ...boxFilterOf(view) },
  });
  if (ofuse.type === "received" && !ofuse.is_opened) {
    // Viewing marks the letter as opened. If that fails, show the page anyway; the letter stays unread.
    await v4.send(updateOfuse, { params: { ofuse_id: ofuse.ofuse_id }, body: { is_opened: true } });
  }
  const kept = await keptForm(context, url.pathname);
  const page = Number(url.searchParams.get("page")) || 1;
  return {
    ofuse,
    neighbors,
    removal_id,
    view: { ...view, type: ofuse.type },
    page,
    stamps: stampNames,
    kept: kept && typedFields(kept, letterReplyForm),
    idempotency_key: crypto.randomUUID(),
  };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const words = wordsOf(await request.formData(), url.pathname);
  const { form, idempotency_key } = words;
  const v4 = context.get(v4Context);
  const { ofuse_id } = params;
  const here = url.pathname + url.search;
  // Both buttons set a state, so sending one again is harmless. A key made from their fields would be the same at the third
  // press within a minute, which then would change nothing.
  if (form.get("operation") === "like") {
    const is_liked = form.get("is_liked") === "true";
    const sent = await v4.send(likeOfuse, { params: { ofuse_id }, body: { is_liked } });
    if (sent.ok) return redirect(here, 303);
    return data({ button_error: sent.refusal.detail, result: null, idempotency_key: null }, sent.refusal.status);
  }
  if (form.get("operation") === "hide" || form.get("operation") === "show") {
    const is_hidden = form.get("operation") === "hide";
    const sent = await v4.send(updateOfuse, { params: { ofuse_id }, body: { is_hidden } });
    if (!sent.ok) {
      return data({ button_error: sent.refusal.detail, result: null, idempotency_key: null }, sent.refusal.status);
    }
    setFlash(context, is_hidden ? "letter_hidden" : "letter_shown");
    return redirect(safeTo(form.get("to"), here), 303);
  }
  const read = readForm(form, letterReplyForm);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const sent = await v4.send(updateOfuse, { params: { ofuse_id }, body: read.value, idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "replied");
  return redirect(here, 303);
}

/** Reload only the page's data after a button (like, hide); follow the redirect after a reply. */
export async function clientAction({ request, serverAction }: Route.ClientActionArgs) {
  const form = await request.clone().formData();
  return form.has("operation") ? stayOnPage(serverAction) : sendFromBrowser(request, serverAction);
}

export default function Letter({ loaderData, actionData }: Route.ComponentProps) {
  const { ofuse, neighbors, removal_id, view, page, kept } = loaderData;
  const key = actionData?.idempotency_key ?? loaderData.idempotency_key;
  const { pathname, search } = useLocation();
  const is_received = ofuse.type === "received";
  const other = is_received ? senderOf(ofuse) : ofuse.receiver;
  return (
    <>
      <p className="back">
        <Link to={boxPath(view, page)}>レターボックスへ戻る</Link>
      </p>
      {removal_id && (
        <p className="notice">
          このofuseは運営が公開を停止しました。相手には表示されません。
          <Link to={`/my/removals/${removal_id}`}>理由を見る・異議を申し出る</Link>
        </p>
      )}
      <article className="card letter letter-open">
        <p className="byline">
          <AvatarLink link_id={other.link_id} image={other.icon_image} size={48} />
          <NameLink link_id={other.link_id} className="byline-name">
            {is_received ? other.name : `${calledOf(other)}へ`}
          </NameLink>
          {ofuse.paid && <span className="badge">{groupDigits(ofuse.amount)}円</span>}
          <RefundBadge state={ofuse.refund_state} />
          {isFanLetter(ofuse) && <span className="badge">ファンレター</span>}
          {ofuse.is_anonymous && !is_received && <span className="badge">匿名</span>}
          {ofuse.is_public && <span className="badge">公開</span>}
          <DateTime iso={ofuse.created_at} />
        </p>
        <h1 className="visually-hidden">
          <bdi>{calledOf(other)}</bdi>
          {is_received ? "からの" : "への"}
          {thingOf(ofuse)}
        </h1>
        <div className={paperClass(ofuse.letter_appearance_id)}>
          <Paragraphs text={ofuse.message} />
        </div>
        <Stamp id={ofuse.stamp_id} names={loaderData.stamps} />
        {ofuse.donation && (
          <p className="letter-state">
            {`このうち${groupDigits(ofuse.donation.amount)}円は、「${ofuse.donation.name}」に寄付されます。`}
          </p>
        )}
        {is_received ? (
          <div className="post-actions">
            <LikeForm ofuse={ofuse} error={buttonErrorOf(actionData)} />
            <Link to={`/my/box/${ofuse.ofuse_id}/report`} className="post-report">
              このofuseを通報
            </Link>
            {ofuse.sender && !hasLeft(ofuse.sender) && <BlockMenu creator={ofuse.sender} />}
          </div>
        ) : (
          ofuse.is_liked && (
            <p className="letter-state">
              <LikedNote>
                <bdi>{calledOf(other)}</bdi>が「いいね」しました
              </LikedNote>
            </p>
          )
        )}
        <p className="letter-state">
          <Link to={`/my/box/print?letter=${ofuse.ofuse_id}`}>印刷用に表示</Link>
        </p>
        {is_received && ofuse.is_public && (
          <div className="letter-on-page">
            <p className="field-hint">
              {ofuse.is_hidden
                ? "あなたのページから外してあります。ほかの人には表示されません。"
                : "あなたのページで、だれでも読めます。外しても、相手には知らされません。"}
            </p>
            <HideLetterForm {...ofuse} to={pathname + search} />
          </div>
        )}
      </article>
      {ofuse.reply && (
        <section className="card letter letter-reply-card" aria-label="返信">
          <h2 className="section-title">
            {is_received ? (
              "あなたの返信"
            ) : (
              <>
                <bdi>{calledOf(other)}</bdi>の返信
              </>
            )}
          </h2>
          <div className="letter-message">
            <Paragraphs text={ofuse.reply.message} />
          </div>
          <DateTime iso={ofuse.reply.created_at} />
        </section>
      )}
      {is_received && !hasLeft(other) && (!ofuse.reply || actionData?.result) && (
        <ReplyForm ofuse={ofuse} idempotency_key={key} result={actionData?.result ?? undefined} defaultValue={kept} />
      )}
      {neighbors && <LetterNavigation neighbors={neighbors} view={view} />}
    </>
  );
}

function buttonErrorOf(answer: Route.ComponentProps["actionData"]): string | null {
  return answer && "button_error" in answer ? answer.button_error : null;
}

/* Both buttons use their own fetcher, so that pressing one does not abort the other. */

function LikeForm({ ofuse, error }: { ofuse: Ofuse; error: string | null }) {
  const fetcher = useFetcher<typeof action>();
  const pending = fetcher.formData?.get("is_liked");
  const remembered = useLiked(likedOfuses, ofuse.ofuse_id, ofuse.is_liked, fetcher.state === "idle");
  const shown = pending ? pending === "true" : remembered;
  const refusal = fetcher.data ? buttonErrorOf(fetcher.data) : error;
  return (
    <fetcher.Form method="post" onSubmit={() => rememberLike(likedOfuses, ofuse.ofuse_id, !shown)}>
      <HiddenFields operation="like" />
      <LikeButton is_liked={shown} />
      {refusal && (
        <p className="field-error" role="alert">
          {refusal}
        </p>
      )}
    </fetcher.Form>
  );
}

function ReplyForm(props: {
  ofuse: Ofuse;
  idempotency_key: string;
  result: SubmissionResult | undefined;
  defaultValue: Record<string, string> | null;
}) {
  const { ofuse, defaultValue } = props;
  const fetcher = useFetcher<typeof action>();
  const result = fetcher.data ? (fetcher.data.result ?? undefined) : props.result;
  const idempotency_key = fetcher.data?.idempotency_key || props.idempotency_key;
  const visibility =
    ofuse.is_public && !ofuse.is_hidden ? "このofuseは公開されています。返信もあなたのページに表示されます。" : "";
  const waiting = ofuse.is_guest
    ? "ゲストからのofuseです。返信は、ゲストがこのofuseを自分のアカウントに残したときに届きます。"
    : ofuse.is_anonymous
      ? "送った人がゲストのときは、返信は、このofuseをアカウントに残したときに届きます。"
      : "";
  const initial = result?.initialValue ?? defaultValue;
  return (
    <section className="card">
      <h2 className="section-title">返信する</h2>
      <fetcher.Form method="post" id="reply" className="form">
        <FormErrors errors={result?.error?.[""]} />
        <input type="hidden" name="idempotency_key" value={idempotency_key} />
        <Author id={ofuse.receiver.user_id} />
        <WordsField
          id="reply-reply"
          name="reply"
          label="返信"
          hint={`${groupDigits(REPLY_GRAPHEMES)}文字まで。返信は1通だけ送れます。${visibility}${waiting}`}
          max_graphemes={REPLY_GRAPHEMES}
          initial={String(initial?.reply ?? "")}
          errors={result?.error?.reply ?? null}
          textarea={{ rows: 6, placeholder: `${calledOf(senderOf(ofuse))}へ` }}
        />
        <Button aria-disabled={fetcher.state !== "idle"}>返信を送る</Button>
      </fetcher.Form>
    </section>
  );
}
