import { data, Form, redirect } from "react-router";
import { getNewsletterStops, updateNewsletterStops } from "../../workers/contract/newsletters.ts";
import { pageMeta } from "../crawlers/page-meta.ts";
import { v4Context } from "../request/context.ts";
import { Button } from "../ui/button.tsx";
import type { Route } from "./+types/unsubscribe.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, { title: "ニュースレターの受け取り", is_unlisted: true });

/** Opening the page changes nothing: scanners of mailboxes open every link. */
export async function loader({ params, context }: Route.LoaderArgs) {
  return context.get(v4Context).read(getNewsletterStops, { query: { token: params.token } });
}

const CHANGES: Record<string, { is_stopped?: boolean; is_all_stopped?: boolean }> = {
  stop: { is_stopped: true },
  resume: { is_stopped: false },
  stop_all: { is_all_stopped: true },
  resume_all: { is_all_stopped: false },
};

/**
 * Handles the buttons of the page, and the POST with which a mailbox stops the newsletters of the mail. Source: RFC 8058,
 * section 3.2.
 */
export async function action({ request, params, context }: Route.ActionArgs) {
  const form = await request.formData();
  const is_one_click = form.get("List-Unsubscribe") === "One-Click";
  const change = is_one_click ? CHANGES.stop : CHANGES[String(form.get("do"))];
  if (!change) throw data(null, { status: 400 });
  const v4 = context.get(v4Context);
  const sent = await v4.send(updateNewsletterStops, { body: { token: params.token, ...change } });
  if (!sent.ok) throw v4.failure(sent.refusal);
  // A mailbox follows no redirect (RFC 8058, section 3.1).
  return is_one_click ? new Response(null, { status: 200 }) : redirect(`/unsubscribe/${params.token}`, 303);
}

/** The preferences of a receiver, without a log-in. */
export default function Unsubscribe({ loaderData }: Route.ComponentProps) {
  const { creator_name, is_stopped, is_all_stopped } = loaderData;
  return (
    <div className="page page-reading">
      <h1 className="page-title">ニュースレターの受け取り</h1>
      <Form method="post" className="card form">
        <p role="status">
          <bdi>{creator_name}</bdi>さんのニュースレターを、メールで
          {is_stopped || is_all_stopped ? "受け取っていません" : "受け取っています"}。
        </p>
        {is_all_stopped ? (
          <p>すべてのニュースレターの配信を停止しています。</p>
        ) : (
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
    </div>
  );
}
