import type { Insertable } from "kysely";
import { parseMarkup } from "../../app/post/markup.ts";
import { leadOf, textsOf } from "../../workers/api/events/rules.ts";
import type { Tables } from "../../workers/api/storage/database.ts";
import { imageKey, mediaKey } from "../../workers/api/uploads/rules.ts";
import type { Document } from "../../workers/contract/document.ts";
import { freePart } from "../../workers/contract/document-text.ts";
import { hashPassword } from "../../workers/identity/provider/passwords.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import { type Comment, comments } from "./comments.ts";
import { follows } from "./follows.ts";
import {
  DAY_MS,
  demoId,
  eventId,
  FOUNDED_DAYS_AGO,
  foundedId,
  identityId,
  isoBefore,
  letterId,
  newsletterId,
  radioId,
  writtenDaysAgo,
} from "./ids.ts";
import { letters } from "./letters/index.ts";
import type { Letter } from "./letters/letter.ts";
import { answersOf } from "./likes.ts";
import { newsOf } from "./news.ts";
import { type Newsletter, newsletters, receiversOf } from "./newsletters.ts";
import { type Person, people } from "./people.ts";
import { drawCover, drawFace, drawScene } from "./pictures/index.ts";
import { categories, type Post, plans, posts } from "./posts.ts";
import { type DemoRadio, radios } from "./radios.ts";
import { NIGHT_MELODY_MS, nightMelody, pluckedChord } from "./sound.ts";

/** The password of everybody in the demo world. */
export const DEMO_PASSWORD = "demo-ofuse-2026";

/**
 * Where a demo world is stored: the databases of the services and of the payment gateway, the search index and the bucket
 * of pictures.
 */
export interface Storage {
  api: D1Database;
  identity: D1Database;
  search: D1Database;
  mails: D1Database;
  gateway: D1Database;
  media: R2Bucket;
}

/** Rows by table. The tables are in an order that foreign keys accept. */
type Rows = Map<string, object[]>;

/** A whole demo world, not yet stored. */
export interface DemoWorld {
  product: Rows;
  identity: Rows;
  pictures: { image_id: string; bytes: Uint8Array }[];
  sounds: { media_id: string; bytes: Uint8Array }[];
}

interface Build {
  now_ms: number;
  product: Rows;
  pictures: DemoWorld["pictures"];
  sounds: DemoWorld["sounds"];
}

/** A person with an account who has not finished registering: the site asks for her name first. */
const UNREGISTERED = "fan_new";

/**
 * Makes the demo world: the same people, posts and letters every time, with dates relative to `now_ms` and pictures
 * drawn here. It computes for a second or two, so make it before you open the storage.
 */
export async function makeDemoWorld(now_ms: number): Promise<DemoWorld> {
  const build: Build = { now_ms, product: new Map(), pictures: [], sounds: [] };
  for (const person of people) addPerson(build, person);
  for (const plan of plans) {
    const of_author = plans.filter(({ author }) => author === plan.author);
    addPlan(build, plan, of_author.indexOf(plan));
  }
  for (const [position, category] of categories.entries()) addCategory(build, category, position);
  for (const post of posts) addPost(build, post);
  for (const post of posts) addLikesAndVisits(build, post);
  for (const [fan, creator, days_ago] of follows) addFollow(build, fan, creator, days_ago);
  for (const [index, letter] of letters.entries()) addLetter(build, letter, index);
  addCampaign(build);
  for (const comment of comments) addComment(build, comment);
  for (const newsletter of newsletters) addNewsletter(build, newsletter);
  for (const radio of radios) addRadio(build, radio);
  for (const news of newsOf(now_ms)) addNotification(build, news);
  return {
    product: build.product,
    identity: new Map([["accounts", await accountsOf(now_ms)]]),
    pictures: build.pictures,
    sounds: build.sounds,
  };
}

/** Writes the world into empty storage. Pictures and sound go where uploads go. */
export async function storeDemoWorld(world: DemoWorld, storage: Storage): Promise<void> {
  await insertAll(storage.api, world.product);
  await insertAll(storage.identity, world.identity);
  await Promise.all([
    ...world.pictures.map(({ image_id, bytes }) => storage.media.put(imageKey(image_id), bytes)),
    ...world.sounds.map(({ media_id, bytes }) => storage.media.put(mediaKey(media_id), bytes)),
  ]);
}

