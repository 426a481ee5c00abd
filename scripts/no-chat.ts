import type { ChatRooms } from "../workers/contract/chat-engine.ts";

/** Stands in for the rooms of chats. For tests, and for commands that write a world of the past. */
export const noChat: ChatRooms = {
  post: async () => {
    throw new Error("there is no chat");
  },
  showLetter: async () => {},
  tell: async () => {},
  close: async () => {},
  countPeople: async () => 0,
};
