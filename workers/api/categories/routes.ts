import * as contract from "../../contract/events.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listForUser } from "../users/queries.ts";
import { createCategory, deleteCategory, updateCategory } from "./commands.ts";
import { findCategory, listCategories } from "./queries.ts";

const isExpanded = (query: { "expand[]"?: string | string[] }) => [query["expand[]"]].flat().includes("events_count");

export const categoryRoutes = [
  bindEndpoint(contract.listOwnEventCategories, async ({ query }, context) => ({
    event_categories: await listCategories(context, memberId(context), isExpanded(query)),
  })),
  bindEndpoint(contract.listUserEventCategories, async ({ params, query }, context) => ({
    event_categories: await listForUser(
      context,
      params.user_id,
      listCategories(context, params.user_id, isExpanded(query)),
    ),
  })),
  bindEndpoint(contract.getEventCategory, async ({ params }, context) => {
    const event_category = await findCategory(context, memberId(context), params.event_category_id);
    if (!event_category) throw new Problem("not_found");
    return { event_category };
  }),
  bindEndpoint(contract.createEventCategory, async ({ body }, context) => ({
    event_category: await createCategory(context, body),
  })),
  bindEndpoint(contract.updateEventCategory, async ({ params, body }, context) => ({
    event_category: await updateCategory(context, params.event_category_id, body),
  })),
  bindEndpoint(contract.deleteEventCategory, ({ params }, context) =>
    deleteCategory(context, params.event_category_id),
  ),
];
