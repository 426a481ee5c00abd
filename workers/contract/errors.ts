import { NEWSLETTERS_A_MONTH } from "./limits.ts";
import { pausedErrors } from "./paused-features.ts";

/**
 * Every named refusal of the API: its HTTP status and the Japanese sentence to show to a person. A code never changes
 * its meaning. docs/errors.md has a row for each code (a test compares them).
 */
export const errorCatalogue = {
  bad_request: { status: 400, detail: "リクエストを読み取れませんでした。" },
  unauthenticated: { status: 401, detail: "ログインが必要です。" },
  token_invalid: { status: 401, detail: "ログインの有効期限が切れました。もう一度ログインしてください。" },
  account_disabled: {
    status: 403,
    detail: "このアカウントは現在ご利用いただけません。お心当たりがない場合は、お問い合わせください。",
  },
  account_left: { status: 403, detail: "このアカウントは退会の手続きが済んでいます。" },
  under_age: { status: 403, detail: "登録できるのは、今年13歳以上になる方です。" },
  registration_required: { status: 403, detail: "アカウント登録を完了してください。" },
  card_declined: {
    status: 402,
    detail: "カードでのお支払いができませんでした。お支払い方法をご確認のうえ、もう一度お試しください。",
  },
  email_unverified: { status: 403, detail: "メールアドレスの確認がまだ済んでいません。" },
  recent_sign_in_required: {
    status: 403,
    detail: "安全のため、もう一度ログインしてからお試しください。",
  },
  creator_required: { status: 403, detail: "収益化登録をすると、お使いいただけます。" },
  donation_campaign_closed: {
    status: 409,
    detail: "この寄付キャンペーンは、受け付けを終えました。ほかのキャンペーンを選ぶか、寄付なしでお送りください。",
  },
  checkout_not_replaceable: {
    status: 409,
    detail:
      "直す前の内容でのお支払いが、すでに済んでいるか、手続きの途中か、別の相手へのものです。先に、そのお支払いの状態をご確認ください。",
  },
  support_not_accepted: { status: 403, detail: "このクリエイターは、いま有料のofuseやコメントを受け取れません。" },
  free_ofuse_not_accepted: { status: 403, detail: "このクリエイターは無料のofuseを受け付けていません。" },
  blocked: { status: 403, detail: "この相手には、この操作ができません。" },
  chat_restricted: { status: 403, detail: "配信者の設定により、このチャットには書き込めません。" },
  comments_not_accepted: { status: 403, detail: "この投稿はコメントを受け付けていません。" },
  paid_comments_only: { status: 403, detail: "この投稿は有料のコメントだけを受け付けています。" },
  paid_comment_not_deletable: { status: 403, detail: "有料のコメントは、送った人には削除できません。" },
  event_removed: {
    status: 403,
    detail: "運営が公開を止めた投稿です。異議の申し出が認められるまで、ふたたび公開することはできません。",
  },
  not_found: { status: 404, detail: "お探しのものは見つかりませんでした。" },
  method_not_allowed: { status: 405, detail: "この操作はできません。" },
  idempotency_key_reused: {
    status: 409,
    detail: "この画面からは、すでに別の内容が送信されています。内容をご確認のうえ、もう一度送信してください。",
  },
  second_factor_missing: { status: 409, detail: "先に二段階認証を設定してください。" },
  profile_already_exists: { status: 409, detail: "アカウント登録はすでに完了しています。" },
  birth_year_already_given: { status: 409, detail: "登録した生まれた年は変更できません。" },
  link_id_taken: { status: 409, detail: "このユーザーIDはすでに使われています。" },
  account_has_subscribers: {
    status: 409,
    detail:
      "加入中のメンバーがいるプランがあるため、まだ退会できません。募集を止めると、いまのメンバーの加入も、期間の終わりに終了します。全員の期間が終わってから、お手続きください。",
  },
  account_not_left: { status: 409, detail: "先に、退会の手続きをしてください。" },
  account_has_balance: {
    status: 409,
    detail:
      "確定や振込、異議の結果などを待っている売上、または振込できる残高があるため、まだ退会できません。それらが済んでから、お手続きください。",
  },
  ofuse_already_replied: { status: 409, detail: "このofuseにはすでに返信しています。" },
  event_transition_refused: { status: 409, detail: "この投稿は、いまの状態からそのようには変更できません。" },
  draft_conflict: {
    status: 409,
    detail: "別の画面でこの下書きが保存されています。内容をご確認のうえ、もう一度保存してください。",
  },
  event_conflict: {
    status: 409,
    detail: "この投稿は、別の画面で変更されています。内容をご確認のうえ、もう一度更新してください。",
  },
  external_links_conflict: {
    status: 409,
    detail: "リンクは、別の画面で変更されています。内容をご確認のうえ、もう一度お試しください。",
  },
  news_conflict: {
    status: 409,
    detail:
      "このお知らせは、別の画面で変更されています。書いた内容はこの画面に残っています。もう一度保存すると、この画面の内容に置き換えます。",
  },
  newsletter_published: { status: 409, detail: "このニュースレターはもう配信されています。変更や削除はできません。" },
  newsletter_conflict: {
    status: 409,
    detail: "このニュースレターは、別の画面で変更されています。内容をご確認のうえ、もう一度保存してください。",
  },
  newsletter_without_receivers: {
    status: 409,
    detail: "いまは、読める相手がいないため、配信できません。日時を決めて予約することはできます。",
  },
  newsletter_limit_reached: {
    status: 409,
    detail: `ニュースレターを配信できるのは、ひと月に${NEWSLETTERS_A_MONTH}回までです。ほかの月の日時を選ぶか、配信予約を取り消してください。`,
  },
  radio_transition_refused: { status: 409, detail: "このラジオは、いまの状態からそのようには変更できません。" },
  radio_conflict: {
    status: 409,
    detail: "このラジオは、別の画面で変更されています。内容をご確認のうえ、もう一度お試しください。",
  },
  radio_already_on_air: {
    status: 409,
    detail: "ほかのラジオを放送しています。先にその放送を終えてください。",
  },
  chat_closed: { status: 409, detail: "このラジオのチャットは、いま開いていません。" },
  draft_published: {
    status: 409,
    detail: "この下書きからは、別の画面ですでに投稿が作られています。投稿の一覧をご確認ください。",
  },
  draft_limit_reached: { status: 409, detail: "下書きの数が上限に達しています。不要な下書きを削除してください。" },
  report_already_decided: { status: 409, detail: "この通報には、すでに別の判断がくだされています。" },
  removal_changed: {
    status: 409,
    detail:
      "ほかの操作が先に公開を停止したか、公開に戻しました。この操作とひとことは記録されていません。いまの状態を確かめてください。",
  },
  appeal_closed: {
    status: 409,
    detail: "異議の申し出は一度だけです。すでに受け付けたか、公開の停止が解かれています。",
  },
  appeal_already_answered: { status: 409, detail: "この異議には、すでに別の答えが出ています。" },
  balance_insufficient: { status: 409, detail: "残高が足りません。" },
  payout_transition_refused: {
    status: 409,
    detail:
      "この振込は、いまは取り消せません。数分たっても「手続き中」のときは、もう一度お試しください。それでも取り消せないときは、お問い合わせください。",
  },
  payout_below_minimum: { status: 409, detail: "残高が1,000円以上になると、振り込めます。" },
  payout_account_required: { status: 409, detail: "先に、収益化登録のページで受け取りの手続きをしてください。" },
  payouts_not_enabled: {
    status: 409,
    detail: "本人確認などの手続きが終わっていないため、まだ振り込めません。収益化登録のページで状態をご確認ください。",
  },
  bank_account_required: { status: 409, detail: "先に、振込先の口座を登録してください。" },
  bank_account_conflict: {
    status: 409,
    detail: "振込先の口座は、別の画面で変更されています。口座をご確認のうえ、もう一度申請してください。",
  },
  transfer_already_posted: { status: 409, detail: "この処理はすでに記録されています。" },
  transfer_already_settled: {
    status: 409,
    detail: "このお金の動きは、すでに返金や振込などの処理が済んでいます。最新の状態をご確認ください。",
  },
  email_taken: { status: 409, detail: "このメールアドレスのアカウントはすでにあります。" },
  accounts_kept_elsewhere: {
    status: 409,
    detail: "アカウントはFirebaseで管理されています。Firebaseのコンソールをお使いください。",
  },
  import_file_unreadable: {
    status: 422,
    detail:
      "このファイルからは取り込めませんでした。ofuseのアーカイブ（ZIP）、GhostのJSON、WordPressなどのXML、メンバーのCSVのどれかで、壊れていないことをご確認ください。",
  },
  import_file_too_large: {
    status: 422,
    detail: "ファイルの中身が大きすぎます。投稿やファイルを減らすか、いくつかに分けてお試しください。",
  },
  category_title_taken: { status: 409, detail: "同じ名前のカテゴリーがすでにあります。" },
  membership_price_fixed: {
    status: 409,
    detail: "一度でも募集したプランの月額は変えられません。月額の違うプランは、新しく作ってください。",
  },
  membership_in_use: {
    status: 409,
    detail:
      "加入した人がいるプランや、投稿・ラジオの公開範囲に選ばれているプランは削除できません。募集を止めることはできます。",
  },
  membership_limit_reached: { status: 409, detail: "プランの数が上限に達しています。" },
  membership_not_open: { status: 409, detail: "このプランの募集は終了しました。" },
  spending_limit_reached: {
    status: 409,
    detail:
      "ご自分で決めた1か月の上限額を超えるため、お支払いに進めません。上限額は、設定の「お支払い方法」で確認できます。",
  },
  minor_limit_reached: {
    status: 409,
    detail: "18歳未満の方の1か月の上限額を超えるため、お支払いに進めません。来月になると、またお支払いいただけます。",
  },
  membership_full: {
    status: 409,
    detail: "このプランは満員です。空きが出るまで加入できません。",
  },
  already_joined: { status: 409, detail: "このプランには、すでに加入しています。" },
  subscription_transition_refused: {
    status: 409,
    detail: "この加入は、いまの状態からそのようには変更できません。最新の状態をご確認ください。",
  },
  subscription_change_scheduled: {
    status: 409,
    detail:
      "次の更新からのプランの変更が予約されています。先に予約を取り消して（いまのプランに戻して）から、もう一度お試しください。",
  },
  subscription_price_moved: {
    status: 409,
    detail: "画面を開いてから時間がたち、金額が変わりました。あらためて金額をご確認ください。",
  },
  category_limit_reached: { status: 409, detail: "カテゴリーの数が上限に達しています。" },
  bank_account_unreadable: {
    status: 409,
    detail: "登録された口座を読み取れませんでした。お手数ですが、もう一度登録してください。",
  },
  intent_unusable: { status: 410, detail: "この操作の有効期限が切れました。もう一度お試しください。" },
  payload_too_large: { status: 413, detail: "送信されたデータが大きすぎます。" },
  unsupported_media_type: { status: 415, detail: "この形式のデータは受け取れません。" },
  validation_failed: { status: 422, detail: "入力内容をご確認ください。" },
  external_link_not_usable: { status: 422, detail: "リンクの種類とURLが合っていません。" },
  genre_not_found: { status: 422, detail: "選んだジャンルが見つかりません。" },
  name_not_usable: { status: 422, detail: "この表示名は使えません。" },
  link_id_reserved: { status: 422, detail: "このユーザーIDはサービスで使うため選べません。" },
  guardian_consent_required: { status: 422, detail: "18歳未満の方の登録には、保護者の同意が必要です。" },
  newsletter_empty: { status: 422, detail: "タイトルと本文を書いて保存してから、お試しください。" },
  publish_at_passed: { status: 422, detail: "公開の予定には、これからの日時を指定してください。" },
  starts_at_passed: { status: 422, detail: "放送の予定には、これからの日時を指定してください。" },
  image_not_usable: { status: 422, detail: "使えない画像が含まれています。もう一度アップロードしてください。" },
  media_not_usable: { status: 422, detail: "使えない音声・動画が含まれています。もう一度アップロードしてください。" },
  recording_unreadable: {
    status: 422,
    detail: "この音声の長さを読み取れませんでした。MP3かM4Aのファイルにして、もう一度お試しください。",
  },
  video_url_not_allowed: {
    status: 422,
    detail: "この動画のURLは使えません。対応している配信元のURLを入力してください。",
  },
  paywall_needs_audience: {
    status: 422,
    detail:
      "「ここから先は限定公開」の線がある投稿は、全員に公開できません。公開範囲でフォロワー限定かメンバー限定を選ぶか、線を消してください。",
  },
  category_not_found: { status: 422, detail: "選んだカテゴリーが見つかりません。" },
  membership_not_found: { status: 422, detail: "選んだプランが見つかりません。" },
  bank_not_found: { status: 422, detail: "選んだ銀行が見つかりません。もう一度お選びください。" },
  branch_not_found: { status: 422, detail: "選んだ支店が、この銀行に見つかりません。もう一度お選びください。" },
  report_too_long: { status: 422, detail: "この期間の明細は多すぎます。期間を短くしてお試しください。" },
  cannot_act_on_yourself: {
    status: 422,
    detail: "自分のアカウントには、この操作ができません。ほかの運営の人に頼んでください。",
  },
  cannot_block_yourself: { status: 422, detail: "自分自身はブロックできません。" },
  cannot_restrict_yourself: { status: 422, detail: "自分自身は制限できません。" },
  chat_word_refused: {
    status: 422,
    detail: "このチャットで使えない言葉が含まれています。言葉を変えて、もう一度お送りください。",
  },
  cannot_report_yourself: { status: 422, detail: "自分自身のものは通報できません。" },
  file_missing: { status: 422, detail: "ファイルを選んでください。" },
  file_type_not_allowed: { status: 422, detail: "この形式のファイルはアップロードできません。" },
  file_broken: { status: 422, detail: "ファイルを読み取れませんでした。壊れていないかご確認ください。" },
  image_too_many_pixels: { status: 422, detail: "画像の縦横のサイズが大きすぎます。小さくしてからお試しください。" },
  storage_full: { status: 422, detail: "アップロードできる容量の上限に達しています。" },
  cannot_follow_yourself: { status: 422, detail: "自分自身はフォローできません。" },
  cannot_pay_yourself: { status: 422, detail: "自分自身には支払えません。" },
  cannot_join_own_plan: { status: 422, detail: "自分のプランには加入できません。" },
  cannot_ofuse_yourself: { status: 422, detail: "自分自身にofuseは送れません。" },
  free_ofuse_limit_reached: {
    status: 429,
    detail: "同じクリエイターに送れる無料のofuseは1日3通までです。明日またお送りください。",
  },
  daily_ofuse_limit_reached: {
    status: 429,
    detail: "今日送れるofuseの数が上限に達しました。日付が変わる午前0時から、また送れます。",
  },
  daily_public_ofuse_limit_reached: {
    status: 429,
    detail:
      "今日公開できるofuseの数が上限に達しました。公開しないofuseは、いまも送れます。公開は、日付が変わる午前0時からまたできます。",
  },
  daily_follow_limit_reached: {
    status: 429,
    detail: "今日フォローできる人数が上限に達しました。日付が変わる午前0時から、またフォローできます。",
  },
  daily_comment_limit_reached: {
    status: 429,
    detail: "今日書けるコメントの数が上限に達しました。日付が変わる午前0時から、また書けます。",
  },
  daily_like_limit_reached: {
    status: 429,
    detail: "今日付けられる「いいね」の数が上限に達しました。日付が変わる午前0時から、また付けられます。",
  },
  daily_report_limit_reached: {
    status: 429,
    detail:
      "今日できる通報の数が上限に達しました。日付が変わる午前0時から、またできます。お急ぎのときは、お問い合わせからご連絡ください。",
  },
  link_id_change_limit_reached: {
    status: 429,
    detail: "ユーザーIDを変えられるのは30日間に3回までです。しばらくたってからお試しください。",
  },
  payment_limit_reached: {
    status: 429,
    detail:
      "続けて始められるお支払いの回数の上限に達しました。カードの不正利用を防ぐため、登録から7日までは、さらに少なくしています。時間をおいてから、もう一度お試しください。",
  },
  chat_slow_mode: { status: 429, detail: "続けて発言できるまで、少し時間があります。しばらくしてからお送りください。" },
  too_many_requests: { status: 429, detail: "操作の回数が多すぎます。しばらく時間をおいてからお試しください。" },
  limit_out_of_bounds: { status: 422, detail: "1から、標準の10倍までの数を入力してください。" },
  ...pausedErrors,
  internal_error: { status: 500, detail: "サーバーでエラーが発生しました。時間をおいてもう一度お試しください。" },
  under_maintenance: { status: 503, detail: "ただいまメンテナンス中です。終わってから、もう一度お試しください。" },
  payment_withdrawn: { status: 409, detail: "この支払いは、すでに返金したか、異議の申し立てを受けています。" },
  payment_held: { status: 409, detail: "この支払いは、運営が確認しています。" },
  payment_not_cancelable: {
    status: 409,
    detail: "このお支払いは、すでに済んでいるか、コンビニの支払い番号が出ているため、取りやめられません。",
  },
  payments_unavailable: { status: 503, detail: "このサイトでは、いまお支払いを受け付けていません。" },
  gateway_unreachable: {
    status: 503,
    detail: "決済サービスから応答がありません。入力した内容は残っています。しばらくしてから、もう一度お試しください。",
  },
  webhook_signature_invalid: { status: 400, detail: "通知の署名を確認できません。" },
  unavailable: { status: 503, detail: "ただいま混み合っています。時間をおいてもう一度お試しください。" },
} as const satisfies Record<string, { status: number; detail: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Refusals that every operation may give. An operation's own `errors` are added to these. */
export const commonErrors = [
  "bad_request",
  "unauthenticated",
  "token_invalid",
  "account_disabled",
  "account_left",
  "not_found",
  "method_not_allowed",
  "payload_too_large",
  "unsupported_media_type",
  "validation_failed",
  "internal_error",
  "under_maintenance",
  "unavailable",
] as const satisfies readonly ErrorCode[];