/**
 * Sends one statement per table. Miniflare crosses to workerd for each statement, and hundreds of them took longer than
 * the drawing.
 */
export async function insertAll(d1: D1Database, tables: Rows): Promise<void> {
  const statements = [...tables].map(([table, rows]) => {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map((column) => `value ->> '${column}'`);
    return d1
      .prepare(`INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?)`)
      .bind(JSON.stringify(rows));
  });
  await d1.batch(statements);
}

function addRow<Table extends keyof Tables>({ product }: Build, table: Table, row: Insertable<Tables[Table]>): void {
  const rows = product.get(table) ?? [];
  rows.push(row);
  product.set(table, rows);
}

/** Returns the e-mail address of a person in the demo world. */
export function demoEmail(link_id: string): string {
  return `${link_id}@demo.example`;
}

async function accountsOf(now_ms: number): Promise<object[]> {
  const password_hash = await hashPassword(DEMO_PASSWORD);
  const accounts = [...people.map(({ link_id, name }) => ({ link_id, name })), { link_id: UNREGISTERED, name: null }];
  return accounts.map(({ link_id, name }) =>
    accountRow({
      local_id: identityId(link_id),
      email: demoEmail(link_id),
      email_verified: true,
      display_name: name,
      password_hash,
      created_at: isoBefore(now_ms, FOUNDED_DAYS_AGO),
    }),
  );
}

function addPerson(build: Build, person: Person): void {
  const { now_ms } = build;
  const user_id = userId(build, person.key);
  // Icon and cover have no alt text, because the name beside them says it.
  const shown = { owner_user_id: user_id, access: "public", alt: "" } as const;
  const icon = addPicture(build, {
    ...shown,
    key: `icon ${person.key}`,
    draw: (width) => drawFace(person.face, width),
    width: 192,
    height: 192,
  });
  const palette = posts.find((post) => post.author === person.key && post.picture)?.picture?.palette;
  const cover =
    palette &&
    addPicture(build, {
      ...shown,
      key: `cover ${person.key}`,
      draw: (width, height) => drawCover(palette, width, height),
      width: 1536,
      height: 512,
    });
  addRow(build, "users", {
    user_id,
    identity_id: identityId(person.link_id),
    link_id: person.link_id,
    name: person.name,
    default_name: person.name,
    email: demoEmail(person.link_id),
    is_creator: person.is_creator ? 1 : 0,
    bio: person.bio,
    icon_image_id: icon,
    cover_image_id: cover ?? null,
    created_at: isoBefore(now_ms, FOUNDED_DAYS_AGO),
  });
  for (const [position, link] of person.links.entries()) {
    addRow(build, "external_links", { user_id, position, ...link });
  }
  for (const genre_id of person.genres) {
    addRow(build, "user_genres", { user_id, genre_id });
  }
}

function addPlan(
  build: Build,
  { key, author, title, description, amount, active_state, members_limit, picture }: (typeof plans)[number],
  position: number,
): void {
  const image_id =
    picture &&
    addPicture(build, {
      key: `plan ${key}`,
      owner_user_id: userId(build, author),
      access: "public",
      draw: (width, height) => drawScene(picture.scene, picture.palette, width, height),
      width: 1280,
      height: 720,
      alt: picture.alt,
    });
  const created_at = isoBefore(build.now_ms, FOUNDED_DAYS_AGO);
  addRow(build, "memberships", {
    membership_id: planId(build, key),
    user_id: userId(build, author),
    title,
    description,
    amount,
    active_state,
    members_limit: members_limit ?? null,
    image_id: image_id ?? null,
    created_at,
    published_at: created_at,
    position,
  });
}

function addCategory(build: Build, { key, author, title }: (typeof categories)[number], position: number): void {
  addRow(build, "event_categories", {
    event_category_id: foundedId("category", key, build.now_ms),
    user_id: userId(build, author),
    title,
    position,
    created_at: isoBefore(build.now_ms, FOUNDED_DAYS_AGO),
  });
}

