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
}

/** Returns the chat as the page was loaded, with what was said on the socket since. */
export function loadShown({ room, messages }: LoadedChat, known?: ShownChat): ShownChat {
  const deleted = known?.deleted ?? new Set<string>();
  const merged = new Map([...(known?.messages ?? []), ...messages].map((each) => [each.message_id, each]));
  return {
    messages: sortMessages([...merged.values()].filter(({ message_id }) => !deleted.has(message_id))),
    pinned: room.pinned_messages.filter(({ message_id }) => !deleted.has(message_id)),
    reactions: room.reactions,
    deleted,
    is_restricted: room.is_restricted,
  };
}

/** Identifiers sort in the order in which the room wrote the messages. */
export const sortMessages = (messages: ChatMessage[]) =>
  messages.sort((a, b) => (a.message_id < b.message_id ? -1 : 1)).slice(-SHOWN);
