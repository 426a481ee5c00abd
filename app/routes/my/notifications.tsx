import { Link, redirect } from "react-router";
import { listNotifications, type Notification, openAllNotifications } from "../../../workers/contract/notifications.ts";
import { v4Context } from "../../middleware/context.ts";
import { setFlash } from "../../session/flash.ts";
import { pageMeta } from "../../shell/page-meta.ts";
import { Avatar, AvatarLink } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Route } from "./+types/notifications.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "お知らせ", is_unlisted: true });

export const loader = ({ context }: Route.LoaderArgs) => context.get(v4Context).read(listNotifications, {});

export async function action({ context }: Route.ActionArgs) {
  const v4 = context.get(v4Context);
  const sent = await v4.send(openAllNotifications, {});
  if (!sent.ok) throw v4.failure(sent.refusal);
  setFlash(context, "notifications_opened");
  return redirect("/my/notifications", 303);
}

/** What is told, its person's name set apart: written from right to left, it turns no other words. */
function Sentence({ notification: { message, actor } }: { notification: Notification }) {
  if (!actor || !message.startsWith(actor.name)) return message;
  return (
    <>
      <bdi>{actor.name}</bdi>
      {message.slice(actor.name.length)}
    </>
  );
}

export default function Notifications({ loaderData }: Route.ComponentProps) {
  const { notifications } = loaderData;
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">お知らせ</h1>
        <Link to="/my/comments">届いたコメント</Link>
        {notifications.some((notification) => !notification.is_opened) && (
          <ButtonForm>
            {(is_sending) => (
              <Button size="sm" variant="gray-outline" disabled={is_sending}>
                すべて既読にする
              </Button>
            )}
          </ButtonForm>
        )}
      </div>
      {notifications.length === 0 ? (
        <EmptyState title="お知らせはまだありません">
          <p>フォローやofuse、コメントが届くと、ここに表示されます。</p>
        </EmptyState>
      ) : (
        <ul className="notification-list">
          {notifications.map((notification) => (
            <li
              key={notification.notification_id}
              className={notification.is_opened ? "card notification" : "card notification notification-new"}
            >
              {notification.actor ? (
                <AvatarLink link_id={notification.actor.link_id} image={notification.actor.icon_image} />
              ) : (
                <Avatar image={null} fallback="service" />
              )}
              <p>
                <Link to={`/my/notifications/${notification.notification_id}`} className="card-link">
                  <Sentence notification={notification} />
                </Link>
                <DateTime iso={notification.created_at} />
                {!notification.is_opened && <span className="badge badge-new">未読</span>}
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
