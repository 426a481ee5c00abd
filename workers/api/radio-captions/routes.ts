import * as contract from "../../contract/radio-captions.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { findHearableRadio } from "../radios/queries.ts";
import { createCaption, deleteCaption } from "./commands.ts";
import { listCaptions } from "./queries.ts";

export const captionRoutes = [
  bindEndpoint(contract.createRadioCaption, ({ params, body }, context) =>
    createCaption(context, params.radio_id, body.words),
  ),
  bindEndpoint(contract.listRadioCaptions, async ({ params: { radio_id }, query }, context) => {
    const [radio, page] = await Promise.all([
      findHearableRadio(context, radio_id),
      listCaptions(context, radio_id, query),
    ]);
    if (!radio) throw new Problem("not_found");
    return page;
  }),
  bindEndpoint(contract.deleteRadioCaption, ({ params }, context) =>
    deleteCaption(context, params.radio_id, params.caption_id),
  ),
];
