import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from "react";
import { Link, useFetcher, useRevalidator } from "react-router";
import { CHAT_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import type { ChatMessage } from "../../../workers/contract/radio-chat.ts";
import type { Radio } from "../../../workers/contract/radios.ts";
import { Author } from "../../forms/author.tsx";
import { AUTHOR_FIELD } from "../../forms/author-field.ts";
import { useSent } from "../../forms/use-sent.ts";
import type { ReturnedWords } from "../../forms/words.ts";
import { AvatarLink, NameLink } from "../../people/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FormErrors } from "../../ui/form-errors.tsx";
import { useHydrated } from "../../ui/hydrated.ts";
import { WordsField } from "../../ui/words-field.tsx";
import { FROM_ON_AIR } from "../my/radio-path.ts";
import { CHAT_BEFORE, CHAT_LOADED, type LoadedChat, loadShown, type ShownChat } from "./chat-state.ts";

/** The viewer of a chat, and the page. */
export interface ChatViewer {
  is_own: boolean;
  /** Null for a visitor. */
  viewer_id: string | null;
  idempotency_key: string | null;
  /** Whether this is the page that the broadcaster is on air with: nothing may lead away from it. */
  is_on_air?: boolean;
}

interface ChatProps {
  radio: Radio;
  /** The path of the radio. */
  path: string;
  chat: LoadedChat;
  viewer: ChatViewer;
  /** Called when the broadcast has ended for this person. A radio that is not on air has a closed chat. */
  onEnd: () => void;
}

/** The chat of a radio. On members' pages messages arrive while it is on air; without a script a link loads them. */
export function RadioChat({ radio, path, chat, viewer, onEnd }: ChatProps) {
  const { is_own, viewer_id, is_on_air = false } = viewer;
  const target = is_on_air ? "_blank" : undefined;
  const { room, older, is_latest, restricted } = chat;
  const is_open = room.is_open && radio.status === "on_air";
  const shown = useLiveChat(radio.radio_id, chat, { is_live: is_open && is_latest && viewer_id !== null, onEnd });
  const { messages, pinned, is_restricted } = shown;
  return (
    <section className="card comments-card" id="chat" aria-labelledby="chat-title">
      <h2 id="chat-title" className="section-title">
        チャット
      </h2>
      {is_own && (
        <p className="comment-actions">
          <Link to={`/my/radio/${radio.radio_id}/chat`} target={target}>
            チャットの設定
          </Link>
          <Link to="/my/radio/restrictees" target={target}>
            制限した相手
          </Link>
        </p>
      )}
      {pinned.length > 0 && (
        <>
          <h3>固定された発言</h3>
          <Messages
            messages={pinned}
            radio={radio}
            path={path}
            viewer={viewer}
            restricted={restricted}
            is_pinned={true}
          />
          <h3>みんなの発言</h3>
        </>
      )}
      {older && (
        <p>
          <Link to={`${path}?${CHAT_BEFORE}=${older}#chat`} target={target}>
            前の発言を見る
          </Link>
        </p>
      )}
      <NewWords messages={messages} />
      {/* NewWords is read out instead: a screen reader would read out the buttons of each message, too. */}
      <div role="log" aria-labelledby="chat-title" aria-live="off">
        {messages.length === 0 ? (
          <p className="comments-none">まだ発言はありません。</p>
        ) : (
          <Messages messages={messages} radio={radio} path={path} viewer={viewer} restricted={restricted} />
        )}
      </div>
      {!is_latest && (
        <p>
          <Link to={`${path}#chat`}>最新の発言へ戻る</Link>
        </p>
      )}
      {is_latest && is_open && (
        <>
          <Reload is_on_air={is_on_air} loaded_ms={chat.loaded_ms} />
          {viewer_id && room.may_write && !is_restricted && (
            <Reactions path={path} reactions={shown.reactions} viewer={viewer} />
          )}
          <WriteOrWhy radio={radio} path={path} chat={chat} viewer={viewer} is_restricted={is_restricted} />
        </>
      )}
      {!is_open && radio.status === "finished" && (
        <p className="field-hint">放送が終わったため、チャットに書き込めません。</p>
      )}
    </section>
  );
}

/** The lines since the page was opened, for screen readers, which read out each line that is added. */
function NewWords({ messages }: { messages: readonly ChatMessage[] }) {
  const [first] = useState(() => messages.at(-1)?.message_id ?? "");
  const added = messages.filter(({ message_id }) => message_id > first).slice(-SPOKEN);
  return (
    <div aria-live="polite" className="visually-hidden">
      {added.map(({ message_id, user, message, letter }) => (
        <p key={message_id}>
          {!letter && `${user?.name}：`}
          {message}
          {letter?.stamp?.name}
        </p>
      ))}
    </div>
  );
}

/** When more messages arrive at once, a screen reader reads out only the latest ones. */
const SPOKEN = 5;

/** The link to new messages. A page that sends sound has none with a script: reloading would end the sound. */
function Reload({ is_on_air, loaded_ms }: { is_on_air: boolean; loaded_ms: number }) {
  const link = (
    <p>
      <a href={`?${CHAT_LOADED}=${loaded_ms}#chat`}>新しい発言を読み込む</a>
    </p>
  );
  return is_on_air ? <noscript>{link}</noscript> : link;
}

/** The form, or the reason why the viewer cannot write. Visitors sign in first. */
function WriteOrWhy(props: Omit<ChatProps, "onEnd"> & { is_restricted: boolean }) {
  const { radio, path, chat, viewer, is_restricted } = props;
  const { viewer_id, idempotency_key, is_on_air = false } = viewer;
  if (is_restricted) {
    return <p className="field-hint">配信者の設定により、このチャットには書き込めません。</p>;
  }
  if (viewer_id && !chat.room.may_write && !chat.room.is_restricted) {
    return <p className="field-hint">このチャットには書き込めません。</p>;
  }
  const { slow_mode_seconds } = chat.room;
  return (
    <ChatForm
      path={path}
      radio_id={radio.radio_id}
      viewer_id={viewer_id}
      idempotency_key={idempotency_key && `${idempotency_key}-chat`}
      slow_mode_seconds={slow_mode_seconds}
      is_on_air={is_on_air}
    />
  );
}

/** Shows what is said on the socket. Loads the page's data again with each connection, which fills what was missed. */
function useLiveChat(
  radio_id: string,
  chat: LoadedChat,
  { is_live, onEnd }: { is_live: boolean; onEnd: () => void },
): ShownChat {
  const [shown, setShown] = useState(() => loadShown(chat));
  const [loaded, setLoaded] = useState(chat);
  const { revalidate } = useRevalidator();
  if (loaded !== chat) {
    setLoaded(chat);
    // Another page of the history has only its own messages.
    setShown(loadShown(chat, chat.is_latest && loaded.is_latest ? shown : undefined));
  }
  const tellEnd = useRef(onEnd);
  useEffect(() => {
    tellEnd.current = onEnd;
  });
  useEffect(() => {
    if (!is_live) return;
    let stop = () => {};
    let is_gone = false;
    import("./live-chat.ts").then(
      ({ applyChatEvent, reopenChat, watchChat }) => {
        if (is_gone) return;
        stop = watchChat(radio_id, {
          onEvent: (event) => setShown((before) => applyChatEvent(before, event)),
          onOpen: () => {
            setShown(reopenChat);
            void revalidate();
          },
          onEnd: () => tellEnd.current(),
        });
      },
      // After a deployment, the script may have been deleted. The link to reload works without it.
      () => {},
    );
    return () => {
      is_gone = true;
      stop();
    };
  }, [radio_id, is_live, revalidate]);
  return shown;
}

function Messages(props: {
  messages: ChatMessage[];
  radio: Radio;
  path: string;
  viewer: ChatViewer;
  restricted: readonly string[];
  is_pinned?: boolean;
}) {
  const { messages, radio, path, viewer, restricted, is_pinned = false } = props;
  return (
    <ul className="comments">
      {messages.map((each) => (
        <li key={each.message_id} className="comment">
          <p className="byline">
            {each.user && (
              <>
                <AvatarLink link_id={each.user.link_id} image={each.user.icon_image} size={32} />
                <NameLink link_id={each.user.link_id}>{each.user.name}</NameLink>
                {each.user.user_id === radio.user.user_id && <Badge>配信者</Badge>}
              </>
            )}
            {each.letter && <Badge>ofuse</Badge>}
            <DateTime iso={each.created_at} />
          </p>
          <p className="letter-message">{each.message}</p>
          {each.letter?.stamp && (
            <img
              className="stamp"
              src={`/letter-looks/${each.letter.stamp.stamp_id}.svg`}
              alt={each.letter.stamp.name}
            />
          )}
          {!is_pinned && (
            <MessageForm message={each} radio={radio} path={path} viewer={viewer} restricted={restricted} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The broadcaster's and the writer's buttons for a message. They ask for no confirmation: the broadcaster is on air. */
function MessageForm(props: {
  message: ChatMessage;
  radio: Radio;
  path: string;
  viewer: ChatViewer;
  restricted: readonly string[];
}) {
  const { message, radio, path, viewer, restricted } = props;
  const { viewer_id, is_own } = viewer;
  const { message_id, user, pinned_at } = message;
  const is_writer = user !== null && user.user_id === viewer_id;
  const is_restricted = user !== null && restricted.includes(user.user_id);
  if (!is_own && !is_writer) return null;
  const operations = [
    ...(is_own ? [pinned_at === null ? (["pin", "固定する"] as const) : (["unpin", "固定をやめる"] as const)] : []),
    ["delete", "削除"] as const,
    ...(is_own && user && user.user_id !== radio.user.user_id
      ? [is_restricted ? (["unrestrict", "制限を解除"] as const) : (["restrict", "書き込みを制限"] as const)]
      : []),
  ];
  return (
    <ButtonForm
      action={`${path}/chat/${message_id}`}
      fields={{ [AUTHOR_FIELD]: viewer_id, ...placeOf(viewer), user_id: user?.user_id ?? null }}
      label={user ? `${user.name}さんの発言` : "届いたofuse"}
      className="comment-actions"
    >
      {(is_sending) =>
        operations.map(([operation, words]) => (
          <button
            key={operation}
            type="submit"
            name="operation"
            value={operation}
            className="link-button"
            aria-disabled={is_sending}
          >
            {words}
          </button>
        ))
      }
    </ButtonForm>
  );
}

/** The field that brings the answer back to the page on air. */
const placeOf = ({ is_on_air }: Pick<ChatViewer, "is_on_air">): Record<string, string> =>
  is_on_air ? FROM_ON_AIR : {};

function Reactions(props: { path: string; reactions: ShownChat["reactions"]; viewer: ChatViewer }) {
  const { path, reactions, viewer } = props;
  return (
    <ButtonForm
      action={`${path}/reactions`}
      fields={{ [AUTHOR_FIELD]: viewer.viewer_id, ...placeOf(viewer) }}
      label="絵文字を送る"
      className="comment-actions"
    >
      {(_, is_sent) => (
        <>
          {reactions.map(({ emoji, times }) => {
            const count = times > 0 && groupDigits(times);
            const name = `${emoji}を送る${count ? `（${count}回）` : ""}`;
            return (
              <Button key={emoji} name="emoji" value={emoji} variant="gray-outline" size="sm" aria-label={name}>
                {emoji} {count}
              </Button>
            );
          })}
          <span role="status" className="visually-hidden">
            {is_sent && "絵文字を送りました。"}
          </span>
        </>
      )}
    </ButtonForm>
  );
}

interface ChatFormProps {
  path: string;
  radio_id: string;
  /** The member who writes. Null for a visitor, who signs in before the message is sent. */
  viewer_id: string | null;
  idempotency_key: string | null;
  slow_mode_seconds?: number;
  is_on_air?: boolean;
  /** The text of a refused form and its errors. */
  initial?: string;
  errors?: readonly string[] | null;
}

/** The form for a message. Empties itself after it was sent. */
export function ChatForm(props: ChatFormProps) {
  const id = useId();
  const [sent_count, setSentCount] = useState(0);
  const { radio_id } = props;
  const onSent = useCallback(() => {
    setSentCount((count) => count + 1);
    import("./live-chat.ts").then(
      ({ rememberChat }) => rememberChat(radio_id),
      () => {},
    );
  }, [radio_id]);
  const kept = sent_count === 0 ? {} : { initial: undefined, errors: undefined };
  // Each message has a key of its own.
  const idempotency_key = props.idempotency_key && `${props.idempotency_key}-${sent_count}`;
  const fetcher_key = `${id} ${sent_count}`;
  return (
    <OneMessage
      key={fetcher_key}
      {...props}
      {...kept}
      idempotency_key={idempotency_key}
      fetcher_key={fetcher_key}
      onSent={onSent}
    />
  );
}

/**
 * Sends the message on Enter, as other chats do. Passes over the Enter that ends a conversion of an input method, which
 * some browsers send after it has ended (229), and over Shift+Enter, which breaks the line.
 */
export function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const { key, shiftKey, keyCode, nativeEvent, currentTarget } = event;
  if (key !== "Enter" || shiftKey || nativeEvent.isComposing || keyCode === 229) return;
  event.preventDefault();
  // A press: the button ignores it while a message is on its way.
  if (currentTarget.value.trim()) currentTarget.form?.querySelector<HTMLElement>("[type=submit]")?.click();
}

function OneMessage(props: ChatFormProps & { fetcher_key: string; onSent: () => void }) {
  const { path, viewer_id, slow_mode_seconds = 0, initial = "", onSent } = props;
  const place = Object.entries(placeOf(props));
  const fetcher = useFetcher<ReturnedWords>({ key: props.fetcher_key });
  useSent(fetcher, onSent);
  const is_sending = fetcher.state !== "idle";
  const result = fetcher.data?.result;
  const errors = result ? (result.error?.message ?? null) : (props.errors ?? null);
  const idempotency_key = fetcher.data?.idempotency_key || props.idempotency_key;
  const has_script = useHydrated();
  const slow = slow_mode_seconds > 0 ? `${slow_mode_seconds}秒に1回まで発言できます。` : "";
  return (
    <fetcher.Form method="post" action={`${path}/chat`} className="form comment-form">
      {idempotency_key && <input type="hidden" name="idempotency_key" value={idempotency_key} />}
      {place.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Author id={viewer_id} />
      <FormErrors errors={result?.error?.[""]} />
      <WordsField
        id="words-chat"
        name="message"
        label="発言する"
        hint={`${CHAT_GRAPHEMES}文字まで。${slow}${has_script ? "Enterキーで発言します。" : ""}`}
        max_graphemes={CHAT_GRAPHEMES}
        initial={initial}
        errors={errors}
        textarea={{ rows: 2, enterKeyHint: has_script ? "send" : undefined, onKeyDown: sendOnEnter }}
      />
      <Button aria-disabled={is_sending}>
        {is_sending ? "送信しています…" : viewer_id ? "発言する" : "ログインして発言する"}
      </Button>
    </fetcher.Form>
  );
}
