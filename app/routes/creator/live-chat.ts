import type { ChatEvent } from "../../../workers/contract/chat-socket.ts";
import type { ChatMessage } from "../../../workers/contract/radio-chat.ts";
import { rememberLike } from "../../browser/liked.ts";
import { chattedRadioIds } from "../../browser/radio-keys.ts";
import { type ShownChat, sortMessages } from "./chat-state.ts";

/* What only an open page of a radio on air needs. Loaded on need, with the socket. */

/** Notes in this browser that its member has written in the chat of a radio. */
export const rememberChat = (radio_id: string): void => rememberLike(chattedRadioIds, radio_id, true);

export { watchChat } from "../../shell/chat-watch.ts";

/** Returns the chat after its socket has opened. The next load decides which of the known messages are left. */
export const reopenChat = (shown: ShownChat): ShownChat => ({ ...shown, first_said: null, is_reopened: true });

/** Returns the chat after an event of its socket. */
export function applyChatEvent(shown: ShownChat, event: ChatEvent): ShownChat {
  if (event.type === "messages") {
    const known = new Set(shown.messages.map(({ message_id }) => message_id));
    const added = event.messages.filter(({ message_id }) => !known.has(message_id) && !shown.deleted.has(message_id));
    const first_said = shown.first_said ?? event.messages[0]?.message_id ?? null;
    return { ...shown, messages: sortMessages([...shown.messages, ...added]), first_said };
  }
  if (event.type === "deleted") {
    const isLeft = ({ message_id }: ChatMessage) => message_id !== event.message_id;
    return {
      ...shown,
      messages: shown.messages.filter(isLeft),
      pinned: shown.pinned.filter(isLeft),
      deleted: new Set([...shown.deleted, event.message_id]),
    };
  }
  if (event.type === "pinned") {
    const { message_id, pinned_at } = event;
    // An old message may be on no open page.
    const found = shown.messages.find((each) => each.message_id === message_id) ?? event.message;
    const others = shown.pinned.filter((each) => each.message_id !== message_id);
    return {
      ...shown,
      messages: shown.messages.map((each) => (each.message_id === message_id ? { ...each, pinned_at } : each)),
      pinned: pinned_at === null || !found ? others : [...others, { ...found, pinned_at }],
    };
  }
  if (event.type === "reaction") {
    const { emoji, times } = event;
    // Two emoji at the same moment may arrive in either order.
    const later = (each: ShownChat["reactions"][number]) => ({ emoji, times: Math.max(each.times, times) });
    return { ...shown, reactions: shown.reactions.map((each) => (each.emoji === emoji ? later(each) : each)) };
  }
  if (event.type === "restriction") return { ...shown, is_restricted: event.is_restricted };
  return shown;
}
