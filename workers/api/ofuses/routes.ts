import * as contract from "../../contract/ofuses.ts";
import { getUser } from "../../contract/users.ts";
import { Problem } from "../../kernel/problem.ts";
import { listUserEvents } from "../events/queries.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { FIRST_PAGE } from "../http/pagination.ts";
import { memberId, viewerId } from "../http/request-context.ts";
import { listJoinedPlans } from "../memberships/queries.ts";
import { findRadioOnAir } from "../radios/queries.ts";
import { findUser, listForUser, selectUserId } from "../users/queries.ts";
import { hideOfuse, likeOfuse, openOfuse, replyToOfuse, sendFreeOfuse } from "./commands.ts";
import {
  countFreeOfusesLeft,
  findNeighbors,
  findOfuseRow,
  findOwnRemovalId,
  listOfuses,
  listPublicOfuses,
  presentOfuseRow,
} from "./queries.ts";

export const ofuseRoutes = [
  /** `getUser` is here because users/ must not depend on a person's posts and letters. */
  bindEndpoint(getUser, async ({ query }, context) => {
    const asked = query.user_id === undefined ? { link_id: query.link_id ?? "" } : { user_id: query.user_id };
    const sender = viewerId(context);
    const [user, left, joined_plans, on_air_radio] = await Promise.all([
      findUser(context, asked),
      sender ? countFreeOfusesLeft(context, sender, asked) : null,
      sender ? listJoinedPlans(context, sender, selectUserId(context, asked)) : [],
      findRadioOnAir(context, selectUserId(context, asked)),
    ]);
    if (!user) throw new Problem("not_found");
    const free_ofuses_left = sender === user.user_id ? null : left;
    const listed = query.with_events ? await listUserEvents(context, user.user_id, FIRST_PAGE) : null;
    return { user, free_ofuses_left, joined_plans, on_air_radio, ...(listed && { events: listed.events }) };
  }),
  bindEndpoint(contract.sendFreeOfuse, ({ body }, context) => sendFreeOfuse(context, body)),
  bindEndpoint(contract.listOfuses, ({ query }, context) => listOfuses(context, memberId(context), query)),
  bindEndpoint(contract.getOfuse, async ({ params: { ofuse_id }, query }, context) => {
    const viewer = memberId(context);
    const { neighbors_in: type, ...filter } = query;
    const [row, removal_id, neighbors] = await Promise.all([
      findOfuseRow(context, viewer, ofuse_id),
      findOwnRemovalId(context, viewer, ofuse_id),
      type ? findNeighbors(context, viewer, ofuse_id, { ...filter, type }) : null,
    ]);
    if (!row) throw new Problem("not_found");
    const ofuse = presentOfuseRow(viewer, row);
    return { ofuse, removal_id, neighbors: ofuse.type === type ? neighbors : null };
  }),
  bindEndpoint(contract.updateOfuse, async ({ params, body }, context) => ({
    ofuse: await ("reply" in body
      ? replyToOfuse(context, params.ofuse_id, body.reply)
      : "is_hidden" in body
        ? hideOfuse(context, params.ofuse_id, body.is_hidden)
        : openOfuse(context, params.ofuse_id)),
  })),
  bindEndpoint(contract.likeOfuse, ({ params, body }, context) => likeOfuse(context, params.ofuse_id, body.is_liked)),
  bindEndpoint(contract.listUserOfuses, ({ params, query }, context) =>
    listForUser(context, params.user_id, listPublicOfuses(context, params.user_id, query)),
  ),
];
