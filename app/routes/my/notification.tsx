import { data, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { openNotification } from "../../../workers/contract/notifications.ts";
import { v4Context } from "../../request/context.ts";
import { safeTo } from "../../request/to.ts";
import type { Route } from "./+types/notification.ts";

/** Marks a notification as read and redirects to its subject. One link does both, so it works without JavaScript. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { notification_id } = params;
  if (!id.safeParse(notification_id).success) throw data(null, { status: 404 });
  const v4 = context.get(v4Context);
  const sent = await v4.send(openNotification, { params: { notification_id } });
  if (!sent.ok) throw v4.failure(sent.refusal);
  return redirect(safeTo(sent.answer.notification.path, "/my/notifications"));
}

/**
 * React Router never renders this component. Without a component this would be a resource route, which answers an error
 * as data instead of an error page.
 */
export default function OpenedNotification() {
  return null;
}
