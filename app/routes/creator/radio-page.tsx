import { Suspense, useState } from "react";
import { data, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import {
  getRadio,
  getRadioSound,
  listRadioComments,
  type Radio,
  type RadioComment,
  urlKey,
} from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { AvatarLink, NameLink } from "../../people/avatar.tsx";
import { EditIcon } from "../../post/icons.tsx";
import { v4Context } from "../../request/context.ts";
import { loginPath } from "../../request/to.ts";
import { viewerContext } from "../../session/context.ts";
import { keepRadioKey, v4OfRadio } from "../../session/radio-keys.ts";
import { RadioIcon } from "../../shell/icons.tsx";
import { chaptersOf } from "../../text/chapters.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { Dialog, DialogButton } from "../../ui/dialog.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { noteOfRadio, RADIO_STATES } from "../radio-words.ts";
import type { Route } from "./+types/radio-page.ts";
import { CommentForm } from "./comment-form.tsx";
import { useCreator } from "./creator.ts";
import { ACTIONS_ANCHOR, commentAnchor } from "./event-path.ts";
import { FollowForm } from "./follow-form.tsx";
import { keptComment } from "./kept-comment.ts";
import { RadioChat } from "./lazy-radio-chat.tsx";
import { RadioCommentLikeForm, RecordingLikeForm } from "./like-form.tsx";
import { loadChat } from "./load-chat.ts";
import { podcastLinks } from "./preview.ts";
import { RadioLock } from "./radio-lock.tsx";
import { radioPath } from "./radio-path.ts";
import { RadioSoundSection } from "./radio-sound.tsx";

export const meta: Route.MetaFunction = (args) => {
  const radio = args.loaderData?.radio;
  return pageMeta(
    args,
    radio && {
      title: `${radio.title} - ${radio.user.name}さんのラジオ`,
      description: radio.description || `${radio.user.name}さんのラジオです。`,
      share_picture: args.matches[1]?.loaderData?.share_picture,
      alternates: podcastLinks(radio.user),
      kept_query: ["page"],
      is_unlisted: noteOfRadio(radio) !== "",
    },
  );
};

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { radio_id } = params;
  if (!id.safeParse(radio_id).success) throw data(null, { status: 404 });
  const key = url.searchParams.get("key");
  if (key !== null) {
    if (urlKey.safeParse(key).success) {
      const opened = await context.get(v4Context).withUrlKey(key).send(getRadio, { params: { radio_id } });
      // A mistyped or an old key must not replace one that opens the radio.
      if (opened.ok || opened.refusal.code !== "not_found") keepRadioKey(context, radio_id, key);
    }
    throw redirect(radioPath(params));
  }
  const page = pageNumber(url);
  const v4 = v4OfRadio(context, radio_id);
  const { radio } = await v4.read(getRadio, { params: { radio_id } });
  // A radio has one address: redirect if the path has another creator's link_id.
  const path = { link_id: radio.user.link_id, radio_id };
  if (path.link_id !== params.link_id) throw redirect(radioPath(path) + url.search, 301);
  // A locked radio has no comments, so a link to their second page shows the radio.
  if (radio.is_locked && page > 1) throw redirect(radioPath(path));
  const readComments = (page_number: number) =>
    v4.read(listRadioComments, { params: { radio_id }, query: { page_number } });
  const [{ comments, has_next }, sound] = await Promise.all([
    radio.is_locked ? { comments: [], has_next: false } : readComments(page),
    hasSound(radio) ? v4.send(getRadioSound, { params: { radio_id }, query: {} }) : null,
  ]);
  // The member may have just deleted the last comment of this page; then the page before has comments.
  const may_be_left = page > 1 && comments.length === 0 && context.get(viewerContext);
  if (may_be_left && (await readComments(page - 1)).comments.length > 0) {
    throw redirect(radioPath(path, page - 1, "comments"));
  }
  refuseEmptyPage(page, comments);
  const [kept, chat] = await Promise.all([keptComment(context, url.pathname), loadChat(context, radio, url)]);
  const { recording } = (sound?.ok && sound.answer.sound) || { recording: null };
  const pinned = chat?.room.pinned_messages ?? [];
  return {
    radio,
    sound: sound?.ok ? sound.answer.sound : null,
    chapters: chaptersOf(pinned, radio.started_at, recording?.duration_ms ?? 0),
    comments,
    has_next,
    page,
    kept,
    chat,
  };
}

/** Whether a radio that the viewer may hear has something to hear now. */
const hasSound = ({ is_locked, status, recording_state }: Radio) =>
  !is_locked && (status === "on_air" || (status === "finished" && recording_state === "completed"));

