import * as contract from "../../contract/radio-chat.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId, type RequestContext } from "../http/request-context.ts";
import { findHearableRadio } from "../radios/queries.ts";
import {
  createChatMessage,
  createChatRoomToken,
  deleteChatMessage,
  pinChatMessage,
  reactInChat,
  restrictRadioChat,
  unpinChatMessage,
  unrestrictRadioChat,
  updateChatRoom,
} from "./commands.ts";
import { findChatRoom, listChatMessages, listRestrictees } from "./queries.ts";

/** Returns a radio that the caller may hear. Throws `not_found`. */
async function requireRadio(context: RequestContext, radio_id: string) {
  const radio = await findHearableRadio(context, radio_id);
  if (!radio) throw new Problem("not_found");
  return radio;
}

export const chatRoutes = [
  bindEndpoint(contract.createChatRoomToken, ({ params }, context) => createChatRoomToken(context, params.radio_id)),
  bindEndpoint(contract.getChatRoom, async ({ params: { radio_id } }, context) => {
    const { user_id } = await requireRadio(context, radio_id);
    return { room: await findChatRoom(context, radio_id, user_id) };
  }),
  bindEndpoint(contract.updateChatRoom, ({ params, body }, context) => updateChatRoom(context, params.radio_id, body)),
  bindEndpoint(contract.listChatMessages, async ({ params: { radio_id }, query }, context) => {
    const [, page] = await Promise.all([requireRadio(context, radio_id), listChatMessages(context, radio_id, query)]);
    return page;
  }),
  bindEndpoint(contract.createChatMessage, ({ params, body }, context) =>
    createChatMessage(context, params.radio_id, body.message),
  ),
  bindEndpoint(contract.deleteChatMessage, ({ params }, context) =>
    deleteChatMessage(context, params.radio_id, params.message_id),
  ),
  bindEndpoint(contract.pinChatMessage, ({ params }, context) =>
    pinChatMessage(context, params.radio_id, params.message_id),
  ),
  bindEndpoint(contract.unpinChatMessage, ({ params }, context) =>
    unpinChatMessage(context, params.radio_id, params.message_id),
  ),
  bindEndpoint(contract.reactInChat, ({ params, body }, context) => reactInChat(context, params.radio_id, body.emoji)),
  bindEndpoint(contract.restrictRadioChat, ({ params }, context) => restrictRadioChat(context, params.user_id)),
  bindEndpoint(contract.unrestrictRadioChat, ({ params }, context) => unrestrictRadioChat(context, params.user_id)),
  bindEndpoint(contract.listRadioChatRestrictees, ({ query }, context) =>
    listRestrictees(context, memberId(context), query),
  ),
];
