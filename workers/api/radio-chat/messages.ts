import type { ChatMessage } from "../../contract/radio-chat.ts";
import type { Database } from "../storage/database.ts";
import { readUser, userJson } from "../users/queries.ts";

/** Selects messages with every column that listeners see. */
export const messageQuery = (database: Database) =>
  database
    .selectFrom("radio_chat_messages")
    .select(["message_id", "message", "pinned_at", "created_at"])
    .select(userJson("radio_chat_messages.user_id").as("writer"));

/** Returns a message from a row of {@link messageQuery}. */
export const readMessage = ({ writer, ...row }: Omit<ChatMessage, "user"> & { writer: string }): ChatMessage => ({
  ...row,
  user: readUser(writer),
});
