import * as contract from "../../contract/newsletters.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import {
  createNewsletter,
  deleteNewsletter,
  readStops,
  testNewsletter,
  updateNewsletter,
  updateStops,
} from "./commands.ts";
import { findNewsletter, listOwnNewsletters, listReceivedNewsletters, previewNewsletter } from "./queries.ts";

export const newsletterRoutes = [
  bindEndpoint(contract.listOwnNewsletters, ({ query }, context) =>
    listOwnNewsletters(context, memberId(context), query),
  ),
  bindEndpoint(contract.listNewsletters, ({ query }, context) =>
    listReceivedNewsletters(context, memberId(context), query),
  ),
  bindEndpoint(contract.getNewsletter, async ({ params }, context) => {
    const news_letter = await findNewsletter(context, memberId(context), params.id);
    if (!news_letter) throw new Problem("not_found");
    return { news_letter };
  }),
  bindEndpoint(contract.createNewsletter, async ({ body }, context) => ({
    news_letter: await createNewsletter(context, body),
  })),
  bindEndpoint(contract.updateNewsletter, async ({ params, body }, context) => ({
    news_letter: await updateNewsletter(context, params.id, body),
  })),
  bindEndpoint(contract.deleteNewsletter, ({ params }, context) => deleteNewsletter(context, params.id)),
  bindEndpoint(contract.testNewsletter, ({ params }, context) => testNewsletter(context, params.id)),
  bindEndpoint(contract.previewNewsletter, ({ params }, context) =>
    previewNewsletter(context, memberId(context), params.id),
  ),
  bindEndpoint(contract.getNewsletterStops, ({ query }, context) => readStops(context, query.token)),
  bindEndpoint(contract.updateNewsletterStops, ({ body }, context) => updateStops(context, body)),
];
