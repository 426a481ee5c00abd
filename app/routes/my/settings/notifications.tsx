import { data, Form, Link, redirect, useNavigation } from "react-router";
import {
  getNotificationSettings,
  isNotificationTopic,
  type NotificationSettings,
  updateNotificationSettings,
} from "../../../../workers/contract/notifications.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { loginPath } from "../../../request/to.ts";
import { viewerContext } from "../../../session/context.ts";
import { closeSession } from "../../../session/current-session.ts";
import { Button } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { NotificationChoices } from "../../notification-choices.tsx";
import type { Route } from "./+types/notifications.ts";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "お知らせの受け取り方";
const PATH = "/my/settings/notifications";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const chosen = await context.get(v4Context).read(getNotificationSettings, {});
  const profile = context.get(viewerContext)?.profile;
  const has_address = Boolean(profile?.email) && !profile?.email_invalid;
  return { chosen, has_address, idempotency_key: crypto.randomUUID() };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const topicsOf = (channel: keyof NotificationSettings) =>
    form.getAll(channel).map(String).filter(isNotificationTopic);
  const chosen = { page: topicsOf("page"), mail: topicsOf("mail") };
  const idempotency_key = String(form.get("idempotency_key") ?? crypto.randomUUID());
  const sent = await context.get(v4Context).send(updateNotificationSettings, { body: chosen, idempotency_key });
  if (!sent.ok && sent.refusal.needs_sign_in) {
    closeSession(context);
    return redirect(loginPath(PATH), 303);
  }
  if (!sent.ok) return data({ chosen, error: sent.refusal.detail }, sent.refusal.status);
  setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

export default function NotificationSettingsPage({ loaderData, actionData }: Route.ComponentProps) {
  const { chosen, has_address, idempotency_key } = loaderData;
  const is_sending = useNavigation().state === "submitting";
  return (
    <SettingsPage title={TITLE}>
      <p className="lead">お知らせの種類ごとに、「お知らせ」のページとメールで受け取るかどうかを選べます。</p>
      {!has_address && (
        <p>
          届くメールアドレスが登録されていないため、メールは送られません。
          <Link to="/my/settings/email">メールアドレスを登録する</Link>
        </p>
      )}
      <Form method="post" className="card form">
        <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
        <input type="hidden" name="idempotency_key" value={idempotency_key} />
        <NotificationChoices chosen={actionData?.chosen ?? chosen} />
        <Button disabled={is_sending}>保存する</Button>
      </Form>
      <p className="field-hint">
        お支払い、プランの更新と終了、振込、運営からのお知らせは、大切な内容のため、いつもお届けします。クリエイターごとの投稿のお知らせは、
        <Link to="/my/followings">フォロー中</Link>の一覧で止められます。
      </p>
    </SettingsPage>
  );
}
