import type { RouterContextProvider } from "react-router";
import { getChatRoom, listChatMessages, listRadioChatRestrictees } from "../../../workers/contract/radio-chat.ts";
import type { Radio } from "../../../workers/contract/radios.ts";
import { viewerContext } from "../../session/context.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { CHAT_BEFORE, type LoadedChat } from "./chat-state.ts";

/**
 * Reads the chat of a radio, or the older messages that the address asks for. Returns null for a radio that the viewer
 * may not hear or that has no chat. Without an answer of the API the page is shown without the chat.
 */
export async function loadChat(
  context: Readonly<RouterContextProvider>,
  radio: Radio,
  url: URL,
): Promise<LoadedChat | null> {
  if (radio.is_locked || !radio.is_chat_on || radio.status === "scheduled") return null;
  const { radio_id } = radio;
  const next_page_token = listChatMessages.query.shape.next_page_token.safeParse(
    url.searchParams.get(CHAT_BEFORE),
  ).data;
  const v4 = v4OfRadio(context, radio_id);
  const params = { radio_id };
  const is_own = context.get(viewerContext)?.profile?.user_id === radio.user.user_id;
  const [found, page, newest] = await Promise.all([
    v4.part(getChatRoom, { params }),
    v4.part(listChatMessages, { params, query: { next_page_token } }),
    is_own ? v4.part(listRadioChatRestrictees, { query: { limit: 100 } }) : null,
  ]);
  if (!found || !page) return null;
  const writers = [...new Set(page.messages.flatMap(({ user }) => user?.user_id ?? []))];
  // An open page also shows messages that were loaded before. A writer restricted there is among the newest.
  const earlier =
    newest?.next_page_token && writers.length > 0
      ? await v4.part(listRadioChatRestrictees, { query: { "user_id[]": writers, limit: writers.length } })
      : null;
  const restrictees = [...(newest?.restrictees ?? []), ...(earlier?.restrictees ?? [])];
  return {
    room: found.room,
    messages: page.messages,
    restricted: [...new Set(restrictees.map(({ user }) => user.user_id))],
    older: page.next_page_token,
    is_latest: next_page_token === undefined,
    loaded_ms: Date.now(),
  };
}
