import { type Generated, Kysely, type RawBuilder, sql } from "kysely";
import type { BankAccountType } from "../../contract/banks.ts";
import type { LetterAppearanceId, StampId } from "../../contract/letter-choices.ts";
import type { PausableFeature } from "../../contract/paused-features.ts";
import type { AccountType, IdentityVerification, PayoutFailureReason, PayoutStatus } from "../../contract/payouts.ts";
import { type ReadCount, ReadDialect } from "../../storage/joined-reads.ts";

type ProcessingStatus = "processing" | "completed" | "failed";

/** The tables as the code sees them. A test compares them with the migrations. Booleans are 0 and 1. */
export interface Tables {
  images: {
    image_id: string;
    owner_user_id: string;
    access: "public" | "event";
    alt: string;
    content_type: "image/png" | "image/jpeg" | "image/webp" | "image/avif";
    width: number;
    height: number;
    created_at: string;
    placeholder: string | null;
    widths: Generated<string>;
    bytes: Generated<number>;
    processing_status: Generated<ProcessingStatus>;
  };
  media_files: {
    media_id: string;
    owner_user_id: string;
    kind: "audio" | "video";
    access: "public" | "event";
    content_type: string;
    file_name: Generated<string>;
    bytes: Generated<number>;
    processing_status: ProcessingStatus;
    created_at: string;
  };
  /** `storage_used` is written only by triggers. */
  storage_used: { user_id: string; bytes: number };
  /** Triggers and `removeObjects` write `removed_media`. The cron job deletes the objects from the bucket, then the row. */
  removed_media: { key_prefix: string; removed_at: string };
  /** How far the cron job has searched for unused uploads. */
  swept_uploads: { kind: "images" | "media_files"; as_far_as: string };
  users: {
    user_id: string;
    identity_id: string;
    link_id: string;
    name: string;
    default_name: string | null;
    email: string | null;
    email_invalid: Generated<number>;
    is_creator: Generated<number>;
    bio: Generated<string>;
    icon_image_id: string | null;
    cover_image_id: string | null;
    accepts_free_ofuses: Generated<number>;
    followers_count: Generated<number>;
    followings_count: Generated<number>;
    created_at: string;
    disabled_at: string | null;
    birth_year: number | null;
    guardian_consented_at: string | null;
    left_at: string | null;
    mail_language: Generated<"ja" | "en">;
  };
  /** The link_ids that people have given up; see the migration that creates the table. */
  link_id_changes: { link_id: string; changed_at: string; user_id: string; held_until: string };
  left_identities: { identity_id: string; left_at: string };
  external_links: { user_id: string; position: number; external_site_id: string; url: string };
  user_genres: { user_id: string; genre_id: string };
  relationships: {
    follower_id: string;
    following_id: string;
    receives_notifications: number;
    created_at: string;
  };
  memberships: {
    membership_id: string;
    user_id: string;
    title: string;
    description: string;
    amount: number;
    active_state: "active" | "inactive";
    created_at: string;
    published_at: string | null;
    position: Generated<number>;
    image_id: string | null;
    members_limit: number | null;
  };
  subscriptions: {
    subscription_id: string;
    membership_id: string;
    user_id: string;
    status: "active" | "canceled" | "past_due";
    paid_until: string;
    created_at: string;
    gateway_id: string | null;
    is_ending: Generated<number>;
    must_end: Generated<number>;
    next_membership_id: string | null;
    retry_at: string | null;
    ask_at: string | null;
    revision: Generated<number>;
  };
  joinings: {
    joining_id: string;
    user_id: string;
    membership_id: string;
    scope: string;
    idempotency_key: string;
    body_hash: string;
    status: "open" | "joined" | "expired";
    session_id: string | null;
    checkout_url: string | null;
    subscription_id: string | null;
    ask_at: string | null;
    created_at: string;
    amount: Generated<number>;
    returned_at: Generated<string | null>;
    change_key: Generated<string | null>;
  };
  plan_prices: { membership_id: string; price_id: string; product_id: string; product_name: string };
  invoices: {
    invoice_id: string;
    subscription_id: string;
    membership_id: string;
    user_id: string;
    creator_user_id: string;
    gateway_id: string;
    number: string;
    title: string;
    amount: number;
    period_start: string;
    period_end: string;
    paid_at: string;
  };
  abandoned_subscriptions: { created_at: string; gateway_id: string; is_ended: Generated<number> };
  abandoned_joinings: { joining_id: string; session_id: string | null; created_at: string };
  event_categories: {
    event_category_id: string;
    user_id: string;
    title: string;
    position: number;
    created_at: string;
  };
  events: {
    event_id: string;
    user_id: string;
    event_category_id: string | null;
    kind: "image" | "video" | "text" | "blog";
    title: string;
    lead: string;
    body: string;
    image_id: string | null;
    status: "publish_pending" | "published" | "private";
    publish_target_type: "public" | "fans" | "memberships";
    publish_target_membership_id: string | null;
    publish_at: string | null;
    published_at: string | null;
    created_at: string;
    comment_filter: Generated<"all" | "paid_only" | "none">;
    video_url: string | null;
    updated_at: string | null;
    removed_at: string | null;
    lead_is_free: Generated<number>;
    document: string | null;
    draft_id: string | null;
  };
  event_images: { image_id: string; event_id: string; position: number; is_free: Generated<number> };
  event_media: { media_id: string; event_id: string; position: number; is_free: Generated<number> };
  event_drafts: {
    draft_id: string;
    user_id: string;
    event_id: string | null;
    kind: "image" | "video" | "text" | "blog";
    fields: string;
    upload_ids: Generated<string>;
    revision: number;
    created_at: string;
    updated_at: string;
  };
  imports: {
    import_id: string;
    user_id: string;
    kind: "archive" | "ghost" | "wxr" | "members";
    file_name: string;
    bytes: number;
    status: "reading" | "ready" | "importing" | "completed";
    restores_status: Generated<number>;
    created_at: string;
    completed_at: string | null;
    overwrites_profile: Generated<number>;
  };
  import_items: {
    import_id: string;
    position: number;
    kind: "profile" | "category" | "plan" | "file" | "post" | "newsletter" | "radio";
    item_key: string;
    title: string;
    state: "planned" | "done" | "skipped" | "refused";
    reason: string | null;
    result_id: string | null;
  };
  imported_posts: { user_id: string; source_key: string; event_id: string };
  imported_newsletters: { user_id: string; source_key: string; newsletter_id: string };
  imported_radios: { user_id: string; source_key: string; radio_id: string };
  /** `event_counts` is written only by triggers. A post without likes, visits and comments has no row. */
  event_counts: {
    event_id: string;
    likes_count: Generated<number>;
    comments_count: Generated<number>;
    visits_count: Generated<number>;
  };
  event_visits: { event_id: string; visit_id: string; visited_at: string };
  /** `liker` is a user_id, or `guest-` and a guest's id. */
  event_likes: { event_id: string; liker: string; created_at: string };
  event_comment_likes: { comment_id: string; liker: string; created_at: string };
  event_comments: {
    comment_id: string;
    event_id: string;
    user_id: string;
    message: string;
    amount: number;
    parent_comment_id: string | null;
    created_at: string;
    hidden_at: string | null;
    likes_count: Generated<number>;
    deleted_at: string | null;
    /** `received_by` and `is_replied` are written only by triggers. */
    received_by: string | null;
    is_replied: Generated<number>;
  };
  /** Counts acts for rate limits; see storage/limits.ts. */
  limited_acts: { scope: string; acted_at: string; act_id: string };
  blocks: { blocker_id: string; blocking_id: string; created_at: string };
  reports: {
    report_id: string;
    reporter_user_id: string;
    subject_type: "event" | "event_comment" | "ofuse" | "radio_comment";
    subject_id: string;
    /** Null for a guest's letter. */
    subject_user_id: string | null;
    reason: "sexual" | "fan_fiction" | "slander" | "others";
    detail: Generated<string>;
    processing_status: Generated<ProcessingStatus>;
    decision: "removed" | "kept" | null;
    decision_note: string | null;
    decided_at: string | null;
    created_at: string;
  };
  removals: {
    removal_id: string;
    subject_type: "event" | "event_comment" | "ofuse" | "radio_comment";
    subject_id: string;
    /** Null for a guest's letter. */
    owner_user_id: string | null;
    former: string;
    note: string | null;
    removed_at: string;
    given_back_at: string | null;
    appeal: string | null;
    appealed_at: string | null;
    appeal_decision: "granted" | "refused" | null;
    appeal_note: string | null;
    answered_at: string | null;
  };
  reaction_settings: {
    user_id: string;
    free_ofuse_message: string | null;
    paid_ofuse_message: string | null;
    subscription_message: string | null;
    updated_at: string;
  };
  newsletters: {
    newsletter_id: string;
    user_id: string;
    title: string;
    body: string;
    fan_scope: "fans" | "memberships";
    membership_id: string | null;
    status: "draft" | "scheduled" | "published";
    publish_at: string | null;
    published_at: string | null;
    created_at: string;
    updated_at: string;
    document: Generated<string | null>;
    receivers_count: Generated<number>;
    sent_count: Generated<number>;
    bounced_count: Generated<number>;
    unsubscribed_count: Generated<number>;
    planned_at: Generated<string | null>;
    pictures: Generated<string>;
  };
  newsletter_stops: { user_id: string; creator_user_id: string; stopped_at: string };
  newsletter_refusals: { user_id: string; refused_at: string };
  radios: {
    radio_id: string;
    user_id: string;
    title: string;
    description: string;
    image_id: string | null;
    publish_target_type: "public" | "fans" | "memberships" | "url";
    recording_publish_target_type: "public" | "fans" | "memberships" | "url" | "none";
    publish_target_membership_id: string | null;
    url_key_hash: string | null;
    status: "scheduled" | "on_air" | "finished";
    starts_at: string | null;
    started_at: string | null;
    finished_at: string | null;
    last_signal_at: string | null;
    is_chat_on: number;
    recording_state: Generated<"none" | ProcessingStatus>;
    created_at: string;
    updated_at: string;
    duration_ms: Generated<number | null>;
    bytes: Generated<number | null>;
    packets: Generated<number | null>;
    transcript: Generated<string>;
    recording_media_id: Generated<string | null>;
  };
  /** `radio_counts` is written only by triggers. A radio without likes, comments and listeners has no row. */
  radio_counts: {
    radio_id: string;
    likes_count: Generated<number>;
    comments_count: Generated<number>;
    listens_count: Generated<number>;
  };
  radio_listens: { radio_id: string; visit_id: string; listened_at: string };
  radio_reminders: { radio_id: string; user_id: string; created_at: string };
  podcast_feeds: {
    feed_id: string;
    user_id: string;
    creator_user_id: string;
    secret_hash: string;
    created_at: string;
  };
  radio_comments: {
    comment_id: string;
    radio_id: string;
    user_id: string;
    message: string;
    created_at: string;
    hidden_at: string | null;
    likes_count: Generated<number>;
  };
  /** `liker` is a user_id, or `guest-` and a guest's id. */
  radio_recording_likes: { radio_id: string; liker: string; created_at: string };
  radio_comment_likes: { comment_id: string; liker: string; created_at: string };
  radio_chat_messages: {
    message_id: string;
    radio_id: string;
    /** Null for a letter whose sender the room does not name. */
    user_id: string | null;
    /** Null for the line of a letter. */
    message: string | null;
    ofuse_id: Generated<string | null>;
    pinned_at: string | null;
    created_at: string;
  };
  radio_captions: { caption_id: string; radio_id: string; user_id: string; words: string; created_at: string };
  /** A trigger writes `last_number` with each letter. */
  overlays: {
    user_id: string;
    token_hash: string | null;
    token_created_at: string | null;
    settings: Generated<string>;
    last_number: Generated<number>;
  };
  /** Of `ofuse_id` and `test` one is set. */
  overlay_letters: {
    user_id: string;
    number: number;
    ofuse_id: string | null;
    test: string | null;
    created_at: string;
  };
  overlay_heartbeats: { user_id: string; overlay_id: string; opened_at: string; seen_at: string };
  radio_chat_rooms: {
    radio_id: string;
    slow_mode_seconds: number;
    ng_words: string;
    folded_ng_words: string;
    updated_at: string;
  };
  radio_chat_reactions: { radio_id: string; emoji: string; times: number };
  radio_chat_restrictions: { owner_user_id: string; user_id: string; created_at: string };
  name_endings: { ending: string; user_id: string };
  letter_words: {
    owner_user_id: string;
    ofuse_id: string;
    other_user_id: string | null;
    name: string;
    words: string;
  };
  ofuses: {
    ofuse_id: string;
    /** Null for a guest. */
    sender_user_id: string | null;
    receiver_user_id: string;
    amount: number;
    message: string;
    is_public: number;
    opened_at: string | null;
    liked_at: string | null;
    reply_message: string | null;
    replied_at: string | null;
    created_at: string;
    is_anonymous: Generated<number>;
    guest_name: Generated<string | null>;
    removed_at: string | null;
    hidden_at: string | null;
    stamp_id: Generated<StampId | null>;
    letter_appearance_id: Generated<LetterAppearanceId | null>;
    donation_campaign_id: Generated<string | null>;
    donation: Generated<number>;
  };
  donation_campaigns: {
    donation_campaign_id: string;
    name: string;
    description: string;
    url: string;
    opens_at: string;
    closes_at: string;
  };
  notifications: {
    notification_id: string;
    user_id: string;
    type: string;
    actor_user_id: string | null;
    /** A sentence with gaps that notifications/queries.ts fills. */
    message: string;
    path: string;
    occasion: string;
    is_opened: number;
    created_at: string;
    event_id: string | null;
    /** The letter or comment that the notification is about. */
    subject_id: string | null;
    /** What joins unread notifications in one row, whose people are in `notification_actors`. */
    bundle: Generated<string | null>;
  };
  notification_actors: { occasion: string; notification_id: string; actor_user_id: string; acted_at: string };
  notification_settings: { user_id: string; topic: string; channel: "page" | "mail" | "push"; is_on: number };
  push_subscriptions: {
    push_subscription_id: string;
    user_id: string;
    endpoint: string;
    p256dh: string;
    auth: string;
    sign_in_id: string;
    auth_time: number;
    sign_out_key: string | null;
    created_at: string;
  };
  open_pages: { user_id: string };
  clock_runs: {
    step: string;
    ended_at: string;
    took_ms: number;
    is_failed: number;
    done_at: string | null;
    hour: string | null;
  };
  intents: {
    intent_id: string;
    secret_hash: string;
    intent: string;
    expires_at: string;
    redeemed_at: string | null;
    redeemed_by_user_id: string | null;
    address_hash: string | null;
  };
  /** The account of a creator's payouts. `sealed` has the number and the holder: banks/sealing.ts. */
  bank_accounts: {
    user_id: string;
    bank_code: string;
    bank_name: string;
    branch_code: string;
    branch_name: string;
    account_type: BankAccountType;
    sealed: string;
    key_id: string;
    updated_at: string;
  };
  /** Which account a person registered when. Rows are only added. */
  bank_account_changes: {
    change_id: string;
    user_id: string;
    bank_code: string;
    branch_code: string;
    account_type: BankAccountType;
    request_id: string;
    changed_at: string;
  };
  /** A creator's account at the payment gateway. */
  creator_accounts: {
    user_id: string;
    account_type: AccountType;
    account_id: Generated<string | null>;
    tos_accepted: Generated<number>;
    payouts_enabled: Generated<number>;
    identity_verification: Generated<IdentityVerification>;
    bank_given_at: Generated<string | null>;
    bank_refused: Generated<number>;
    automatic_since: Generated<string | null>;
    automatic_month: Generated<string>;
    check_at: string;
    created_at: string;
    invoice_number: string | null;
    read_at: Generated<string | null>;
  };
  payouts: {
    payout_id: string;
    user_id: string;
    amount: number;
    bank_fee: number;
    status: PayoutStatus;
    failure_reason: PayoutFailureReason | null;
    account_id: string;
    transfer_id: string | null;
    gateway_payout_id: string | null;
    reversal_id: string | null;
    refusals: number;
    bank_code: string;
    bank_name: string;
    branch_code: string;
    branch_name: string;
    account_number_last3: string;
    automatic_month: string | null;
    created_at: string;
    arrives_at: string | null;
    ended_at: string | null;
    held_at: string | null;
    check_at: string | null;
    claimed_until: string | null;
  };
  maintenance: { singleton: number; started_at: string | null; finished_at: string | null };
  outbox: {
    outbox_id: string;
    kind: string;
    payload: string;
    created_at: string;
    processed_at: string | null;
    attempts: number;
    last_error: string | null;
  };
  /** News of the site. */
  news: {
    news_id: string;
    title: string;
    category: "お知らせ" | "新しい機能" | "安全" | "メンテナンス";
    day: string;
    document: string;
    is_published: number;
    created_at: string;
    updated_at: string;
  };
  /** What operators have switched off; see storage/paused-features.ts. */
  paused_features: { feature: PausableFeature; reason: string; operator: string; paused_at: string };
  /** The limits that operators have changed; see storage/limits.ts. */
  changed_limits: { name: string; value: number; reason: string; operator: string; changed_at: string };
  /** The audit log of what operators did. Rows are only added, never changed: see the migration. */
  operator_acts: {
    act_id: string;
    operator: string;
    operation: string;
    subject: string | null;
    input: string;
    request_id: string;
    acted_at: string;
  };
  /** The ledger's rows are only added, by `postTransfer`; its kinds and rules are written only by migrations. */
  ledger_account_kinds: { kind: string; side: "debit" | "credit"; owner: string; may_be_negative: number };
  ledger_transfer_kinds: { kind: string; cause_type: string };
  ledger_rules: {
    transfer_kind: string;
    account_kind: string;
    direction: "debit" | "credit";
    covered_by: "family" | "taken" | "balance" | "outside" | null;
  };
  customers: { user_id: string; customer_id: string; created_at: string };
  abandoned_customers: { customer_id: string; ask_at: string };
  abandoned_accounts: { account_id: string; user_id: string; left_at: string; ask_at: string };
  payments: {
    payment_id: string;
    kind: "ofuse_v3" | "fan_letter_support" | "comment_support" | "membership";
    cause_id: string;
    payer_user_id: string | null;
    creator_user_id: string;
    campaign_id: string | null;
    amount: number;
    fee: number;
    donation: number;
    creator_share: number;
    payment_intent_id: string;
    charge_id: string;
    paid_at: string;
    available_at: string;
    released_at: string | null;
    withdrawn_at: string | null;
    seller_number: string | null;
    held_at: string | null;
  };
  spending_limits: {
    user_id: string;
    amount: number | null;
    next_amount: number | null;
    next_from: string | null;
    changed_at: string;
  };
  /** An attempt to pay for a letter or a comment. */
  checkouts: {
    checkout_id: string;
    kind: "ofuse" | "event_comment";
    idempotency_scope: string | null;
    idempotency_key: string | null;
    body_hash: string | null;
    payer_user_id: string | null;
    creator_user_id: string;
    event_id: string | null;
    amount: number;
    /** JSON; null once it was delivered. */
    words: string | null;
    gateway_session_id: Generated<string | null>;
    url: Generated<string | null>;
    voucher_url: Generated<string | null>;
    voucher_expires_at: Generated<string | null>;
    status: Generated<"open" | "processing" | "paid" | "expired" | "failed" | "returning" | "returned">;
    cause_id: Generated<string | null>;
    created_at: string;
    asked_at: string;
    paid_at: Generated<string | null>;
    expires_at: Generated<string | null>;
    /** A guest's address. */
    payer_email: Generated<string | null>;
    replaced_by: Generated<string | null>;
  };
  refunds: {
    refund_id: string;
    payment_id: string;
    from_account: "creator_pending" | "creator_payable";
    cause: "operator" | "dashboard";
    status: "pending" | "paid" | "failed";
    gateway_refund_id: string | null;
    check_at: string | null;
    created_at: string;
    ended_at: string | null;
  };
  disputes: {
    dispute_id: string;
    payment_id: string;
    from_account: "creator_pending" | "creator_payable" | null;
    status: "open" | "won" | "lost";
    reason: string;
    check_at: string | null;
    opened_at: string;
    ended_at: string | null;
  };
  ledger_accounts: {
    account_id: string;
    kind: string;
    owner_id: string | null;
    side: "debit" | "credit";
    may_be_negative: number;
    balance: Generated<number>;
  };
  ledger_transfers: {
    number: Generated<number>;
    transfer_id: string;
    kind: string;
    cause_type: string;
    cause_id: string;
    origin_transfer_id: string;
    created_at: string;
  };
  ledger_postings: {
    number: Generated<number>;
    transfer_id: string;
    kind: string;
    account_id: string;
    amount: number;
    balance_after: number;
  };
  idempotency_keys: {
    scope: string;
    idempotency_key: string;
    body_hash: string;
    status: number;
    answer: string;
    created_at: string;
  };
  /** `scope` is a user_id or `site`. Only triggers write the table. */
  page_versions: { scope: string; version: string };
  /** How many creators, posts and letters the site has. Only triggers write the table. */
  totals: { scope: "creators" | "events" | "ofuses"; total: number; shown: Generated<number> };
  /** A creator's figures by day and month. Only a trigger of `figure_changes` writes the table. */
  creator_figures: {
    user_id: string;
    measure: FigureMeasure;
    grain: "day" | "month";
    period: string;
    subject: string;
    count: number;
    amount: number;
  };
  /** What outbox rows have changed of the figures: each changes a measure once. */
  figure_changes: {
    outbox_id: string;
    measure: FigureMeasure;
    user_id: string;
    subject: string;
    day: string;
    count: number;
    amount: number;
    counted_at: string;
  };
  /** Only triggers write the following two tables. */
  supporters: { user_id: string; supporter_user_id: string; since: string };
  plan_changes: {
    change_id: number;
    user_id: string;
    membership_id: string;
    kind: "joined" | "left" | "moved";
    count: number;
    amount: number;
    happened_at: string;
  };
  /** The following tables are views. Those with a trigger are written: see the migrations. */
  preconditions: { code: string; holds: number };
  changed_pages: { user_id: string };
  changed_creators: { user_id: string };
  changed_figures: {
    user_id: string;
    measure: string;
    subject: string;
    happened_at: string;
    count: number;
    amount: number;
  };
  first_visits: { event_id: string; visit_id: string; visited_at: string; host: string };
  recounted_people: {
    user_id: string;
    measure: FigureMeasure;
    subject: string;
    happened_at: string;
    count: number;
    amount: number;
  };
  recounted_reads: {
    user_id: string;
    measure: FigureMeasure;
    subject: string;
    happened_at: string;
    count: number;
    amount: number;
  };
  earned_figures: {
    user_id: string;
    measure: FigureMeasure;
    subject: string;
    happened_at: string;
    count: number;
    amount: number;
  };
}

/** The measures of a creator's statistics. docs/decisions/0047 explains each. */
export type FigureMeasure =
  | "letters"
  | "followers"
  | "supporters"
  | "reads"
  | "post_reads"
  | "referrers"
  | "revenue"
  | "plan_joined"
  | "plan_left"
  | "plan_moved";

export type Database = Kysely<Tables>;

/**
 * Opens one D1 database with typed tables. The result executes reads and only compiles writes, which go through
 * `commit`.
 */
export function openDatabase(d1: D1Database, count?: ReadCount): Database {
  return new Kysely<Tables>({ dialect: new ReadDialect(d1, count) });
}

/** Passes any number of values as one parameter, for `where(column, "in", ...)`. D1 accepts at most 100 parameters. */
export function oneOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}
