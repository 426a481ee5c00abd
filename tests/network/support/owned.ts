/** For each operation on a member's own thing, creates one that belongs to another member. */
import * as z from "zod";
import { createEventComment } from "../../../workers/contract/comments.ts";
import { saveDraft } from "../../../workers/contract/drafts.ts";
import type { ErrorCode } from "../../../workers/contract/errors.ts";
import {
  createEvent,
  createEventCategory,
  listUserEventCategories,
  updateEvent,
} from "../../../workers/contract/events.ts";
import { createImport } from "../../../workers/contract/imports.ts";
import { listSubscriptions, listUserMemberships } from "../../../workers/contract/memberships.ts";
import { createNewsletter } from "../../../workers/contract/newsletters.ts";
import { listNotifications } from "../../../workers/contract/notifications.ts";
import { sendFreeOfuse, sendOfuse } from "../../../workers/contract/ofuses.ts";
import type { Operation } from "../../../workers/contract/operation.ts";
import { takeDown } from "../../../workers/contract/operator.ts";
import { listPayouts } from "../../../workers/contract/payouts.ts";
import { createRadio, createRadioComment, updateRadio } from "../../../workers/contract/radios.ts";
import { follow } from "../../../workers/contract/relationships.ts";
import { newId } from "../../../workers/kernel/ids.ts";
import { database, freshCreator, freshMember, type Member, signIn, tick } from "../../support/network.ts";
import { ask, type Call, succeeded, userId } from "./calls.ts";
import { addImage } from "./own-uploads.ts";
import { operatorToken } from "./tokens.ts";
import { upload } from "./uploads.ts";

/** Another member's thing: the call, its row, and the members who must not reach it. */
interface Foreign {
  call: Call;
  row: { table: string; key: Record<string, string> };
  strangers: string[];
  /** The error code for a stranger; by default, that the thing does not exist. */
  code?: ErrorCode;
}

/** Creates a fan and an artist who know each other, and a stranger. */
async function people() {
  const [fan, artist, stranger] = await Promise.all(["ファン", "作家", "よその人"].map(freshMember));
  return { fan, artist, stranger } as Record<"fan" | "artist" | "stranger", Member>;
}

async function letter() {
  const { fan, artist, stranger } = await people();
  const body = { receiver_user_id: artist.user.user_id, message: "ふたりの手紙" };
  const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body });
  const params = { ofuse_id: ofuse.ofuse_id };
  return { fan, artist, stranger, params, row: { table: "ofuses", key: params } };
}

/** Only its receiver may change a letter. For its sender it does not exist either. */
async function letterToChange(body: unknown): Promise<Foreign> {
  const { fan, stranger, params, row } = await letter();
  return { call: { params, body }, row, strangers: [stranger.token, fan.token] };
}

/** Creates a post and a category of an artist, and a stranger. */
async function post() {
  const { artist, stranger } = await people();
  const { token } = artist;
  const { event } = await ask(createEvent, { token, body: somePost });
  const { event_category } = await ask(createEventCategory, { token, body: { title: "日記" } });
  const key = { event_id: event.event_id };
  const category = { event_category_id: event_category.event_category_id };
  return { strangers: [stranger.token], key, row: { table: "events", key }, category };
}

const somePost = {
  kind: "blog" as const,
  title: "題",
  document: [{ type: "paragraph" as const, content: [{ type: "text" as const, text: "本文" }] }],
  status: "published" as const,
  publish_target_type: "public" as const,
};

async function category(call: Call): Promise<Foreign> {
  const { strangers, category: key } = await post();
  return { call: { ...call, params: key }, row: { table: "event_categories", key }, strangers };
}

async function plan(call: Call): Promise<Foreign> {
  const { stranger } = await people();
  const user_id = await userId("natsume");
  const { memberships } = await ask(listUserMemberships, { params: { user_id } });
  const key = { membership_id: memberships[0]?.membership_id ?? "" };
  return { call: { ...call, params: key }, row: { table: "memberships", key }, strangers: [stranger.token] };
}

