import { data, Form, Link, redirect, useNavigation } from "react-router";
import {
  deletePushSubscription,
  getNotificationSettings,
  isNotificationTopic,
  type MailLanguage,
  mailLanguage,
  type NotificationChannel,
  putPushSubscription,
  updateNotificationSettings,
} from "../../../../workers/contract/notifications.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { forgetIntent, keptForm } from "../../../forms/intent.ts";
import { signInWithWords, wordsOf } from "../../../forms/words.ts";
import { v4Context } from "../../../request/context.ts";
import { setFlash } from "../../../request/flash.ts";
import { loginPath } from "../../../request/to.ts";
import { viewerContext } from "../../../session/context.ts";
import { closeSession } from "../../../session/current-session.ts";
import { Button } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { NotificationChoices } from "../../notification-choices.tsx";
import type { Route } from "./+types/notifications.ts";
import { PushSection } from "./push-section.tsx";
import { SettingsPage } from "./settings-page.tsx";

const TITLE = "お知らせの受け取り方";
const PATH = "/my/settings/notifications";

const LANGUAGES: Record<MailLanguage, string> = { ja: "日本語", en: "English" };

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: TITLE, is_unlisted: true });

export async function loader({ context }: Route.LoaderArgs) {
  const [settings, kept] = await Promise.all([
    context.get(v4Context).read(getNotificationSettings, {}),
    keptForm(context, PATH),
  ]);
  const { push_public_key, is_push_on, page, mail, push, mail_language } = settings;
  // Without keys the site sends no push notifications, and the page does not mention them.
  const stored = { chosen: { page, mail, ...(push_public_key && { push }) }, mail_language };
  // The buttons for push notifications are forms without choices.
  const { chosen, mail_language: language } = kept?.has("mail_language") ? choicesOf(kept) : stored;
  const profile = context.get(viewerContext)?.profile;
  const has_address = Boolean(profile?.email) && !profile?.email_invalid;
  return {
    ...{ chosen, mail_language: language, push_public_key, is_push_on, has_address },
    idempotency_key: crypto.randomUUID(),
  };
}

/** Returns the choices of a submitted form. A topic is chosen if its checkbox is checked. */
function choicesOf(form: FormData) {
  const topicsOf = (channel: NotificationChannel) => form.getAll(channel).map(String).filter(isNotificationTopic);
  return {
    chosen: { page: topicsOf("page"), mail: topicsOf("mail"), ...(form.has("has_push") && { push: topicsOf("push") }) },
    mail_language: mailLanguage.safeParse(form.get("mail_language")).data,
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const wish = form.get("do");
  if (wish === "push_on" || wish === "push_off") return switchPush(context, form, wish === "push_on");
  const words = wordsOf(form, PATH);
  const { idempotency_key } = words;
  const { chosen, mail_language } = choicesOf(form);
  const sent = await context
    .get(v4Context)
    .send(updateNotificationSettings, { body: { ...chosen, mail_language }, idempotency_key });
  if (!sent.ok && sent.refusal.needs_sign_in) {
    closeSession(context);
    throw await signInWithWords(context, words, null);
  }
  if (!sent.ok) return data({ chosen, mail_language, error: sent.refusal.detail }, sent.refusal.status);
  forgetIntent(context, "form");
  setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

/** Turns push notifications on or off for the browser that sends the form. public/push-worker.js sends it too. */
async function switchPush(context: Route.ActionArgs["context"], form: FormData, is_on: boolean) {
  const v4 = context.get(v4Context);
  const field = (name: string) => String(form.get(name) ?? "");
  const is_from_worker = form.has("replaces");
  const address = { endpoint: field("endpoint"), p256dh: field("p256dh"), auth: field("auth") };
  const body = { ...address, ...(is_from_worker && { replaces: field("replaces") }) };
  const sent = await (is_on ? v4.send(putPushSubscription, { body }) : v4.send(deletePushSubscription, {}));
  if (!sent.ok && sent.refusal.needs_sign_in) {
    closeSession(context);
    return redirect(loginPath(PATH), 303);
  }
  const unchosen = { chosen: undefined, mail_language: undefined };
  if (!sent.ok) return data({ ...unchosen, error: sent.refusal.detail }, sent.refusal.status);
  // Nobody reads the answer to the service worker, and the next page must not show its message.
  if (!is_from_worker) setFlash(context, "settings_saved");
  return redirect(PATH, 303);
}

export default function NotificationSettingsPage({ loaderData, actionData }: Route.ComponentProps) {
  const { chosen, mail_language, push_public_key, is_push_on, has_address, idempotency_key } = loaderData;
  const is_sending = useNavigation().state === "submitting";
  return (
    <SettingsPage title={TITLE}>
      <p className="lead">
        お知らせの種類ごとに、「お知らせ」のページ{push_public_key ? "、メール、プッシュ通知" : "とメール"}
        で受け取るかどうかを選べます。
      </p>
      {!has_address && (
        <p>
          届くメールアドレスが登録されていないため、メールは送られません。
          <Link to="/my/settings/email">メールアドレスを登録する</Link>
        </p>
      )}
      <Form method="post" className="card form">
        <HiddenFields idempotency_key={idempotency_key} />
        <FormErrors errors={actionData && [actionData.error]} answer={actionData} />
        {push_public_key && <input type="hidden" name="has_push" value="yes" />}
        <NotificationChoices chosen={actionData?.chosen ?? chosen} />
        <div className="field">
          <label htmlFor="mail-language">メールの言語</label>
          <select
            id="mail-language"
            name="mail_language"
            className="control mail-language"
            defaultValue={actionData?.mail_language ?? mail_language}
            aria-describedby="mail-language-hint"
          >
            {Object.entries(LANGUAGES).map(([language, name]) => (
              <option key={language} value={language} lang={language}>
                {name}
              </option>
            ))}
          </select>
          <p className="field-hint" id="mail-language-hint">
            お支払い、お知らせ、ログインの確認などでお送りする文面に使います。ニュースレターは、クリエイターが書いた言葉のまま届きます。
          </p>
        </div>
        <Button aria-disabled={is_sending}>保存する</Button>
      </Form>
      {push_public_key && <PushSection public_key={push_public_key} is_on={is_push_on} />}
      <p className="field-hint">
        フォローしたクリエイターと加入したプランのニュースレター（宣伝を含むことがあります）は、止めるまでメールで届きます。メールの「配信停止」か、上の表で、いつでも止められます。
      </p>
      <p className="field-hint">
        お支払い、プランの更新と終了、振込、運営からのお知らせは、大切な内容のため、いつもお届けします。クリエイターごとの投稿のお知らせは、
        <Link to="/my/followings">フォロー中</Link>の一覧で止められます。
      </p>
    </SettingsPage>
  );
}
