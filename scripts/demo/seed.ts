import { createHash } from "node:crypto";
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { leadOf } from "../../workers/api/events/rules.ts";
import type { Database, Tables } from "../../workers/api/storage/database.ts";
import { imageKey } from "../../workers/api/uploads/rules.ts";
import { hashPassword } from "../../workers/identity/provider/passwords.ts";
import { accountRow } from "../../workers/identity/storage/accounts.ts";
import type { IdentityTables } from "../../workers/identity/storage/schema.ts";
import { type Comment, comments } from "./comments.ts";
import { letters } from "./letters.ts";
import { type Person, people } from "./people.ts";
import { drawCover, drawFace, drawScene, type Palette } from "./pictures/index.ts";
import { categories, follows, type Post, plans, posts, subscriptions } from "./posts.ts";

/** The one password of everybody in the demo world. */
export const DEMO_PASSWORD = "demo-ofuse-2026";

/** Where a demo world is moved in: the databases of the two services and the bucket of pictures. */
export interface Storage {
  api: D1Database;
  identity: D1Database;
  media: R2Bucket;
}

/** A whole demo world, made and not yet stored. Statements are in an order that foreign keys accept. */
export interface DemoWorld {
  product: CompiledQuery[];
  accounts: CompiledQuery[];
  pictures: { image_id: string; bytes: Uint8Array }[];
}

