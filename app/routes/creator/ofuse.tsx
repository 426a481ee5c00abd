import { useRef, useState } from "react";
import { Link, redirect, useLocation } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listUserOfuses, type PublicOfuse, sendFreeOfuse } from "../../../workers/contract/ofuses.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { likedOfuses } from "../../browser/stored-keys.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { forgetIntent, keptForm } from "../../forms/intent.ts";
import { readForm, typedFields } from "../../forms/read-form.ts";
import { refuseWords, returnWords, signInWithWords, wordsOfSharedPage } from "../../forms/words.ts";
import { LikedNote } from "../../likes/like.tsx";
import { useLiked } from "../../likes/use-liked.ts";
import { Avatar, AvatarLink, calledOf, NameLink, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { viewerContext } from "../../session/context.ts";
import { useTakesMoney } from "../../site/money.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useEffectOfAnswer } from "../../ui/hydrated.ts";
import { sendFromBrowser } from "../../v4/send-from-browser.ts";
import { HideLetterForm } from "../my/hide-letter-form.tsx";
import { letterForm } from "../operation-forms.server.ts";
import type { Route } from "./+types/ofuse.ts";
import { useCreator } from "./creator.ts";
import { LetterChoices } from "./letter-choices.tsx";
import { LetterForm } from "./letter-form.tsx";
import { letterChoices, stampNames } from "./letter-lists.server.ts";
import { paperClass, Stamp } from "./letter-look.tsx";
import { LETTERS_ANCHOR } from "./letters-anchor.ts";
import { feedLinks } from "./preview.ts";
import { keepSentLetter, type SentLetter, takeSentLetter } from "./sent-letter.ts";

export const meta: Route.MetaFunction = (args) => {
  const { creator, share_picture } = args.matches[1]?.loaderData ?? {};
  return pageMeta(
    args,
    creator && {
      title: `${creator.name}さんへofuseを送る`,
      description: `${creator.name}（@${creator.link_id}）さんに、短い手紙「ofuse」で気持ちを届けましょう。みんなのofuseも読めます。`,
      share_picture,
      alternates: feedLinks(creator),
    },
  );
};

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getUser, { query: { link_id: params.link_id } });
  const after = id.safeParse(url.searchParams.get("after")).data;
  const [{ ofuses, has_next }, kept, sent] = await Promise.all([
    v4.read(listUserOfuses, { params: { user_id: user.user_id }, query: { after } }),
    keptForm(context, url.pathname),
    takeSentLetter(context),
  ]);
  const read = kept && readForm(kept, letterForm);
  return {
    ofuses,
    choices: letterChoices,
    stamps: stampNames,
    sent,
    has_next,
    is_continued: after !== undefined,
    kept: kept && typedFields(kept, letterForm),
    // Shows the errors of a letter that was kept during the sign-in, without sending it first.
    keptResult: read && !read.value ? read.toResult() : null,
  };
}

export async function action({ request, url, params, context }: Route.ActionArgs) {
  const words = wordsOfSharedPage(await request.formData(), url.pathname);
  const read = readForm(words.form, letterForm);
  if (!context.get(viewerContext)) return signInWithWords(context, words, read);
  if (!read.value) return returnWords(words, read.toResult(), 422);
  const v4 = context.get(v4Context);
  const found = await v4.send(getUser, { query: { link_id: params.link_id } });
  if (!found.ok) return refuseWords(context, words, read, found.refusal);
  const body = { ...read.value, receiver_user_id: found.answer.user.user_id };
  const sent = await v4.send(sendFreeOfuse, { body, idempotency_key: words.idempotency_key });
  if (!sent.ok) return refuseWords(context, words, read, sent.refusal);
  forgetIntent(context, "form");
  setFlash(context, "ofuse_sent");
  const { ofuse, reaction } = sent.answer;
  await keepSentLetter(context, { ofuse_id: ofuse.ofuse_id, reaction });
  return redirect(url.pathname, 303);
}

export const clientAction = ({ request, serverAction }: Route.ClientActionArgs) =>
  sendFromBrowser(request, serverAction);