function addPost(build: Build, post: Post): void {
  const { now_ms } = build;
  const user_id = userId(build, post.author);
  const event_id = eventId(post, now_ms);
  const pictures = [...(post.picture ? [post.picture] : []), ...(post.more ?? [])];
  const image_ids = pictures.map(({ scene, palette, alt }, index) =>
    addPicture(build, {
      key: `event ${post.key}${index === 0 ? "" : ` ${index + 1}`}`,
      owner_user_id: user_id,
      access: "event",
      draw: (width, height) => drawScene(scene, palette, width, height),
      width: 1280,
      height: 720,
      alt,
    }),
  );
  const media_ids = post.has_sound ? [addSound(build, post.key, user_id, pluckedChord())] : [];
  // Posts of the kind `text` are older than documents.
  const document = post.kind === "text" ? null : documentOf(post.body, image_ids, media_ids);
  const texts = document ? textsOf(document) : { body: post.body, lead: leadOf(post.body), lead_is_free: 0 };
  const category = categories.find(({ author, title }) => author === post.author && title === post.category);
  addRow(build, "events", {
    event_id,
    user_id,
    event_category_id: category ? foundedId("category", category.key, now_ms) : null,
    kind: post.kind,
    title: post.title,
    ...texts,
    document: document && JSON.stringify(document),
    image_id: image_ids[0] ?? null,
    video_url: post.video_url ?? null,
    status: post.status,
    publish_target_type: post.visibility,
    publish_target_membership_id: post.plan ? planId(build, post.plan) : null,
    publish_at: post.status === "publish_pending" ? isoBefore(now_ms, post.days_ago) : null,
    published_at: post.status === "published" ? isoBefore(now_ms, post.days_ago) : null,
    created_at: isoBefore(now_ms, writtenDaysAgo(post)),
  });
  const free = JSON.stringify(document ? freePart(document) : null);
  for (const [position, image_id] of image_ids.entries()) {
    addRow(build, "event_images", { image_id, event_id, position, is_free: free.includes(image_id) ? 1 : 0 });
  }
  for (const [position, media_id] of media_ids.entries()) {
    addRow(build, "event_media", { media_id, event_id, position, is_free: free.includes(media_id) ? 1 : 0 });
  }
}

function documentOf(body: string, image_ids: readonly string[], media_ids: readonly string[]): Document {
  const named = body
    .replace(/^\[画像:(\d+)\]$/gm, (_, number) => `[画像:${image_ids[Number(number) - 1]}]`)
    .replace(/^\[音声:(\d+)\]$/gm, (_, number) => `[音声:${media_ids[Number(number) - 1]}]`);
  return parseMarkup(named, { image_ids, media_ids });
}

function addFollow(build: Build, fan: string, creator: string, days_ago: number): void {
  addRow(build, "relationships", {
    follower_id: userId(build, fan),
    following_id: userId(build, creator),
    receives_notifications: 1,
    created_at: isoBefore(build.now_ms, days_ago),
  });
}

function addLetter(build: Build, letter: Letter, index: number): void {
  const { now_ms } = build;
  const replied_at = letter.reply === null ? null : isoBefore(now_ms, letter.reply_days_ago ?? letter.days_ago / 2);
  const is_read = letter.liked || replied_at !== null;
  addRow(build, "ofuses", {
    ofuse_id: letterId(letter, index, now_ms),
    sender_user_id: userId(build, letter.from),
    receiver_user_id: userId(build, letter.to),
    amount: letter.amount,
    message: letter.message,
    stamp_id: letter.stamp ?? null,
    letter_appearance_id: letter.paper ?? null,
    is_public: letter.is_public ? 1 : 0,
    opened_at: is_read ? (replied_at ?? isoBefore(now_ms, letter.days_ago / 2)) : null,
    liked_at: letter.liked ? isoBefore(now_ms, letter.days_ago / 2) : null,
    reply_message: letter.reply,
    replied_at,
    created_at: isoBefore(now_ms, letter.days_ago),
  });
}

/** The campaign to which letters give a share. */
export const CAMPAIGN = "noto_library";

function addCampaign(build: Build): void {
  addRow(build, "donation_campaigns", {
    donation_campaign_id: CAMPAIGN,
    name: "能登に移動図書館を（デモ）",
    description: "地震で図書室をなくした町に、本を積んだ車を走らせる活動を支えます。",
    url: "https://noto-library.example/",
    opens_at: isoBefore(build.now_ms, 20),
    closes_at: isoBefore(build.now_ms, -40),
  });
}