async function draft(call: Call): Promise<Foreign> {
  const { artist, stranger } = await people();
  const params = { draft_id: newId(Date.now()) };
  const body = { kind: "blog" as const, fields: { title: "書きかけ" }, revision: 0 };
  await ask(saveDraft, { token: artist.token, params, body });
  return { call: { ...call, params }, row: { table: "event_drafts", key: params }, strangers: [stranger.token] };
}

/** Creates a draft of a creator's newsletter. */
async function newsletter(call: Call): Promise<Foreign> {
  const [creator, stranger] = await Promise.all([freshCreator("作家"), freshMember("よその人")]);
  const { news_letter } = await ask(createNewsletter, { token: creator.token, body: { title: "便り" } });
  const row = { table: "newsletters", key: { newsletter_id: news_letter.id } };
  return { call: { ...call, params: { id: news_letter.id } }, row, strangers: [stranger.token] };
}

const someRadio = { title: "夜ふかし", publish_target_type: "public" as const };

/** Creates a radio that is announced to followers alone. */
async function radio(call: Call): Promise<Foreign> {
  const { artist, stranger } = await people();
  const body = { ...someRadio, publish_target_type: "fans" as const };
  const { radio_id } = (await ask(createRadio, { token: artist.token, body })).radio;
  const row = { table: "radios", key: { radio_id } };
  return { call: { ...call, params: { radio_id } }, row, strangers: [stranger.token] };
}

/** Creates a fan's comment on an artist's radio, which is closed to the stranger afterwards. */
async function radioComment(call: Call): Promise<Foreign> {
  const { fan, artist, stranger } = await people();
  const { radio_id } = (await ask(createRadio, { token: artist.token, body: someRadio })).radio;
  const said = { token: fan.token, params: { radio_id }, body: { message: "ふたりの話" } };
  const { comment_id } = (await ask(createRadioComment, said)).comment;
  const closed = { ...someRadio, publish_target_type: "fans" as const };
  await ask(updateRadio, { token: artist.token, params: { radio_id }, body: closed });
  const row = { table: "radio_comments", key: { comment_id } };
  return { call: { ...call, params: { radio_id, comment_id } }, row, strangers: [stranger.token] };
}