/** Says that the creator liked the letter. */
function Heart({ creator_name }: { creator_name: string }) {
  return (
    <p className="letter-state">
      <LikedNote>
        <bdi>{creator_name}</bdi>さんが「いいね」しました
      </LikedNote>
    </p>
  );
}

/**
 * Shows whether the creator liked the letter, in the creator's own browser: it knows her new likes before the page
 * reloads.
 */
function OwnHeart({ ofuse, creator_name }: { ofuse: PublicOfuse; creator_name: string }) {
  const is_liked = useLiked(likedOfuses, ofuse.ofuse_id, ofuse.is_liked, true);
  return is_liked ? <Heart creator_name={creator_name} /> : null;
}

/** The letter that was just sent. The server sends it once, so this state keeps it until the page changes. */
function useSentLetter(new_letter: SentLetter | null): SentLetter | null {
  const [last, setLast] = useState(new_letter);
  const sent = new_letter ?? last;
  if (sent !== last) setLast(sent);
  return sent;
}

function Sent({ ofuse_id }: { ofuse_id: string }) {
  const { creator, letters_left } = useCreator();
  const notice = useRef<HTMLDivElement>(null);
  useEffectOfAnswer(() => {
    notice.current?.focus({ preventScroll: true });
    notice.current?.scrollIntoView({ block: "center" });
  });
  return (
    <div
      ref={notice}
      className="notice sent-letter"
      role="status"
      tabIndex={-1}
      // biome-ignore lint/a11y/noAutofocus: the sender looks for the result of sending the letter.
      autoFocus
    >
      <p>
        <b>
          <bdi>{creator.name}</bdi>さんに届けました。
        </b>
        <span>{letters_left}</span>
      </p>
      <ButtonLink to={`/my/box/${ofuse_id}`} variant="gray-outline" size="sm">
        送ったofuseを見る
      </ButtonLink>
    </div>
  );
}

const PAID = "有料のofuseを送る（100円から）";
const ABOUT_PAID = "長い手紙を送れます。アカウントは要りません。";