function addNewsletter(build: Build, newsletter: Newsletter): void {
  const { now_ms } = build;
  const { author, title, body, plan, written_days_ago, sent_days_ago } = newsletter;
  const receivers = receiversOf(newsletter).length;
  const written_at = isoBefore(now_ms, written_days_ago);
  const publish_at = sent_days_ago === null ? null : isoBefore(now_ms, sent_days_ago);
  const is_sent = sent_days_ago !== null && sent_days_ago > 0;
  const waiting = sent_days_ago === null ? "draft" : "scheduled";
  addRow(build, "newsletters", {
    newsletter_id: newsletterId(newsletter, now_ms),
    user_id: userId(build, author),
    title,
    body,
    fan_scope: plan ? "memberships" : "fans",
    membership_id: plan && planId(build, plan),
    status: is_sent ? "published" : waiting,
    publish_at,
    published_at: is_sent ? publish_at : null,
    created_at: written_at,
    updated_at: written_at,
    receivers_count: receivers,
    sent_count: receivers,
  });
}

function addRadio(build: Build, radio: DemoRadio): void {
  const { now_ms } = build;
  const { key, author, title, description, audience, written_days_ago, starts_in_days, recording } = radio;
  const user_id = userId(build, author);
  const written_at = isoBefore(now_ms, written_days_ago);
  const started_ms = now_ms + starts_in_days * DAY_MS;
  const starts_at = new Date(started_ms).toISOString();
  const finished_at = recording ? new Date(started_ms + NIGHT_MELODY_MS).toISOString() : null;
  const sound = recording ? nightMelody() : null;
  addRow(build, "radios", {
    radio_id: radioId(radio, now_ms),
    user_id,
    title,
    description,
    publish_target_type: audience,
    recording_publish_target_type: audience,
    status: recording ? "finished" : "scheduled",
    starts_at,
    started_at: recording ? starts_at : null,
    last_signal_at: finished_at,
    finished_at,
    is_chat_on: 1,
    created_at: written_at,
    updated_at: finished_at ?? written_at,
    recording_state: recording ? "completed" : "none",
    recording_media_id: sound && addSound(build, key, user_id, sound),
    bytes: sound?.byteLength ?? null,
    duration_ms: sound && NIGHT_MELODY_MS,
    transcript: recording?.transcript ?? "",
  });
  if (recording) addWordsOfListeners(build, radio, { ...recording, started_ms });
}

/** Adds the chat and the comments of a radio that is over. */
function addWordsOfListeners(
  build: Build,
  radio: DemoRadio,
  { chat, comments, started_ms }: NonNullable<DemoRadio["recording"]> & { started_ms: number },
): void {
  const radio_id = radioId(radio, build.now_ms);
  for (const { from, message, at_s, is_pinned } of chat) {
    const said_ms = started_ms + at_s * 1000;
    const created_at = new Date(said_ms).toISOString();
    addRow(build, "radio_chat_messages", {
      message_id: demoId("radio_chat", `${radio.key} ${at_s}`, said_ms),
      radio_id,
      user_id: userId(build, from),
      message,
      pinned_at: is_pinned ? created_at : null,
      created_at,
    });
  }
  for (const { from, message, days_ago } of comments) {
    addRow(build, "radio_comments", {
      comment_id: demoId("radio_comment", `${radio.key} ${message}`, build.now_ms - days_ago * DAY_MS),
      radio_id,
      user_id: userId(build, from),
      message,
      created_at: isoBefore(build.now_ms, days_ago),
      hidden_at: null,
    });
  }
}

function addNotification(build: Build, news: ReturnType<typeof newsOf>[number]): void {
  const { to, actor, type, message, path, occasion, is_opened, days_ago, acts = [] } = news;
  const { event_id = null, subject_id = null, bundle } = news;
  const notification_id = demoId("notification", occasion, build.now_ms - days_ago * DAY_MS);
  addRow(build, "notifications", {
    notification_id,
    user_id: userId(build, to),
    type,
    actor_user_id: actor && !bundle ? userId(build, actor) : null,
    message,
    path,
    occasion,
    is_opened: is_opened ? 1 : 0,
    created_at: isoBefore(build.now_ms, days_ago),
    event_id,
    subject_id,
    bundle: bundle?.key ?? null,
  });
  for (const act of acts) {
    addRow(build, "notification_actors", {
      occasion: act.occasion,
      notification_id,
      actor_user_id: userId(build, act.actor),
      acted_at: isoBefore(build.now_ms, act.days_ago),
    });
  }
}

