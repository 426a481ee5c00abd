import type { ReactNode } from "react";
import { Link, redirect } from "react-router";
import { listNotifications, type Notification, openAllNotifications } from "../../../workers/contract/notifications.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { Avatar, AvatarLink } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { setFlash } from "../../request/flash.ts";
import { dayOf } from "../../text/tokyo-time.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ButtonForm } from "../../ui/button-form.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Pager } from "../../ui/pager.tsx";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import type { Route } from "./+types/notifications.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "お知らせ", is_unlisted: true });

const DAY_MS = 24 * 60 * 60 * 1000;

/** A page of notifications, grouped by day in Japanese time. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const page = pageNumber(url);
  const { notifications, has_next, has_unopened } = await context
    .get(v4Context)
    .read(listNotifications, { query: { page_number: page } });
  refuseEmptyPage(page, notifications);
  const now = Date.now();
  const today = dayOf(new Date(now));
  const yesterday = dayOf(new Date(now - DAY_MS));
  const days = Object.entries(Object.groupBy(notifications, ({ created_at }) => dayOf(created_at)));
  return {
    days: days.map(([day, told = []]) => ({
      title: day === today ? "今日" : day === yesterday ? "昨日" : day,
      notifications: told,
    })),
    page,
    has_next,
    has_unopened,
  };
}

export async function action({ context }: Route.ActionArgs) {
  const v4 = context.get(v4Context);
  const sent = await v4.send(openAllNotifications, {});
  if (!sent.ok) throw v4.failure(sent.refusal);
  setFlash(context, "notifications_opened");
  return redirect("/my/notifications", 303);
}

const pathOf = (page: number) => (page === 1 ? "/my/notifications" : `/my/notifications?page=${page}`);

/** The separator of two names in a sentence. */
const BETWEEN = "さん、";

/** The notification's sentence. `<bdi>` around a name keeps a right-to-left name from reordering the other words. */
function Sentence({ notification: { message, actors } }: { notification: Notification }) {
  const [first, second] = actors.map(({ name }) => name);
  if (first === undefined || !message.startsWith(first)) return message;
  const rest = message.slice(first.length);
  if (second === undefined || !rest.startsWith(BETWEEN + second)) return <Named name={first} rest={rest} />;
  const after = rest.slice(BETWEEN.length + second.length);
  return (
    <Named
      name={first}
      rest={
        <>
          {BETWEEN}
          <Named name={second} rest={after} />
        </>
      }
    />
  );
}

function Named({ name, rest }: { name: string; rest: ReactNode }) {
  return (
    <>
      <bdi>{name}</bdi>
      {rest}
    </>
  );
}

export default function Notifications({ loaderData }: Route.ComponentProps) {
  const { days, page, has_next, has_unopened } = loaderData;
  return (
    <>
      <div className="page-head">
        <h1 className="page-title">お知らせ</h1>
        <div className="row">
          <ButtonLink to="/my/comments" size="sm" variant="gray-outline">
            届いたコメント
          </ButtonLink>
          <ButtonLink to="/my/settings/notifications" size="sm" variant="gray-outline">
            受け取り方
          </ButtonLink>
          {has_unopened && (
            <ButtonForm>
              {(is_sending) => (
                <Button size="sm" variant="gray-outline" aria-disabled={is_sending}>
                  すべて既読にする
                </Button>
              )}
            </ButtonForm>
          )}
        </div>
      </div>
      {days.length === 0 && (
        <EmptyState title="お知らせはまだありません">
          <p>フォローやofuse、コメントが届くと、ここに表示されます。</p>
          <p>
            <Link to="/search">クリエイターを探す</Link>
          </p>
        </EmptyState>
      )}
      {days.map(({ title, notifications }) => (
        <section key={title} aria-label={title}>
          <h2 className="notification-day">{title}</h2>
          <ul className="card notification-list">
            {notifications.map((notification) => (
              <Row key={notification.notification_id} notification={notification} />
            ))}
          </ul>
        </section>
      ))}
      <Pager page={page} has_next={has_next} hrefOf={pathOf} />
    </>
  );
}

function Row({ notification }: { notification: Notification }) {
  const { notification_id, is_opened, actor, excerpt, created_at } = notification;
  return (
    <li className="notification">
      {actor ? (
        <AvatarLink link_id={actor.link_id} image={actor.icon_image} />
      ) : (
        <Avatar image={null} fallback="service" />
      )}
      <div className="notification-text">
        <p>
          <Link to={`/my/notifications/${notification_id}`} className="card-link">
            <Sentence notification={notification} />
          </Link>
        </p>
        {excerpt && <p className="notification-excerpt">{excerpt}</p>}
        <p className="row-note">
          <DateTime iso={created_at} format="time" />
        </p>
      </div>
      {!is_opened && (
        <span className="notification-dot">
          <span className="visually-hidden">未読</span>
        </span>
      )}
    </li>
  );
}
