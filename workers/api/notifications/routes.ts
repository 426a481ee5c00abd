import * as contract from "../../contract/notifications.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { memberId } from "../http/request-context.ts";
import {
  deletePushSubscription,
  movePushSubscription,
  openAllNotifications,
  openNotification,
  putPushSubscription,
  readMailSettings,
  updateMailSettings,
  updateSettings,
} from "./commands.ts";
import { type Excerpts, listNotifications, readSettings } from "./queries.ts";

export const notificationRoutes = (excerpts: Excerpts) => [
  bindEndpoint(contract.listNotifications, ({ query }, context) =>
    listNotifications(context, excerpts, memberId(context), query),
  ),
  bindEndpoint(contract.openAllNotifications, (_input, context) => openAllNotifications(context)),
  bindEndpoint(contract.openNotification, async ({ params }, context) => ({
    notification: await openNotification(context, excerpts, params.notification_id),
  })),
  bindEndpoint(contract.getNotificationSettings, (_input, context) => readSettings(context)),
  bindEndpoint(contract.updateNotificationSettings, ({ body }, context) => updateSettings(context, body)),
  bindEndpoint(contract.putPushSubscription, ({ body }, context) => putPushSubscription(context, body)),
  bindEndpoint(contract.movePushSubscription, ({ body }, context) =>
    movePushSubscription(context, body.former_sign_in_id),
  ),
  bindEndpoint(contract.deletePushSubscription, (_input, context) => deletePushSubscription(context)),
  bindEndpoint(contract.getMailSettings, ({ query }, context) => readMailSettings(context, query.token)),
  bindEndpoint(contract.updateMailSettings, ({ body }, context) => updateMailSettings(context, body)),
];
