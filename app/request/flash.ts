import { createContext, type RouterContextProvider } from "react-router";
import { errorCatalogue } from "../../workers/contract/errors.ts";
import { edgeContext, jarContext } from "./context.ts";

/** Messages shown once, on the next page. The cookie carries a code, never free text. */
const flashMessages = {
  ofuse_sent: "送信しました",
  letter_brought: "まだ送信していません。内容を確かめて、送信してください",
  form_brought: "まだ送信も保存もしていません。内容を確かめて、もう一度ボタンを押してください",
  followed: "フォローしました",
  not_followed: "フォローできませんでした。もう一度お試しください",
  not_followed_blocked: errorCatalogue.blocked.detail,
  not_followed_self: errorCatalogue.cannot_follow_yourself.detail,
  not_followed_limit: errorCatalogue.daily_follow_limit_reached.detail,
  not_followed_gone: errorCatalogue.not_found.detail,
  unfollowed: "フォローを解除しました",
  follower_removed: "フォロワーから外しました",
  replied: "返信を送信しました",
  letter_hidden: "ページから外しました",
  letter_shown: "ページに戻しました",
  registered: "アカウント登録が完了しました",
  email_confirmed: "メールアドレスを確認しました。ログインしてください",
  email_taken_over: "メールアドレスを確認しました",
  email_changed: "新しいメールアドレスを登録しました。ログインし直してください",
  email_recovered: "メールアドレスを元に戻しました。続けて、新しいパスワードを設定してください",
  password_reset: "新しいパスワードを設定しました。ログインしてください",
  provider_linked: "ログイン方法を連携しました",
  sign_in_expired: "時間が経ちました。ログインをはじめからやり直してください",
  recovered: "リカバリーコードでログインしました。使ったコードは、もう使えません",
  logged_out: "ログアウトしました。ほかの端末もログアウトしました",
  logged_out_here: "この端末からログアウトしました",
  signed_out_elsewhere: "ほかの端末での操作により、ログアウトしました",
  account_disabled: errorCatalogue.account_disabled.detail,
  account_left: "退会の手続きが済んだアカウントです。もう一度ご利用になるときは、新しくご登録ください",
  link_id_changed: "ユーザーIDを変更しました",
  bank_saved: "振込先の口座を登録しました",
  settings_saved: "設定を保存しました",
  test_ofuse_sent: "試しのofuseを送りました",
  news_on: "お知らせを受け取るようにしました",
  news_off: "お知らせを受け取らないようにしました",
  files_uploaded: "アップロードしました",
  files_refused: "アップロードできないファイルがありました",
  draft_saved: "下書きを保存しました",
  draft_discarded: "下書きを削除しました",
  post_published: "公開しました",
  post_scheduled: "公開を予約しました",
  post_kept_private: "非公開で保存しました",
  post_saved: "変更を保存しました",
  post_unpublished: "非公開にしました",
  post_deleted: "削除しました",
  posts_changed: "選んだ投稿を変更しました",
  radio_saved: "ラジオを保存しました",
  radio_key_unshown:
    "ラジオを保存しましたが、聴くためのURLを表示できませんでした。「保存してURLを作り直す」を押すと、新しいURLが表示されます",
  radio_deleted: "ラジオを削除しました",
  radio_started: "放送を始めました",
  radio_finished: "放送を終えました",
  recording_deleted: "録音を削除しました",
  recording_uploaded: "音声を録音にしました",
  recording_hidden: "録音を自分だけにしました",
  newsletter_scheduled: "配信を予約しました",
  newsletter_saved: "変更を保存しました",
  newsletter_sent: "ニュースレターを配信しました",
  newsletter_canceled: "配信の予約を取り消しました",
  newsletter_deleted: "ニュースレターを削除しました",
  test_mail_sent: "テストメールを送りました",
  test_mail_empty: "テストメールには、タイトルと本文が必要です。下書きは保存しました",
  test_mail_unsent: "テストメールを送れませんでした。内容は保存しました",
  category_saved: "カテゴリーを保存しました",
  category_deleted: "カテゴリーを削除しました",
  category_gone: "このカテゴリーは、すでに削除されています",
  plan_saved: "プランを保存しました",
  plan_opened: "プランの募集を始めました",
  plan_closed: "プランの募集を止めました",
  plan_deleted: "プランを削除しました",
  subscription_ending: "解約しました",
  subscription_resumed: "プランの更新を続けます",
  subscription_changed: "プランを変更しました",
  subscription_change_scheduled: "次のお支払い日からの変更を予約しました",
  subscription_change_undone: "プランの変更の予約を取り消しました",
  payout_canceled: "振込を取り消し、全額を残高に戻しました",
  payment_canceled: "お支払いを取りやめました",
  card_chosen: "プランのお支払いに使うカードを変更しました",
  payout_requested: "振込を申請しました",
  automatic_on: "毎月20日の自動振込を設定しました",
  automatic_off: "毎月の自動振込をやめました",
  notifications_opened: "すべて既読にしました",
  guest_liked: "「いいね」しました。ログインすると、あなたの「いいね」として残ります。",
  guest_unliked: "「いいね」を取り消しました",
  commented: "コメントを送信しました",
  radio_reminded: "放送が始まったら、お知らせします",
  radio_reminder_removed: "お知らせを取り消しました",
  import_started: "取り込みを始めました",
  import_stopped: "取り込みをやめました",
  import_deleted: "取り込みの記録を消しました",
  podcast_feed_revoked: "自分用のアドレスを無効にしました",
  comment_deleted: "コメントを削除しました",
  comment_hidden: "コメントを非表示にしました",
  chat_message_deleted: "発言を削除しました",
  chat_restricted: "チャットへの書き込みを制限しました",
  chat_unrestricted: "チャットへの書き込みの制限を解除しました",
  reported: "通報を受け付けました。通報したものはあなたには表示されなくなり、担当者が確認します。",
  blocked: "ブロックしました",
  unblocked: "ブロックを解除しました",
  verification_sent: "確認メールを送りました",
  password_changed: "パスワードを変更しました。ほかの端末はログアウトしました",
  password_set: "パスワードを設定しました",
  way_unlinked: "ログイン方法を解除しました",
  factor_added: "二段階認証を設定しました",
  factor_removed: "二段階認証の方法を削除しました",
  device_signed_out: "選んだ端末をログアウトしました",
  signed_out_everywhere: "すべての端末からログアウトしました",
  account_stopped: "利用を止めました",
  account_restored: "利用を再開しました",
  account_signed_out: "すべての端末からログアウトさせました",
  account_factors_removed: "二段階認証を外しました",
  payment_refunded: "返金しました",
  payout_held: "振込を止めました",
  payout_released: "振込を再開しました",
  payout_retried: "1分以内に進めます",
  outbox_retried: "1分以内に、もう一度届けます",
  mail_retried: "1分以内に、もう一度送ります",
  mail_suppressed: "アドレスへの送信を止めました",
  feature_paused: "機能を休止しました",
  feature_resumed: "機能を再開しました",
  limit_changed: "上限を変更しました",
  limit_standard: "上限を標準の値に戻しました",
  news_saved: "お知らせの下書きを保存しました",
  news_published: "お知らせを公開しました",
  news_deleted: "お知らせを削除しました",
  payment_held: "支払いを保留しました",
  payment_freed: "保留を解除しました",
  mail_released: "アドレスへの送信を再開しました",
  maintenance_planned: "メンテナンスを予定しました",
  maintenance_cleared: "メンテナンスの予定を消しました",
  maintenance_ended: "メンテナンスを終えました。1分ほどで、ページがふたたび開きます",
  campaign_saved: "キャンペーンを保存しました",
  campaign_closed: "キャンペーンを終えました",
  search_rebuilding: "索引の作り直しを始めます",
  appeal_sent: "異議の申し出を受け付けました",
  appeal_answered: "異議に答えました。持ち主へ、1分以内にお知らせします",
  subject_taken_down: "公開を停止しました。持ち主へ、1分以内にお知らせします",
  subject_given_back: "もとの状態に戻しました。持ち主へ、1分以内にお知らせします",
  report_decided: "通報への判断を記録しました。関わる人へ、1分以内にお知らせします",
} as const;

