import * as contract from "../../contract/notifications.ts";
import { endpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import { openAllNotifications, openNotification } from "./commands.ts";
import { listNotifications } from "./queries.ts";

export const notificationRoutes = [
  endpoint(contract.listNotifications, (_input, context) => listNotifications(context, memberId(context))),
  endpoint(contract.openAllNotifications, (_input, context) => openAllNotifications(context)),
  endpoint(contract.openNotification, async ({ params }, context) => ({
    notification: await openNotification(context, params.notification_id),
  })),
];