export default function RadioPage({ loaderData }: Route.ComponentProps) {
  const { radio, sound } = loaderData;
  const { is_own, viewer_id, idempotency_key } = useCreator();
  const note = noteOfRadio(radio);
  const path = radioPath({ link_id: radio.user.link_id, radio_id: radio.radio_id });
  // The data during which the broadcast ended. The page is not loaded again: that would cut the last seconds of the sound,
  // and most recordings are for nobody, so the page would be gone.
  const [ended, setEnded] = useState<Radio>();
  const is_over = ended === radio;
  const status = is_over ? "finished" : radio.status;
  return (
    <>
      <article className="card prose event">
        <header className="event-head">
          <h1 className="event-title">{radio.title}</h1>
          <p className="event-card-meta">
            <span className={status === "on_air" ? "badge badge-new" : "badge"}>{RADIO_STATES[status]}</span>
            {note && <span className="badge">{note}</span>}
          </p>
          {is_own && <OwnersBar radio={radio} />}
        </header>
        <When radio={radio} path={path} is_over={is_over} />
        {hasSound(radio) && (
          <RadioSoundSection
            key={`${radio.radio_id} ${radio.status}`}
            radio={radio}
            sound={sound}
            is_over={is_over}
            path={path}
            chapters={loaderData.chapters}
          />
        )}
        {hasSound(radio) && radio.status === "on_air" && (
          <p>
            <Link to={`${path}/text`}>文字で読む</Link>
          </p>
        )}
        {radio.is_locked ? (
          <RadioLock radio={radio} path={path} />
        ) : (
          <>
            {radio.image && (
              <img
                src={radio.image.medium_url}
                alt={radio.image.alt}
                width={radio.image.width}
                height={radio.image.height}
              />
            )}
            {radio.description && <Paragraphs text={radio.description} />}
            {radio.status === "finished" && radio.transcript && (
              <details className="transcript">
                <summary>文字起こし</summary>
                <Paragraphs text={radio.transcript} />
              </details>
            )}
            {radio.status === "finished" && radio.recording_state === "completed" && (
              <footer className="event-foot" id={ACTIONS_ANCHOR}>
                <RecordingLikeForm
                  path={path}
                  id={radio.radio_id}
                  is_liked={radio.is_recording_liked}
                  likes_count={radio.likes_count}
                  viewer_id={viewer_id}
                />
              </footer>
            )}
          </>
        )}
      </article>
      {loaderData.chat && (
        <Suspense>
          <RadioChat
            radio={{ ...radio, status }}
            path={path}
            chat={loaderData.chat}
            viewer={{ is_own, viewer_id, idempotency_key }}
            onEnd={() => setEnded(radio)}
          />
        </Suspense>
      )}
      {!radio.is_locked && <Comments {...loaderData} path={path} />}
    </>
  );
}

const RECORDINGS = {
  none: "この放送の録音はありません。",
  processing: "録音を用意しています。しばらくお待ちください。",
  completed: "",
  failed: "この放送の録音は、用意できませんでした。",
} as const;

/** When the radio is, was, or will be. */
function When({ radio, path, is_over }: { radio: Radio; path: string; is_over: boolean }) {
  const { creator, is_own, idempotency_key } = useCreator();
  const { status, starts_at, started_at, finished_at, recording_state } = radio;
  if (status === "on_air") {
    const since = <>{started_at && <DateTime iso={started_at} />}から放送しています。</>;
    // The same element says both, so that a screen reader reads out the end.
    return <p role="status">{is_over ? "放送は終わりました。" : since}</p>;
  }
  if (status === "finished") {
    return (
      <p>
        {finished_at && <DateTime iso={finished_at} />}に放送を終えました。{RECORDINGS[recording_state]}
      </p>
    );
  }
  return (
    <>
      <p>{starts_at ? <>放送の予定：{<DateTime iso={starts_at} />}</> : "放送の日時は、まだ決まっていません。"}</p>
      <Reminder radio={radio} path={path} />
      {!is_own && !creator.is_followed && !creator.is_blocked && (
        <>
          <p>フォローしておくと、放送が始まったときお知らせが届きます。</p>
          <FollowForm creator={creator} idempotency_key={idempotency_key} variant="primary-outline" size="sm" />
        </>
      )}
    </>
  );
}

