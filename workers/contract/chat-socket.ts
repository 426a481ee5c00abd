/** The messages on the socket of a chat, as JSON. */
import type { ErrorCode } from "./errors.ts";
import type { RadioCaption } from "./radio-captions.ts";
import type { ChatMessage } from "./radio-chat.ts";

/** What the room says. Every socket gets the messages in the same order. */
export type ChatEvent =
  | { type: "messages"; messages: ChatMessage[]; people_count: number }
  | { type: "deleted"; message_id: string }
  /** `message`: the pinned message, for pages that do not have it. Not for people who have blocked its writer. */
  | { type: "pinned"; message_id: string; pinned_at: string | null; message?: ChatMessage }
  | { type: "reaction"; emoji: string; times: number }
  /** The broadcaster wrote a caption, or deleted one. */
  | { type: "caption"; caption: RadioCaption }
  | { type: "caption_deleted"; caption_id: string }
  /** For the sockets of one person, whom the broadcaster restricted or not any more. */
  | { type: "restriction"; is_restricted: boolean }
  /** For the sender of a message alone, with the sender's own `key` for it. */
  | { type: "written"; key: string; message_id: string }
  | { type: "refused"; key: string; code: ErrorCode; detail: string; retry_after_s?: number };

/** What a member's socket may say: a message. `key` is the sender's name for it; the answer repeats it. */
export interface ChatSaying {
  say: string;
  key: string;
}
