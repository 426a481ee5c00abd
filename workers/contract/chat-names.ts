/** Names that browsers, workers and the contract of chats share. This file imports nothing, so that browsers load no zod. */

/** Below this address, and the id of a radio, pages and other clients open the socket of a chat. */
export const CHAT_SOCKET_PATH = "/session/chat/";

/** The emoji that people send as reactions. */
export const CHAT_EMOJI = ["👏", "❤️", "😂", "😮", "😢", "🎉"] as const;

/** The close code of a chat whose radio has ended, or that the caller may not read. Source: RFC 6455, section 7.4.2. */
export const CHAT_ENDED = 4410;