/** Creates a fan's message in the chat of an artist's radio, which is closed to the stranger afterwards. */
async function chatMessage(): Promise<Foreign> {
  const { fan, artist, stranger } = await people();
  const body = { ...someRadio, publish_target_type: "fans" as const };
  const { radio_id } = (await ask(createRadio, { token: artist.token, body })).radio;
  const message_id = newId(Date.now());
  const statement = (await database()).prepare(
    "INSERT INTO radio_chat_messages (message_id, radio_id, user_id, message, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  await statement.bind(message_id, radio_id, fan.user.user_id, "ふたりの話", new Date().toISOString()).run();
  const row = { table: "radio_chat_messages", key: { message_id } };
  return { call: { params: { radio_id, message_id } }, row, strangers: [stranger.token] };
}

/** Creates a fan's comment under an artist's post, which is closed to the fan afterwards. */
async function comment(call: Call): Promise<Foreign> {
  const { fan, artist, stranger } = await people();
  const { event } = await ask(createEvent, { token: artist.token, body: somePost });
  const { event_id } = event;
  const body = { message: "ふたりの話" };
  const { comment } = await ask(createEventComment, { token: fan.token, params: { event_id }, body });
  const closed = { ...somePost, publish_target_type: "fans" as const };
  await ask(updateEvent, { token: artist.token, params: { event_id }, body: closed });
  const params = { event_id, comment_id: comment.comment_id };
  const row = { table: "event_comments", key: { comment_id: comment.comment_id } };
  return { call: { ...call, params }, row, strangers: [stranger.token] };
}

/** Creates a private post. */
async function hiddenPost(call: Call): Promise<Foreign> {
  const { artist, stranger } = await people();
  const { event } = await ask(createEvent, { token: artist.token, body: { ...somePost, status: "private" } });
  const params = { event_id: event.event_id };
  return { call: { ...call, params }, row: { table: "events", key: params }, strangers: [stranger.token] };
}

/** Finds a subscription of a demo fan. */
async function subscriptionOfHana(call: Call): Promise<Foreign> {
  const { artist, stranger } = await people();
  const { subscriptions } = await ask(listSubscriptions, { token: await signIn("fan_hana") });
  const key = { subscription_id: subscriptions[0]?.subscription_id ?? "" };
  const strangers = [artist.token, stranger.token, await signIn("natsume")];
  return { call: { ...call, params: key }, row: { table: "subscriptions", key }, strangers };
}

/** Adds an attempt of somebody to join a plan. */
async function addJoining(user_id: string): Promise<{ joining_id: string }> {
  const { memberships } = await ask(listUserMemberships, { params: { user_id: await userId("natsume") } });
  const joining_id = newId(Date.now());
  const statement = (await database()).prepare(
    `INSERT INTO joinings (joining_id, user_id, membership_id, scope, idempotency_key, body_hash, status, created_at)
     VALUES (?1, ?2, ?3, ?1, ?1, '', 'joined', ?4)`,
  );
  await statement.bind(joining_id, user_id, memberships[0]?.membership_id, new Date().toISOString()).run();
  return { joining_id };
}

async function importOf(call: Call): Promise<Foreign> {
  const [owner, stranger] = await Promise.all(["取り込む人", "よその人"].map((name) => freshMember(name)));
  const sent = await upload("/v4/imports", owner?.token ?? "", {
    bytes: Buffer.from("プラン\n500円\n"),
    name: "a.csv",
  });
  const { import_id } = succeeded(createImport, sent).import;
  const row = { table: "imports", key: { import_id } };
  return { call: { params: { import_id }, ...call }, row, strangers: [stranger?.token ?? ""] };
}

const complaint = { reason: "slander" };

/** A letter that an operator took down, and its receiver, who does not own it. */
async function removal(call: Pick<Call, "body">): Promise<Foreign> {
  const { artist, stranger, params } = await letter();
  const body = { subject_type: "ofuse" as const, subject_id: params.ofuse_id };
  const taken = await ask(takeDown, { token: await operatorToken(), body });
  const key = { removal_id: taken.removal.removal_id };
  return { call: { params: key, ...call }, row: { table: "removals", key }, strangers: [stranger.token, artist.token] };
}

/** By operation; a word if the operation names a person, or an entry of a list such as that of banks, which belong to nobody. */
export const foreign: Record<string, "people" | "lists" | (() => Promise<Foreign>)> = {
  listBranches: "lists",
  sendTestOfuse: "lists",
  follow: "people",
  createBlock: "people",
  deleteBlock: "people",
  createEventComment: () => hiddenPost({ body: { message: "よそからの言葉" } }),
  createPaidEventComment: () => hiddenPost({ body: { message: "よそからの言葉", amount: 100 } }),
  deleteEventComment: () => comment({}),
  reportEvent: () => hiddenPost({ body: complaint }),
  reportEventComment: () => comment({ body: complaint }),
  createRadio: async () => {
    const { membership_id } = (await plan({})).row.key;
    const body = { ...someRadio, publish_target_type: "memberships", publish_target_membership_id: membership_id };
    const row = { table: "memberships", key: { membership_id: membership_id ?? "" } };
    return { call: { body }, row, strangers: [await signIn("hibiki")], code: "membership_not_found" };
  },
  updateRadio: () => radio({ body: { ...someRadio, title: "ひとの放送" } }),
  deleteRadio: () => radio({}),
  startRadio: () => radio({}),
  finishRadio: () => radio({}),
  openRadioSound: () => radio({}),
  putRadioRecording: () => radio({ body: { media_id: newId(Date.now()) } }),
  deleteRadioRecording: () => radio({}),
  remindOfRadio: () => radio({ body: { is_reminded: true } }),
  getRadioBroadcast: () => radio({}),
  createRadioComment: () => radio({ body: { message: "よそからの言葉" } }),
  deleteRadioComment: () => radioComment({}),
  reportRadioComment: () => radioComment({ body: complaint }),
  createChatMessage: () => radio({ body: { message: "よそからの言葉" } }),
  updateChatRoom: () => radio({ body: { slow_mode_seconds: 10 } }),
  reactInChat: () => radio({ body: { emoji: "👏" } }),
  deleteChatMessage: chatMessage,
  pinChatMessage: chatMessage,
  unpinChatMessage: chatMessage,
  createRadioCaption: () => radio({ body: { words: "よそからの言葉" } }),
  deleteRadioCaption: async () => {
    const { call, ...of_radio } = await radio({});
    return { ...of_radio, call: { params: { ...call.params, caption_id: newId(Date.now()) } } };
  },
  createPodcastFeed: "people",
  deletePodcastFeed: "people",
  restrictRadioChat: "people",
  unrestrictRadioChat: "people",
  reportOfuse: async () => {
    const { stranger, params, row } = await letter();
    return { call: { params, body: complaint }, row, strangers: [stranger.token] };
  },
  sendFreeOfuse: "people",
  cancelPayment: async () => {
    const [creator, fan, stranger] = await Promise.all([
      freshCreator("作家"),
      freshMember("払いかけの人"),
      freshMember("よその人"),
    ]);
    const body = { receiver_user_id: creator.user.user_id, amount: 100, message: "払う前の手紙" };
    const { session_id } = (await ask(sendOfuse, { token: fan.token, body })).checkout_session;
    const row = { table: "checkouts", key: { checkout_id: session_id } };
    return { call: { params: { session_id } }, row, strangers: [creator.token, stranger.token] };
  },
  movePushSubscription: async () => {
    const { fan, stranger } = await people();
    // This network has no keys for push notifications.
    const [push_subscription_id, sign_in_id] = [`push-of-${fan.user.user_id}`, `sign-in-of-${fan.user.user_id}`];
    const row = { table: "push_subscriptions", key: { push_subscription_id } };
    await (await database())
      .prepare("INSERT INTO push_subscriptions VALUES (?, ?, ?, '', '', ?, 0, NULL, '')")
      .bind(push_subscription_id, fan.user.user_id, push_subscription_id, sign_in_id)
      .run();
    return { call: { body: { former_sign_in_id: sign_in_id } }, row, strangers: [stranger.token] };
  },
  cancelPayout: async () => {
    const { stranger } = await people();
    const { payouts } = await ask(listPayouts, { token: await signIn("natsume") });
    const params = { payout_id: payouts[0]?.payout_id ?? "" };
    const strangers = [stranger.token, await signIn("hibiki")];
    return { call: { params }, row: { table: "payouts", key: params }, strangers };
  },
  claimOfuse: async () => {
    const [creator, stranger] = await Promise.all([freshCreator("作家"), freshMember("よその人")]);
    const body = { receiver_user_id: creator.user.user_id, amount: 100, message: "ゲストの手紙" };
    const params = { session_id: (await ask(sendOfuse, { body })).checkout_session.session_id };
    const row = { table: "checkouts", key: { checkout_id: params.session_id } };
    return { call: { params, body: { claim_key: "not the key" } }, row, strangers: [stranger.token] };
  },
  getRemoval: () => removal({}),
  appealRemoval: () => removal({ body: { message: "ひとの異議" } }),
  getOfuse: async () => {
    const { stranger, params, row } = await letter();
    return { call: { params }, row, strangers: [stranger.token] };
  },
  updateOfuse: () => letterToChange({ reply: "ひとの手紙への返事" }),
  likeOfuse: () => letterToChange({ is_liked: true }),
  updateRelationship: async () => {
    const { fan, artist, stranger } = await people();
    const following_id = artist.user.user_id;
    await ask(follow, { token: fan.token, body: { following_id } });
    const key = { follower_id: fan.user.user_id, following_id };
    const body = { following_id, receives_notifications: false };
    return { call: { body }, row: { table: "relationships", key }, strangers: [stranger.token, artist.token] };
  },
  updateProfile: async () => {
    const { artist, stranger } = await people();
    const image_id = await addImage(artist.user.user_id, { access: "public" });
    const row = { table: "images", key: { image_id } };
    return { call: { body: { icon_image_id: image_id } }, row, strangers: [stranger.token], code: "image_not_usable" };
  },
  openNotification: async () => {
    const { fan, artist, stranger } = await people();
    await ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
    await tick();
    const { notifications } = await ask(listNotifications, { token: artist.token });
    const params = { notification_id: notifications[0]?.notification_id ?? "" };
    return { call: { params }, row: { table: "notifications", key: params }, strangers: [stranger.token, fan.token] };
  },
  getEventCategory: async () => {
    const { stranger } = await people();
    const params = { user_id: await userId("natsume") };
    const { event_categories } = await ask(listUserEventCategories, { params });
    const key = { event_category_id: event_categories[0]?.event_category_id ?? "" };
    return { call: { params: key }, row: { table: "event_categories", key }, strangers: [stranger.token] };
  },
  updateEventCategory: () => category({ body: { title: "ひとのもの" } }),
  deleteEventCategory: () => category({}),
  createEvent: async () => {
    const { strangers, category: key } = await post();
    const body = { ...somePost, ...key };
    return { call: { body }, row: { table: "event_categories", key }, strangers, code: "category_not_found" };
  },
  updateEvent: async () => {
    const { strangers, key, row } = await post();
    return { call: { params: key, body: { ...somePost, title: "ひとの題" } }, row, strangers };
  },
  updateEvents: async () => {
    const { strangers, key, row } = await post();
    return { call: { body: { change: "delete", event_ids: [key.event_id] } }, row, strangers };
  },
  deleteEvent: async () => {
    const { strangers, key, row } = await post();
    return { call: { params: key }, row, strangers };
  },
  /** A demo fan has joined the plan. */
  getSubscription: async () => subscriptionOfHana({}),
  createSubscription: "people",
  previewSubscription: "people",
  updatePaymentMethod: "people",
  getJoining: async () => {
    const { artist, stranger } = await people();
    const params = await addJoining(await userId("fan_hana"));
    const row = { table: "joinings", key: params };
    return { call: { params }, row, strangers: [artist.token, stranger.token, await signIn("natsume")] };
  },
  updateSubscription: async () => subscriptionOfHana({ body: { is_ending: true } }),
  getSubscriptionInvoice: async () => subscriptionOfHana({}),
  updateMembership: () => plan({ body: { title: "ひとのプラン" } }),
  deleteMembership: () => plan({}),
  listMembershipSubscriptions: () => plan({}),
  getNewsletter: () => newsletter({}),
  createNewsletter: async () => {
    const { membership_id } = (await plan({})).row.key;
    const body = { title: "便り", fan_scope: "memberships", membership_id };
    const row = { table: "memberships", key: { membership_id: membership_id ?? "" } };
    return { call: { body }, row, strangers: [await signIn("hibiki")], code: "membership_not_found" };
  },
  updateNewsletter: () => newsletter({ body: { title: "ひとの便り" } }),
  deleteNewsletter: () => newsletter({}),
  previewNewsletter: () => newsletter({}),
  testNewsletter: () => newsletter({}),
  getImport: () => importOf({}),
  startImport: () => importOf({ body: {} }),
  deleteImport: () => importOf({}),
  getEventDraft: () => draft({}),
  saveEventDraft: () => draft({ body: { kind: "blog", fields: { title: "ひとの下書き" }, revision: 1 } }),
  deleteEventDraft: () => draft({}),
};

/** Returns true when the operation names a thing, in its path or by an id in its body. */
export function namesSomething({ params, body }: Operation): boolean {
  return params !== undefined || (body !== undefined && fieldsOf(body).some((name) => name.endsWith("_id")));
}

function fieldsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsOf(option as z.ZodType));
  throw new Error(`the fields of a body of ${schema.def.type} are not known yet`);
}