export type FlashCode = keyof typeof flashMessages;

/** Whether the page that is being rendered shows the message. */
const flashReadContext = createContext(false);

const FLASH_COOKIE = "flash";
const FLASH_MAX_AGE_S = 60;

/** The separator between the code and the path. Neither contains this character. */
const SEPARATOR = "~";
const LIKE_PATH = /^\/[a-z0-9_]{3,32}\/events\/[0-9a-z]{26}(?:\/comments\/[0-9a-z]{26})?\/like$/;

/**
 * Shows a message on the next page.
 *
 * @param like_path the action of the visitor's like form, with `guest_liked` and `guest_unliked`: their pages are
 * shared and cannot contain it.
 */
export function setFlash(context: Readonly<RouterContextProvider>, code: FlashCode, like_path?: string): void {
  const value = like_path ? code + SEPARATOR + like_path : code;
  context.get(jarContext).set(FLASH_COOKIE, value, FLASH_MAX_AGE_S);
}

/**
 * Removes the message after a page has shown it. Keeps it on a redirect (React Router then answers its own requests
 * with 202).
 */
export function forgetShownFlash(context: Readonly<RouterContextProvider>, status: number): void {
  const leads_elsewhere = status === 202 || (status >= 300 && status < 400);
  if (context.get(flashReadContext) && !leads_elsewhere) context.get(jarContext).clear(FLASH_COOKIE);
}

export interface FlashMessage {
  /** Different for each showing, so that the same text shown twice counts as two messages. */
  id: string;
  text: string;
  /** True when the message says that the page has words which somebody still has to send. */
  has_words: boolean;
  /** The visitor's like that the message is about: the action of its form, and whether the like is set now. */
  like: { path: string; is_liked: boolean } | null;
}

/** Returns the message to show on this page, or null. */
export function readFlash(context: Readonly<RouterContextProvider>): FlashMessage | null {
  const cookie = context.get(jarContext).read(FLASH_COOKIE);
  if (cookie === null) return null;
  context.set(flashReadContext, true);
  const [code = "", path = ""] = cookie.split(SEPARATOR);
  if (!Object.hasOwn(flashMessages, code)) return null;
  const like = LIKE_PATH.test(path) ? { path, is_liked: code === "guest_liked" } : null;
  return {
    id: context.get(edgeContext).request_id,
    text: flashMessages[code as FlashCode],
    has_words: /_brought$/.test(code),
    like,
  };
}