export default function OfusePage({ loaderData, actionData }: Route.ComponentProps) {
  const { creator, viewer_id, is_own } = useCreator();
  const { ofuses, choices, stamps, has_next, is_continued, kept, keptResult } = loaderData;
  const takes_money = useTakesMoney();
  const sent = useSentLetter(loaderData.sent);
  const has_form = creator.accepts_free_ofuses || actionData || kept;
  const takes_paid = !is_own && creator.is_creator && !creator.is_blocked && takes_money;
  const { pathname, search } = useLocation();
  const here = pathname + search;
  return (
    <div className="columns creator-columns">
      {sent?.reaction && (
        <section className="card letter letter-reply-card" aria-label={`${creator.name}さんからのお礼`}>
          <p className="byline">
            <Avatar image={creator.icon_image} size={32} />
            <b>
              <bdi>{creator.name}</bdi>さんからのお礼
            </b>
          </p>
          <p className="letter-message">{sent.reaction}</p>
        </section>
      )}
      <section className="card letter-card">
        <h1 className="section-title">ofuseを送る</h1>
        {sent && <Sent key={sent.ofuse_id} ofuse_id={sent.ofuse_id} />}
        {is_own ? (
          <p>ここにはあなたへのofuseを書くフォームが表示されます。</p>
        ) : creator.is_blocked && !actionData && !kept ? (
          <p>
            <bdi>{creator.name}</bdi>さんをブロックしているため、ofuseは送れません。
          </p>
        ) : has_form ? (
          <LetterForm
            idempotency_key={viewer_id ? actionData?.idempotency_key : undefined}
            result={actionData?.result ?? keptResult}
            defaultValue={kept ?? undefined}
            renderChoices={(initial, errors) => (
              <details open={!!(initial.stamp_id || initial.letter_appearance_id)}>
                <summary>スタンプと便せん</summary>
                <LetterChoices choices={choices} initial={initial} errors={errors} />
              </details>
            )}
          >
            {(is_sending) =>
              takes_paid && (
                <div>
                  <Button
                    name="paid"
                    value="on"
                    formAction={`/${creator.link_id}/ofuse/begin`}
                    variant="primary-outline"
                    is_block
                    aria-disabled={is_sending}
                  >
                    {PAID}
                  </Button>
                  <span className="field-hint">{ABOUT_PAID}書いた言葉は、そのまま続けられます。</span>
                </div>
              )
            }
          </LetterForm>
        ) : (
          <p>
            <bdi>{creator.name}</bdi>さんはいま無料のofuseを受け付けていません。
          </p>
        )}
        {!is_own && creator.is_creator && !creator.is_blocked && !takes_money && (
          <p className="field-hint">このサイトでは、いま有料のofuseを受け付けていません。</p>
        )}
        {takes_paid && !has_form && (
          <p>
            <ButtonLink to={`/${creator.link_id}/ofuse/paid`} reloadDocument variant="secondary" is_block>
              {PAID}
            </ButtonLink>
            <span className="field-hint">{ABOUT_PAID}</span>
          </p>
        )}
      </section>
      <section className="creator-posts" id={LETTERS_ANCHOR} aria-label="公開されたofuse">
        <h2 className="section-title">みんなのofuse</h2>
        {ofuses.length === 0 ? (
          <EmptyState title="公開されたofuseはまだありません">
            {is_own ? (
              <>
                <p>ページを知らせると、届きやすくなります。</p>
                <p>
                  <ButtonLink to="/my/share" variant="primary-outline">
                    ページをシェアする
                  </ButtonLink>
                </p>
              </>
            ) : (
              creator.accepts_free_ofuses && <p>最初のひとことを届けてみませんか。</p>
            )}
          </EmptyState>
        ) : (
          <ul className="letter-list">
            {ofuses.map((ofuse) => (
              <li key={ofuse.ofuse_id} className={ofuse.is_hidden ? "card letter letter-hidden" : "card letter"}>
                <p className="byline">
                  <AvatarLink link_id={senderOf(ofuse).link_id} image={senderOf(ofuse).icon_image} size={32} />
                  <NameLink link_id={senderOf(ofuse).link_id}>{ofuse.sender_name}</NameLink>
                  <DateTime iso={ofuse.created_at} format="date" />
                </p>
                <p className={paperClass(ofuse.letter_appearance_id)}>{ofuse.message}</p>
                <Stamp id={ofuse.stamp_id} names={stamps} />
                {is_own ? (
                  <OwnHeart ofuse={ofuse} creator_name={creator.name} />
                ) : (
                  ofuse.is_liked && <Heart creator_name={creator.name} />
                )}
                {ofuse.reply && (
                  <div className="letter-reply">
                    <p className="letter-reply-by">
                      <span>
                        <bdi>{creator.name}</bdi>さんの返信
                      </span>
                    </p>
                    <p className="letter-message">{ofuse.reply.message}</p>
                  </div>
                )}
                {!is_own && ofuse.sender?.user_id !== viewer_id && (
                  <p className="letter-state">
                    <Link
                      className="letter-report"
                      to={`/${creator.link_id}/ofuse/${ofuse.ofuse_id}/report`}
                      aria-label={`${calledOf(senderOf(ofuse))}のofuseを通報`}
                    >
                      通報
                    </Link>
                  </p>
                )}
                {is_own && (
                  <div className="letter-on-page">
                    {ofuse.is_hidden && <p className="field-hint">ページから外してあり、あなたにだけ見えます。</p>}
                    <HideLetterForm {...ofuse} to={here} />
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
        {(has_next || is_continued) && (
          <nav className="pager" aria-label="ページ送り">
            {is_continued && (
              <Link to={`/${creator.link_id}/ofuse#${LETTERS_ANCHOR}`} className="button button-gray-outline">
                新しいものから見る
              </Link>
            )}
            {has_next && (
              <Link
                to={`/${creator.link_id}/ofuse?after=${ofuses.at(-1)?.ofuse_id}#${LETTERS_ANCHOR}`}
                rel="next"
                className="button button-gray-outline"
              >
                続きを見る
              </Link>
            )}
          </nav>
        )}
      </section>
    </div>
  );
}