interface Build {
  database: Database;
  now_ms: number;
  statements: CompiledQuery[];
  pictures: DemoWorld["pictures"];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const STATEMENTS_AT_ONCE = 80;
const FOUNDED_DAYS_AGO = 400;
/** A post that is still to be published was written this lately. */
const WRITTEN_DAYS_AGO = 0.1;
/** Somebody who has an account and has not finished registering: the first page she meets asks her name. */
const UNREGISTERED = "fan_new";
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Makes the demo world: the same people, posts and letters every time, dated relative to `now_ms`, with pictures drawn
 * here. Takes a second or two of nothing but reckoning, so make it before opening the storage it goes to.
 */
export async function makeDemoWorld(now_ms: number): Promise<DemoWorld> {
  const build: Build = { database: compiler<Tables>(), now_ms, statements: [], pictures: [] };
  for (const person of people) addPerson(build, person);
  for (const plan of plans) addPlan(build, plan);
  for (const [position, category] of categories.entries()) addCategory(build, category, position);
  for (const post of posts) addPost(build, post);
  for (const [index, [fan, creator]] of follows.entries()) addFollow(build, fan, creator, index);
  for (const subscription of subscriptions) addSubscription(build, subscription);
  for (const [index, letter] of letters.entries()) addLetter(build, letter, index);
  for (const comment of comments) addComment(build, comment);
  return { product: build.statements, accounts: await accountsOf(now_ms), pictures: build.pictures };
}

/** Moves the world into empty storage. Pictures are stored where uploads are. */
export async function storeDemoWorld(world: DemoWorld, storage: Storage): Promise<void> {
  await runAll(storage.api, world.product);
  await runAll(storage.identity, world.accounts);
  for (const { image_id, bytes } of world.pictures) await storage.media.put(imageKey(image_id), bytes);
}

async function runAll(d1: D1Database, queries: CompiledQuery[]): Promise<void> {
  for (let from = 0; from < queries.length; from += STATEMENTS_AT_ONCE) {
    const some = queries.slice(from, from + STATEMENTS_AT_ONCE);
    await d1.batch(some.map((query) => d1.prepare(query.sql).bind(...query.parameters)));
  }
}

/** Kysely that only compiles. */
function compiler<T>(): Kysely<T> {
  return new Kysely<T>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** The address of somebody in the demo world. */
export function demoEmail(link_id: string): string {
  return `${link_id}@demo.example`;
}

async function accountsOf(now_ms: number): Promise<CompiledQuery[]> {
  const database = compiler<IdentityTables>();
  const password_hash = await hashPassword(DEMO_PASSWORD);
  const accounts = [...people.map(({ link_id, name }) => ({ link_id, name })), { link_id: UNREGISTERED, name: null }];
  return accounts.map(({ link_id, name }) =>
    database
      .insertInto("accounts")
      .values(
        accountRow({
          local_id: identityId(link_id),
          email: demoEmail(link_id),
          email_verified: true,
          display_name: name,
          password_hash,
          created_at: isoBefore(now_ms, FOUNDED_DAYS_AGO),
        }),
      )
      .compile(),
  );
}

function addPerson(build: Build, person: Person): void {
  const { database, now_ms, statements } = build;
  const user_id = userId(build, person.key);
  const icon = addPicture(build, `icon ${person.key}`, user_id, "public", drawFace(person.face, 192), 192, 192, "");
  const palette = posts.find((post) => post.author === person.key && post.picture)?.picture?.palette;
  const cover = palette
    ? addPicture(build, `cover ${person.key}`, user_id, "public", coverOf(palette), 1200, 400, "")
    : null;
  statements.push(
    database
      .insertInto("users")
      .values({
        user_id,
        identity_id: identityId(person.link_id),
        link_id: person.link_id,
        name: person.name,
        default_name: person.name,
        email: demoEmail(person.link_id),
        is_creator: person.is_creator ? 1 : 0,
        bio: person.bio,
        icon_image_id: icon,
        cover_image_id: cover,
        created_at: isoBefore(now_ms, FOUNDED_DAYS_AGO),
      })
      .compile(),
  );
  for (const [position, link] of person.links.entries()) {
    statements.push(
      database
        .insertInto("external_links")
        .values({ user_id, position, ...link })
        .compile(),
    );
  }
  for (const genre_id of person.genres) {
    statements.push(database.insertInto("user_genres").values({ user_id, genre_id }).compile());
  }
}

function coverOf(palette: Palette): Uint8Array {
  return drawCover(palette, 1200, 400);
}

function addPlan(build: Build, { key, author, title, description, amount }: (typeof plans)[number]): void {
  build.statements.push(
    build.database
      .insertInto("memberships")
      .values({
        membership_id: planId(build, key),
        user_id: userId(build, author),
        title,
        description,
        amount,
        active_state: "active",
        created_at: isoBefore(build.now_ms, FOUNDED_DAYS_AGO),
      })
      .compile(),
  );
}

function addCategory(build: Build, { key, author, title }: (typeof categories)[number], position: number): void {
  build.statements.push(
    build.database
      .insertInto("event_categories")
      .values({
        event_category_id: demoId("category", key, build.now_ms - FOUNDED_DAYS_AGO * DAY_MS),
        user_id: userId(build, author),
        title,
        position,
        created_at: isoBefore(build.now_ms, FOUNDED_DAYS_AGO),
      })
      .compile(),
  );
}

function addPost(build: Build, post: Post): void {
  const { database, now_ms, statements } = build;
  const user_id = userId(build, post.author);
  const { picture } = post;
  const image_id = picture
    ? addPicture(
        build,
        `event ${post.key}`,
        user_id,
        "event",
        drawScene(picture.scene, picture.palette, 640, 360),
        640,
        360,
        picture.alt,
      )
    : null;
  const category = categories.find(({ author, title }) => author === post.author && title === post.category);
  const written_days_ago = Math.max(post.days_ago, WRITTEN_DAYS_AGO);
  statements.push(
    database
      .insertInto("events")
      .values({
        event_id: eventId(build, post),
        user_id,
        event_category_id: category ? demoId("category", category.key, now_ms - FOUNDED_DAYS_AGO * DAY_MS) : null,
        kind: post.kind,
        title: post.title,
        lead: leadOf(post.body),
        body: post.body,
        image_id,
        status: post.status,
        publish_target_type: post.visibility,
        publish_target_membership_id: post.plan ? planId(build, post.plan) : null,
        publish_at: post.status === "publish_pending" ? isoBefore(now_ms, post.days_ago) : null,
        published_at: post.status === "published" ? isoBefore(now_ms, post.days_ago) : null,
        created_at: isoBefore(now_ms, written_days_ago),
      })
      .compile(),
  );
}

function addFollow(build: Build, fan: string, creator: string, index: number): void {
  build.statements.push(
    build.database
      .insertInto("relationships")
      .values({
        follower_id: userId(build, fan),
        following_id: userId(build, creator),
        receives_notifications: 1,
        created_at: isoBefore(build.now_ms, 10 + index * 3),
      })
      .compile(),
  );
}

function addSubscription(build: Build, { fan, plan }: (typeof subscriptions)[number]): void {
  build.statements.push(
    build.database
      .insertInto("subscriptions")
      .values({
        subscription_id: demoId("subscription", `${fan} ${plan}`, build.now_ms - 40 * DAY_MS),
        membership_id: planId(build, plan),
        user_id: userId(build, fan),
        status: "active",
        paid_until: isoBefore(build.now_ms, -20),
        created_at: isoBefore(build.now_ms, 40),
      })
      .compile(),
  );
}

function addLetter(build: Build, letter: (typeof letters)[number], index: number): void {
  const { database, now_ms, statements } = build;
  const replied_at = letter.reply === null ? null : isoBefore(now_ms, letter.reply_days_ago ?? letter.days_ago / 2);
  const is_read = letter.liked || replied_at !== null;
  statements.push(
    database
      .insertInto("ofuses")
      .values({
        ofuse_id: demoId("ofuse", `${letter.from} ${letter.to} ${index}`, now_ms - letter.days_ago * DAY_MS),
        sender_user_id: userId(build, letter.from),
        receiver_user_id: userId(build, letter.to),
        amount: letter.amount,
        message: letter.message,
        is_public: letter.is_public ? 1 : 0,
        opened_at: is_read ? (replied_at ?? isoBefore(now_ms, letter.days_ago / 2)) : null,
        liked_at: letter.liked ? isoBefore(now_ms, letter.days_ago / 2) : null,
        reply_message: letter.reply,
        replied_at,
        created_at: isoBefore(now_ms, letter.days_ago),
      })
      .compile(),
  );
}

function addComment(build: Build, { post, replies = [], ...comment }: Comment): void {
  const commented = posts.find(({ key }) => key === post);
  if (!commented) throw new Error(`there is no post ${post} to comment on`);
  const event_id = eventId(build, commented);
  const add = ({ from, message, days_ago }: typeof comment, parent_comment_id: string | null) => {
    const comment_id = demoId("comment", `${from} ${post} ${message}`, build.now_ms - days_ago * DAY_MS);
    const created_at = isoBefore(build.now_ms, days_ago);
    const row = {
      comment_id,
      event_id,
      user_id: userId(build, from),
      message,
      amount: 0,
      parent_comment_id,
      created_at,
    };
    build.statements.push(build.database.insertInto("event_comments").values(row).compile());
    return comment_id;
  };
  const comment_id = add(comment, null);
  for (const reply of replies) add(reply, comment_id);
}

function addPicture(
  build: Build,
  key: string,
  owner_user_id: string,
  access: "public" | "event",
  bytes: Uint8Array,
  width: number,
  height: number,
  alt: string,
): string {
  const created_at_ms = build.now_ms - FOUNDED_DAYS_AGO * DAY_MS;
  const image_id = demoId("image", key, created_at_ms);
  build.statements.push(
    build.database
      .insertInto("images")
      .values({
        image_id,
        owner_user_id,
        access,
        alt,
        content_type: "image/png",
        width,
        height,
        created_at: new Date(created_at_ms).toISOString(),
      })
      .compile(),
  );
  build.pictures.push({ image_id, bytes });
  return image_id;
}

function userId(build: Build, key: string): string {
  return demoId("user", key, build.now_ms - FOUNDED_DAYS_AGO * DAY_MS);
}

function eventId(build: Build, post: Post): string {
  return demoId("event", post.key, build.now_ms - Math.max(post.days_ago, WRITTEN_DAYS_AGO) * DAY_MS);
}

function planId(build: Build, key: string): string {
  return demoId("plan", key, build.now_ms - FOUNDED_DAYS_AGO * DAY_MS);
}

/** The identity provider's id of somebody in the demo world: 28 characters, like Firebase's. */
function identityId(link_id: string): string {
  return `demo${digest(`identity ${link_id}`, 24)}`;
}

/** A stable identifier for something in the demo world, sorted by its time. */
function demoId(kind: string, key: string, ms: number): string {
  let time = "";
  for (let rest = Math.floor(ms), place = 0; place < 10; place++, rest = Math.floor(rest / 32)) {
    time = ALPHABET[rest % 32] + time;
  }
  return time + digest(`${kind} ${key}`, 16);
}

function digest(text: string, length: number): string {
  const bytes = createHash("sha256").update(text).digest();
  return Array.from(bytes.subarray(0, length), (byte) => ALPHABET[byte % 32]).join("");
}

function isoBefore(now_ms: number, days: number): string {
  return new Date(now_ms - days * DAY_MS).toISOString();
}
