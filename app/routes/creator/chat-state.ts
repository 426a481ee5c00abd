import type { ChatMessage, ChatRoom } from "../../../workers/contract/radio-chat.ts";

/** The query parameter with the mark from which older messages are shown. */
export const CHAT_BEFORE = "chat";
/**
 * The query parameter that makes the address of the link to new messages differ from the page's. To the same address with
 * a fragment, a browser only scrolls.
 */
export const CHAT_LOADED = "loaded";

/** A chat as the page's loader reads it. */
export interface LoadedChat {
  room: ChatRoom;
  messages: ChatMessage[];
  /** The ids of the people whom the broadcaster restricted. Empty for all other viewers. */
  restricted: readonly string[];
  /** The mark of older messages; null when there are none. */
  older: string | null;
  /** Whether these are the latest messages. */
  is_latest: boolean;
  /** When the messages were read. */
  loaded_ms: number;
}

/** The most messages that an open page shows. Older ones are on pages of their own. */
const SHOWN = 200;

/** A chat as its page shows it. */
export interface ShownChat {
  messages: ChatMessage[];
  pinned: ChatMessage[];
  reactions: readonly { emoji: string; times: number }[];
  /** Deleted since the page was loaded. */
  deleted: ReadonlySet<string>;
  is_restricted: boolean;
  /** The first message that came on the open socket, which also tells of deletions from then on. Null before the first. */
  first_said: string | null;
  /** Whether the socket has opened since the page's data were loaded. A message may have been deleted before that. */
  is_reopened: boolean;
}

/**
 * Returns the chat as the page was loaded, with what was said on the socket since. A known message that was not loaded
 * again has been deleted or hidden, unless the socket brought it or it is older than the loaded ones. After the socket
 * opened, older ones go as well: the page gets no news of their deletion, and the link to older messages leads to them.
 */
export function loadShown({ room, messages, older }: LoadedChat, known?: ShownChat): ShownChat {
  const { deleted = new Set<string>(), first_said = null, is_reopened = false } = known ?? {};
  const oldest = older === null || is_reopened ? "" : (messages[0]?.message_id ?? "");
  const kept = (known?.messages ?? []).filter(
    ({ message_id }) => message_id < oldest || (first_said !== null && message_id >= first_said),
  );
  const merged = new Map([...kept, ...messages].map((each) => [each.message_id, each]));
  return {
    messages: sortMessages([...merged.values()].filter(({ message_id }) => !deleted.has(message_id))),
    pinned: room.pinned_messages.filter(({ message_id }) => !deleted.has(message_id)),
    reactions: room.reactions,
    deleted,
    is_restricted: room.is_restricted,
    first_said,
    is_reopened: false,
  };
}

/** Identifiers sort in the order in which the room wrote the messages. */
export const sortMessages = (messages: ChatMessage[]) =>
  messages.sort((a, b) => (a.message_id < b.message_id ? -1 : 1)).slice(-SHOWN);
