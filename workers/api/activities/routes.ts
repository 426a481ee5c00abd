import { listFollowingActivities as operation } from "../../contract/activities.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listFollowingActivities } from "./queries.ts";

export const activityRoutes = [
  bindEndpoint(operation, ({ query }, context) => listFollowingActivities(context, memberId(context), query)),
];
