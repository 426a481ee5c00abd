import * as contract from "../../contract/events.ts";
import { getMembership } from "../../contract/memberships.ts";
import { Problem } from "../../kernel/problem.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { FIRST_PAGE } from "../http/pagination.ts";
import { memberId } from "../http/request-context.ts";
import { findMembership, listForMembership } from "../memberships/queries.ts";
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
  bindEndpoint(contract.listOwnEvents, ({ query }, context) => listOwnEvents(context, memberId(context), query)),
  bindEndpoint(contract.listFollowedEvents, ({ query }, context) =>
    listFollowedEvents(context, memberId(context), query),
  ),
  bindEndpoint(contract.listUserEvents, ({ params, query }, context) =>
    listForUser(context, params.user_id, listUserEvents(context, params.user_id, query)),
  ),
  bindEndpoint(contract.listMembershipEvents, ({ params, query }, context) =>
    listForMembership(context, params.membership_id, listMembershipEvents(context, params.membership_id, query)),
  ),
  bindEndpoint(getMembership, async ({ params, query }, context) => {
    const [membership, listed] = await Promise.all([
      findMembership(context, params.membership_id),
      query.with_events ? listMembershipEvents(context, params.membership_id, FIRST_PAGE) : null,
    ]);
    return { membership, ...(listed && { events: listed.events }) };
  }),
  bindEndpoint(contract.listNewestEvents, async ({ query }, context) => ({
    events: await listNewestEvents(context, query.limit),
  })),
  bindEndpoint(contract.getEvent, async ({ params, query }, context) => {
    const found = await findEvent(context, params.event_id, query.context_event_category_id);
    if (!found) throw new Problem("not_found");
    return found;
  }),
  bindEndpoint(contract.createEvent, async ({ body }, context) => ({ event: await createEvent(context, body) })),
  bindEndpoint(contract.updateEvent, async ({ params, body }, context) => ({
    event: await updateEvent(context, params.event_id, body),
  })),
  bindEndpoint(contract.updateEvents, ({ body }, context) => updateEvents(context, body)),
  bindEndpoint(contract.deleteEvent, ({ params }, context) => deleteEvent(context, params.event_id)),
  bindEndpoint(contract.visitEvent, ({ params, query }, context) => visitEvent(context, params.event_id, query)),
];
