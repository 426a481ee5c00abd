import * as contract from "../../contract/events.ts";
import { Problem } from "../../kernel/problem.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listForMembership } from "../memberships/queries.ts";
import { listForUser } from "../users/queries.ts";
import { createEvent, deleteEvent, updateEvent, updateEvents, visitEvent } from "./commands.ts";
import {
  findEvent,
  listFollowedEvents,
  listMembershipEvents,
  listNewestEvents,
  listOwnEvents,
  listUserEvents,
} from "./queries.ts";

export const eventRoutes = [
  endpoint(contract.listOwnEvents, ({ query }, context) => listOwnEvents(context, memberId(context), query)),
  endpoint(contract.listFollowedEvents, ({ query }, context) => listFollowedEvents(context, memberId(context), query)),
  endpoint(contract.listUserEvents, ({ params, query }, context) =>
    listForUser(context, params.user_id, listUserEvents(context, params.user_id, query)),
  ),
  endpoint(contract.listMembershipEvents, ({ params, query }, context) =>
    listForMembership(context, params.membership_id, listMembershipEvents(context, params.membership_id, query)),
  ),
  endpoint(contract.listNewestEvents, async ({ query }, context) => ({
    events: await listNewestEvents(context, query.limit),
  })),
  endpoint(contract.getEvent, async ({ params, query }, context) => {
    const found = await findEvent(context, params.event_id, query.context_event_category_id);
    if (!found) throw new Problem("not_found");
    return found;
  }),
  endpoint(contract.createEvent, async ({ body }, context) => ({ event: await createEvent(context, body) })),
  endpoint(contract.updateEvent, async ({ params, body }, context) => ({
    event: await updateEvent(context, params.event_id, body),
  })),
  endpoint(contract.updateEvents, ({ body }, context) => updateEvents(context, body)),
  endpoint(contract.deleteEvent, ({ params }, context) => deleteEvent(context, params.event_id)),
  endpoint(contract.visitEvent, ({ params, query }, context) => visitEvent(context, params.event_id, query.visit_id)),
];
