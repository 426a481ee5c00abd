import type { ChatEvent } from "../../contract/chat-socket.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { logUnexpected } from "../../kernel/log.ts";
import type { IdempotencyRow } from "../storage/commit.ts";
import type { RadioChatRoom } from "./room.ts";

/** A message for a room to write. */
export interface ChatPost {
  radio_id: string;
  user_id: string;
  url_key_hash: string | null;
  message: string;
  /** The sender's idempotency key; null without one. */
  idempotency: Omit<IdempotencyRow, "answer"> | null;
}

/** What became of a message. `is_repeated`: another request with the same idempotency key was written first. */
export type Posted =
  | { message_id: string; created_at: string }
  | { code: ErrorCode; retry_after_s?: number | undefined }
  | { is_repeated: true };

/** The rooms of all chats, by radio_id. */
export interface ChatRooms {
  post(post: ChatPost): Promise<Posted>;
  /** Says something to the sockets of a room, or to those of one member. It is a hint, and never throws. */
  tell(radio_id: string, event: ChatEvent, user_id?: string): Promise<void>;
  /** Returns the number of open sockets. */
  countPeople(radio_id: string): Promise<number>;
}

/** Connects to the Durable Objects of the rooms. */
export function openChatRooms(rooms: DurableObjectNamespace<RadioChatRoom>): ChatRooms {
  return {
    post: (post) => rooms.getByName(post.radio_id).post(post),
    tell: (radio_id, event, user_id) =>
      rooms
        .getByName(radio_id)
        .tell(event, user_id)
        .catch((error: unknown) => logUnexpected(error, newId(Date.now()))),
    countPeople: (radio_id) => rooms.getByName(radio_id).countPeople(),
  };
}
