import { listFollowingActivities as operation } from "../../contract/activities.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { listFollowingActivities } from "./queries.ts";

export const activityRoutes = [
  endpoint(operation, ({ query }, context) => listFollowingActivities(context, memberId(context), query)),
];
