import * as contract from "../../contract/streaming.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import {
  requireOverlay,
  sendTestOfuse,
  updateLiveHeartbeat,
  updateStreaming,
  updateTimelineToken,
} from "./commands.ts";
import { findStreaming, readNews } from "./queries.ts";

export const streamingRoutes = [
  bindEndpoint(contract.getOverlay, async ({ query }, context) => {
    const overlay = await requireOverlay(context, context.url_key_hash);
    return { ...(await readNews(context, overlay, query.after)), settings: overlay.settings };
  }),
  bindEndpoint(contract.getStreaming, (_, context) => findStreaming(context, memberId(context))),
  bindEndpoint(contract.updateStreaming, ({ body }, context) => updateStreaming(context, body)),
  bindEndpoint(contract.updateTimelineToken, (_, context) => updateTimelineToken(context)),
  bindEndpoint(contract.updateLiveHeartbeat, ({ query }, context) =>
    updateLiveHeartbeat(context, query.id, query.token),
  ),
  bindEndpoint(contract.sendTestOfuse, ({ body }, context) => sendTestOfuse(context, body)),
];
