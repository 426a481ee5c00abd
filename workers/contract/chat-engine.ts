import type { ChatEvent } from "./chat-socket.ts";
import type { ErrorCode } from "./errors.ts";

/** A message for a room to write. */
export interface ChatPost {
  radio_id: string;
  user_id: string;
  url_key_hash: string | null;
  message: string;
  /** The sender's idempotency key; null without one. */
  idempotency: { scope: string; key: string; counts_from?: string; body_hash: string; status: number } | null;
}

/** A letter whose line a room is to write. */
export interface ChatLetterPost {
  radio_id: string;
  ofuse_id: string;
}

/** The outcome of a message. `is_repeated`: another request with the same idempotency key was written first. */
export type Posted =
  | { message_id: string; created_at: string }
  | { code: ErrorCode; retry_after_s?: number | undefined }
  | { is_repeated: true };

/** The rooms of all chats, by radio_id. */
export interface ChatRooms {
  /** Hands a message to its room. Throws `unavailable` when the room does not answer: it may be written all the same. */
  post(post: ChatPost): Promise<Posted>;
  /** Writes the line of a letter, once. Throws when the room could not write it. */
  showLetter(letter: ChatLetterPost): Promise<void>;
  /**
   * Says something to the sockets of a room, or to those of one member. It is a hint, and never throws.
   *
   * @param hidden_from the members who do not get it.
   */
  tell(radio_id: string, event: ChatEvent, user_id?: string, hidden_from?: readonly string[]): Promise<void>;
  /** Closes the sockets of a radio that has ended. It is a hint, and never throws. */
  close(radio_id: string): Promise<void>;
  /** Returns the number of open sockets; 0 when the room does not answer. Never throws. */
  countPeople(radio_id: string): Promise<number>;
}
