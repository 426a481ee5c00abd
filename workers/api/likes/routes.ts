import * as contract from "../../contract/likes.ts";
import * as radios from "../../contract/radios.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { claimGuestLikes, likeEvent, likeEventComment, likeRadioComment, likeRadioRecording } from "./commands.ts";

export const likeRoutes = [
  bindEndpoint(contract.likeEvent, ({ params, body }, context) => likeEvent(context, params.event_id, body)),
  bindEndpoint(contract.likeEventComment, ({ params, body }, context) => likeEventComment(context, params, body)),
  bindEndpoint(radios.likeRadioRecording, ({ params, body }, context) =>
    likeRadioRecording(context, params.radio_id, body),
  ),
  bindEndpoint(radios.likeRadioComment, ({ params, body }, context) => likeRadioComment(context, params, body)),
  bindEndpoint(contract.claimGuestLikes, ({ body }, context) => claimGuestLikes(context, body.guest_token)),
];