/** Reminders of the start: a notification for members, and a calendar entry for everybody. */
function Reminder({ radio, path }: { radio: Radio; path: string }) {
  const { creator, is_own, viewer_id } = useCreator();
  const { is_reminded, starts_at } = radio;
  return (
    <div className="radio-reminder">
      {is_own || creator.is_blocked ? null : viewer_id ? (
        <ButtonForm action={`${path}/reminder`} label="放送の始まりの知らせ">
          {(is_sending) => (
            <>
              {is_reminded && <p>放送が始まったら、お知らせします。</p>}
              <Button
                name="operation"
                value={is_reminded ? "forget" : "remind"}
                variant={is_reminded ? "gray-outline" : "primary"}
                size="sm"
                aria-disabled={is_sending}
              >
                {is_reminded ? "お知らせを取り消す" : "始まったら知らせる"}
              </Button>
            </>
          )}
        </ButtonForm>
      ) : (
        <p>
          <Link to={loginPath(path)}>ログイン</Link>すると、放送が始まったときにお知らせを受け取れます。
        </p>
      )}
      {starts_at && (
        <p>
          <a href={`${path}/calendar.ics`}>カレンダーに追加する</a>
        </p>
      )}
    </div>
  );
}

/** The links that only the owner of the radio sees. */
function OwnersBar({ radio }: { radio: Radio }) {
  return (
    <div className="event-own">
      <p className="event-card-meta">
        <span>聴いた人 {groupDigits(radio.listens_count ?? 0)}人</span>
      </p>
      <ButtonLink to={`/my/radio/${radio.radio_id}`} reloadDocument variant="gray-outline" size="sm">
        <RadioIcon />
        {radio.status === "finished" ? "録音の画面" : "放送の画面"}
      </ButtonLink>
      <ButtonLink to={`/my/radio/${radio.radio_id}/edit`} variant="gray-outline" size="sm">
        <EditIcon />
        編集
      </ButtonLink>
    </div>
  );
}

function Comments(props: Route.ComponentProps["loaderData"] & { path: string }) {
  const { radio, comments, has_next, page, kept, path } = props;
  const { viewer_id, idempotency_key } = useCreator();
  return (
    <section className="card comments-card" id="comments" aria-labelledby="comments-title">
      <h2 id="comments-title" className="section-title">
        コメント{" "}
        {radio.comments_count > 0 && <span className="comments-count">{groupDigits(radio.comments_count)}</span>}
      </h2>
      <CommentForm path={path} viewer_id={viewer_id} idempotency_key={idempotency_key} initial={kept?.message} />
      {comments.length === 0 ? (
        <p className="comments-none">まだコメントはありません。</p>
      ) : (
        <ul className="comments">
          {comments.map((comment) => (
            <Comment key={comment.comment_id} comment={comment} radio={radio} path={path} page={page} />
          ))}
        </ul>
      )}
      <Pager page={page} has_next={has_next} hrefOf={(n) => `${n === 1 ? path : `${path}?page=${n}`}#comments`} />
    </section>
  );
}

function Comment(props: { comment: RadioComment; radio: Radio; path: string; page: number }) {
  const { comment, radio, path, page } = props;
  const { comment_id, user, message } = comment;
  const { viewer_id } = useCreator();
  const own_path = `${path}/comments/${comment_id}`;
  return (
    <li id={commentAnchor(comment_id)} className="comment">
      <p className="byline">
        <AvatarLink link_id={user.link_id} image={user.icon_image} size={32} />
        <NameLink link_id={user.link_id}>{user.name}</NameLink>
        {user.user_id === radio.user.user_id && <Badge>配信者</Badge>}
        <DateTime iso={comment.created_at} format="date" />
      </p>
      <p className="letter-message">{message}</p>
      <div className="comment-actions">
        <RadioCommentLikeForm
          path={own_path}
          id={comment_id}
          is_liked={comment.is_liked}
          likes_count={comment.likes_count}
          viewer_id={viewer_id}
          page={page}
        />
        {user.user_id !== viewer_id && <Link to={`${own_path}/report`}>通報</Link>}
        {comment.can_delete && <DeleteForm path={own_path} comment_id={comment_id} page={page} />}
      </div>
    </li>
  );
}

/** Asks for confirmation, because a deleted comment cannot be restored. */
function DeleteForm({ path, comment_id, page }: { path: string; comment_id: string; page: number }) {
  const { viewer_id } = useCreator();
  const dialog = `delete-${comment_id}`;
  return (
    <>
      <DialogButton dialog={dialog} command="show-modal" className="link-button">
        削除
      </DialogButton>
      <Dialog
        id={dialog}
        title="コメントを削除しますか？"
        actions={
          <ButtonForm action={path} fields={{ [AUTHOR_FIELD]: viewer_id, page: page > 1 ? page : null }}>
            {(is_sending) => (
              <Button name="operation" value="delete" variant="alert" aria-disabled={is_sending}>
                削除する
              </Button>
            )}
          </ButtonForm>
        }
      >
        <p>削除したコメントは元に戻せません。</p>
      </Dialog>
    </>
  );
}
