import * as podcasts from "../../contract/podcasts.ts";
import * as contract from "../../contract/radios.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listForUser } from "../users/queries.ts";
import { deleteRadioRecording, findBroadcast, openRadioSound } from "./broadcast.ts";
import {
  createRadio,
  createRadioComment,
  deleteRadio,
  deleteRadioComment,
  finishRadio,
  listenToRadio,
  startRadio,
  updateRadio,
} from "./commands.ts";
import { findSound, listUserRecordings } from "./playback.ts";
import { createPodcastFeed, deletePodcastFeed, findPodcast, listPodcastFeeds } from "./podcasts.ts";
import { findHearableRadio, findRadio, listOwnRadios, listRadioComments, listUserRadios } from "./queries.ts";
import { remindOfRadio } from "./reminders.ts";

import { putRadioRecording } from "./uploaded-recording.ts";

export const radioRoutes = [
  bindEndpoint(contract.listOwnRadios, ({ query }, context) => listOwnRadios(context, memberId(context), query)),
  bindEndpoint(contract.listUserRadios, ({ params, query }, context) =>
    listForUser(context, params.user_id, listUserRadios(context, params.user_id, query)),
  ),
  bindEndpoint(contract.getRadio, async ({ params }, context) => {
    const radio = await findRadio(context, params.radio_id);
    if (!radio) throw new Problem("not_found");
    return { radio };
  }),
  bindEndpoint(contract.createRadio, ({ body }, context) => createRadio(context, body)),
  bindEndpoint(contract.updateRadio, ({ params, body }, context) => updateRadio(context, params.radio_id, body)),
  bindEndpoint(contract.deleteRadio, ({ params }, context) => deleteRadio(context, params.radio_id)),
  bindEndpoint(contract.startRadio, ({ params }, context) => startRadio(context, params.radio_id)),
  bindEndpoint(contract.finishRadio, ({ params }, context) => finishRadio(context, params.radio_id)),
  bindEndpoint(contract.openRadioSound, ({ params }, context) => openRadioSound(context, params.radio_id)),
  bindEndpoint(contract.getRadioBroadcast, async ({ params }, context) => {
    const broadcast = await findBroadcast(context, params.radio_id);
    if (!broadcast) throw new Problem("not_found");
    return { broadcast };
  }),
  bindEndpoint(contract.putRadioRecording, ({ params, body }, context) =>
    putRadioRecording(context, params.radio_id, body.media_id),
  ),
  bindEndpoint(contract.deleteRadioRecording, ({ params }, context) => deleteRadioRecording(context, params.radio_id)),
  bindEndpoint(contract.listenToRadio, ({ params, body }, context) =>
    listenToRadio(context, params.radio_id, body.visit_id),
  ),
  bindEndpoint(contract.getRadioSound, async ({ params, query }, context) => {
    const sound = await findSound(context, params.radio_id, query.visit_id);
    if (!sound) throw new Problem("not_found");
    return { sound };
  }),
  bindEndpoint(contract.listUserRecordings, ({ params, query }, context) =>
    listForUser(context, params.user_id, listUserRecordings(context, params.user_id, query)),
  ),
  bindEndpoint(contract.remindOfRadio, ({ params, body }, context) =>
    remindOfRadio(context, params.radio_id, body.is_reminded),
  ),
  bindEndpoint(podcasts.createPodcastFeed, ({ params }, context) => createPodcastFeed(context, params.user_id)),
  bindEndpoint(podcasts.deletePodcastFeed, ({ params }, context) => deletePodcastFeed(context, params.user_id)),
  bindEndpoint(podcasts.listPodcastFeeds, ({ query }, context) => listPodcastFeeds(context, memberId(context), query)),
  bindEndpoint(podcasts.getPodcast, async (_, context) => {
    const podcast = await findPodcast(context);
    if (!podcast) throw new Problem("not_found");
    return podcast;
  }),
  bindEndpoint(contract.listRadioComments, async ({ params, query }, context) => {
    const [radio, comments] = await Promise.all([
      findHearableRadio(context, params.radio_id),
      listRadioComments(context, params.radio_id, query),
    ]);
    if (!radio) throw new Problem("not_found");
    return comments;
  }),
  bindEndpoint(contract.createRadioComment, ({ params, body }, context) =>
    createRadioComment(context, params.radio_id, body.message),
  ),
  bindEndpoint(contract.deleteRadioComment, ({ params }, context) =>
    deleteRadioComment(context, params.radio_id, params.comment_id),
  ),
];
