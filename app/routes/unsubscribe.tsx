import { data, Form, redirect } from "react-router";
import { getNewsletterStops, updateNewsletterStops } from "../../workers/contract/newsletters.ts";
import { getMailSettings, isNotificationTopic, updateMailSettings } from "../../workers/contract/notifications.ts";
import { pageMeta } from "../crawlers/page-meta.ts";
import { v4Context } from "../request/context.ts";
import { setFlash } from "../request/flash.ts";
import { Button } from "../ui/button.tsx";
import type { V4 } from "../v4/client.ts";
import type { Route } from "./+types/unsubscribe.ts";
import { NotificationChoices, topicLabels } from "./notification-choices.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "メールの受け取り", is_unlisted: true });

/** Whether the link is of a notification's mail. Otherwise it is of a newsletter. */
const isOfNotification = (token: string) => isNotificationTopic(token.split(".", 1)[0] ?? "");

/** Opening the page changes nothing: scanners of mailboxes open every link. */
export async function loader({ params: { token }, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  if (isOfNotification(token)) return { choices: await v4.read(getMailSettings, { query: { token } }), stops: null };
  return { choices: null, stops: await v4.read(getNewsletterStops, { query: { token } }) };
}

const CHANGES: Record<string, { is_stopped?: boolean; is_all_stopped?: boolean }> = {
  stop: { is_stopped: true },
  resume: { is_stopped: false },
  stop_all: { is_all_stopped: true },
  resume_all: { is_all_stopped: false },
};

/**
 * Handles the buttons of the page, and the POST with which a mailbox stops mails of this kind. Source: RFC 8058,
 * section 3.2.
 */
export async function action({ request, params: { token }, context }: Route.ActionArgs) {
  const form = await request.formData();
  const is_one_click = form.get("List-Unsubscribe") === "One-Click";
  const wish = is_one_click ? "stop" : String(form.get("do"));
  const v4 = context.get(v4Context);
  const sent = await (isOfNotification(token) ? chooseMails(v4, token, wish, form) : stopNewsletters(v4, token, wish));
  if (!sent) throw data(null, { status: 400 });
  if (!sent.ok) throw v4.failure(sent.refusal);
  // A mailbox follows no redirect (RFC 8058, section 3.1).
  if (is_one_click) return new Response(null, { status: 200 });
  setFlash(context, "settings_saved");
  return redirect(`/unsubscribe/${token}`, 303);
}

function chooseMails(v4: V4, token: string, wish: string, form: FormData) {
  if (wish === "stop") return v4.send(updateMailSettings, { body: { token } });
  if (wish !== "choose") return null;
  const mail = form.getAll("mail").map(String).filter(isNotificationTopic);
  return v4.send(updateMailSettings, { body: { token, mail } });
}

function stopNewsletters(v4: V4, token: string, wish: string) {
  const change = Object.hasOwn(CHANGES, wish) && CHANGES[wish];
  return change ? v4.send(updateNewsletterStops, { body: { token, ...change } }) : null;
}

/** The preferences of a mail's receiver, without a log-in. */
export default function Unsubscribe({ loaderData: { choices, stops } }: Route.ComponentProps) {
  return (
    <div className="page page-reading">
      {choices && <MailChoices {...choices} />}
      {stops && <NewsletterStops {...stops} />}
    </div>
  );
}

type Loaded = Route.ComponentProps["loaderData"];

function MailChoices({ topic, mail }: NonNullable<Loaded["choices"]>) {
  return (
    <>
      <h1 className="page-title">お知らせのメールの受け取り</h1>
      <Form method="post" className="card form">
        <p role="status">
          「{topicLabels[topic]}」のメールを{mail.includes(topic) ? "受け取っています" : "受け取っていません"}。
        </p>
        {mail.includes(topic) && (
          <p>
            <Button name="do" value="stop">
              このメールを停止する
            </Button>
          </p>
        )}
      </Form>
      <Form method="post" className="card form">
        <h2 className="section-title">メールで受け取るお知らせ</h2>
        <NotificationChoices chosen={{ mail }} />
        <p>
          <Button name="do" value="choose" variant="primary-outline">
            保存する
          </Button>
        </p>
        <p className="field-hint">
          お支払い、プランの更新と終了、振込についてのメールは、大切な内容のため、いつもお届けします。準備が済んでいたメールは、停止のあとに届くことがあります。
        </p>
      </Form>
    </>
  );
}

function NewsletterStops(stops: NonNullable<Loaded["stops"]>) {
  const { creator_name, is_stopped, is_all_stopped, has_creator_left } = stops;
  return (
    <>
      <h1 className="page-title">ニュースレターの受け取り</h1>
      <Form method="post" className="card form">
        <p role="status">
          <bdi>{creator_name}</bdi>
          {!has_creator_left && "さん"}のニュースレターを、メールで
          {is_stopped || is_all_stopped ? "受け取っていません" : "受け取っています"}。
        </p>
        {is_all_stopped && <p>すべてのニュースレターの配信を停止しています。</p>}
        {!is_all_stopped && !has_creator_left && (
          <p>
            <Button
              name="do"
              value={is_stopped ? "resume" : "stop"}
              variant={is_stopped ? "primary-outline" : "primary"}
            >
              {is_stopped ? "配信を再開する" : "配信を停止する"}
            </Button>
          </p>
        )}
        <p>
          <Button name="do" value={is_all_stopped ? "resume_all" : "stop_all"} variant="gray-outline">
            {is_all_stopped ? "すべての停止をやめる" : "すべてのクリエイターのニュースレターを停止する"}
          </Button>
        </p>
        <p className="field-hint">
          停止するのは、ニュースレターのメールだけです。フォローやプランの加入は続き、ログインするとページで読めます。準備が済んでいたメールは、停止のあとに届くことがあります。
        </p>
      </Form>
    </>
  );
}