function addComment(build: Build, { post, replies = [], ...comment }: Comment): void {
  const commented = posts.find(({ key }) => key === post);
  if (!commented) throw new Error(`there is no post ${post} to comment on`);
  const event_id = eventId(commented, build.now_ms);
  const addReply = ({ from, message, days_ago }: typeof comment, parent_comment_id: string | null): string => {
    const comment_id = demoId("comment", `${from} ${post} ${message}`, build.now_ms - days_ago * DAY_MS);
    addRow(build, "event_comments", {
      comment_id,
      event_id,
      user_id: userId(build, from),
      message,
      amount: 0,
      parent_comment_id,
      created_at: isoBefore(build.now_ms, days_ago),
    });
    return comment_id;
  };
  const comment_id = addReply(comment, null);
  for (const reply of replies) addReply(reply, comment_id);
}

/** Adds the likes and visits of a post. */
function addLikesAndVisits(build: Build, post: Post): void {
  if (post.status !== "published") return;
  const event_id = eventId(post, build.now_ms);
  const { visits_count, visits, likes } = answersOf(post);
  // Each row of a visit counts itself.
  addRow(build, "event_counts", { event_id, visits_count: visits_count - visits.length });
  for (const [index, { days_ago, host }] of visits.entries()) {
    const visited_at = isoBefore(build.now_ms, days_ago);
    addRow(build, "first_visits", { event_id, visit_id: `demo-${index}`, visited_at, host });
  }
  for (const { fan, days_ago } of likes) {
    const created_at = isoBefore(build.now_ms, days_ago);
    addRow(build, "event_likes", { event_id, liker: userId(build, fan), created_at });
  }
}

/** Keeps each picture by key and size, so that a process that makes several worlds (as tests do) draws it once. */
const drawn = new Map<string, Uint8Array>();

function drawOnce({ key, draw }: Picture, width: number, height: number): Uint8Array {
  const name = `${key} ${width}`;
  const bytes = drawn.get(name) ?? draw(width, height);
  drawn.set(name, bytes);
  return bytes;
}

interface Picture {
  key: string;
  owner_user_id: string;
  access: "public" | "event";
  draw: (width: number, height: number) => Uint8Array;
  /** In pixels. */
  width: number;
  height: number;
  alt: string;
}

function addPicture(build: Build, picture: Picture): string {
  const { key, owner_user_id, access, width, height, alt } = picture;
  const image_id = foundedId("image", key, build.now_ms);
  // The tiny picture behind the blurred cover of a locked post.
  const likeness = access === "event" ? drawOnce(picture, 8, 5) : null;
  addRow(build, "images", {
    image_id,
    owner_user_id,
    access,
    alt,
    content_type: "image/png",
    width,
    height,
    placeholder: likeness && `data:image/png;base64,${Buffer.from(likeness).toString("base64")}`,
    created_at: isoBefore(build.now_ms, FOUNDED_DAYS_AGO),
  });
  build.pictures.push({ image_id, bytes: drawOnce(picture, width, height) });
  return image_id;
}

function addSound(build: Build, key: string, owner_user_id: string, bytes: Uint8Array): string {
  const media_id = foundedId("image", `sound ${key}`, build.now_ms);
  addRow(build, "media_files", {
    media_id,
    owner_user_id,
    kind: "audio",
    access: "event",
    content_type: "audio/wav",
    bytes: bytes.byteLength,
    processing_status: "completed",
    created_at: isoBefore(build.now_ms, FOUNDED_DAYS_AGO),
  });
  build.sounds.push({ media_id, bytes });
  return media_id;
}

function userId(build: Build, key: string): string {
  return foundedId("user", key, build.now_ms);
}

function planId(build: Build, key: string): string {
  return foundedId("plan", key, build.now_ms);
}
