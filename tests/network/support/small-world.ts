/** A network of its own whose data can be restored, for tests that write random input. */
import { createIntent } from "../../../workers/contract/intents.ts";
import { likeEvent } from "../../../workers/contract/likes.ts";
import { getUser } from "../../../workers/contract/users.ts";
import { database, demoToken, type Network, startTestNetwork } from "../../support/network.ts";
import type { Known } from "./arbitraries.ts";
import { ask } from "./calls.ts";

export type Person = "visitor" | "newcomer" | "fan" | "creator";

export interface SmallWorld {
  network: Network;
  /** Bearer tokens. A visitor has none; a newcomer's account has no profile. */
  tokens: Record<Person, string | null>;
  known: Known;
  /** Restores everything people can change. */
  restore(): Promise<void>;
}

/** Tables that people can change, with their keys. A copy of each keeps the original rows. */
const RESTORED = {
  left_identities: "identity_id",
  link_id_changes: "link_id, changed_at",
  images: "image_id",
  media_files: "media_id",
  memberships: "membership_id",
  subscriptions: "subscription_id",
  newsletters: "newsletter_id",
  external_links: "user_id, position",
  user_genres: "user_id, genre_id",
  event_categories: "event_category_id",
  events: "event_id",
  // After its post.
  event_images: "image_id",
  event_comments: "comment_id",
  event_comment_likes: "comment_id, liker",
  event_likes: "event_id, liker",
  // After everything that it counts.
  event_counts: "event_id",
  event_visits: "event_id, visit_id",
  event_drafts: "draft_id",
  idempotency_keys: "scope, idempotency_key",
  notifications: "notification_id",
  intents: "intent_id",
  ofuses: "ofuse_id",
  relationships: "follower_id, following_id",
  blocks: "blocker_id, blocking_id",
  reports: "report_id",
  reaction_settings: "user_id",
  bank_accounts: "user_id",
  bank_account_changes: "change_id",
  limited_acts: "scope, acted_at, act_id",
};
const PROFILE =
  "name, default_name, bio, accepts_free_ofuses, email, email_invalid, identity_id, link_id, is_creator, icon_image_id, cover_image_id, birth_year, guardian_consented_at";

/** Starts the network. The caller must stop it; its folder is deleted with the process. */
export async function startSmallWorld(): Promise<SmallWorld> {
  const network = await startTestNetwork();
  const d1 = await database("api", network);
  const column = async (sql: string) => {
    const { results } = await d1.prepare(sql).all<{ value: string }>();
    return results.map(({ value }) => value);
  };
  // Few, so that calls often name the same people or the caller.
  const LINK_IDS = ["natsume", "fan_hana", "hibiki"];
  const people = await Promise.all(
    LINK_IDS.map(async (link_id) => (await ask(getUser, { network, query: { link_id } })).user.user_id),
  );
  const intents = await Promise.all([
    ask(createIntent, { network, body: { kind: "follow", following_id: people[0] ?? "" } }),
    ask(createIntent, { network, body: { kind: "form", path: "/natsume", fields: { message: "とちゅう" } } }),
  ]);
  const [event_id = ""] = await column(
    "SELECT event_id AS value FROM events WHERE status = 'published' AND publish_target_type = 'public' ORDER BY title",
  );
  const { guest_token } = await ask(likeEvent, { network, params: { event_id }, body: { is_liked: true } });
  // Everybody gets a notification. It reuses the person's id as its own, which is allowed.
  await d1.batch([
    d1.prepare("UPDATE intents SET address_hash = NULL"),
    d1.prepare(`INSERT INTO notifications SELECT user_id, user_id, 'custom', NULL, 'お知らせ', '/', user_id, 0, created_at, NULL, NULL, NULL
      FROM users`),
    ...people.map((user_id) =>
      d1
        .prepare(
          `INSERT INTO event_drafts (draft_id, user_id, kind, fields, revision, created_at, updated_at)
           SELECT user_id, user_id, 'blog', '{"title":"とちゅう"}', 1, created_at, created_at FROM users WHERE user_id = ?`,
        )
        .bind(user_id),
    ),
    ...[...Object.keys(RESTORED), "users"].map((table) =>
      d1.prepare(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`),
    ),
  ]);
  const events = await column("SELECT event_id AS value FROM events ORDER BY title");
  const categories = await column("SELECT event_category_id AS value FROM event_categories ORDER BY title");
  const memberships = await column("SELECT membership_id AS value FROM memberships ORDER BY title");
  const comments = await column("SELECT comment_id AS value FROM event_comments ORDER BY message");
  const letters = await column("SELECT ofuse_id AS value FROM ofuses ORDER BY message");
  // Rewrite only rows that differ: rewriting all takes longer than the calls.
  const changed = (table: string, columns = "*") =>
    `SELECT ${columns} FROM ${table} EXCEPT SELECT ${columns} FROM kept_${table}`;
  const restoring = [
    // A changed plan is deleted and inserted again, while its posts and members refer to it.
    "PRAGMA defer_foreign_keys = on",
    // Before all rows, because triggers ignore writes of members who left.
    "UPDATE users SET left_at = NULL WHERE left_at IS NOT NULL",
    ...Object.entries(RESTORED).flatMap(([table, key]) => [
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM (${changed(table)}))`,
      `INSERT INTO ${table} SELECT * FROM kept_${table} EXCEPT SELECT * FROM ${table}`,
    ]),
    // Restored likes are counted again, so reset the counts.
    `UPDATE event_comments SET likes_count = likers FROM (
        SELECT comment_id AS liked, COUNT(*) AS likers FROM event_comment_likes GROUP BY comment_id)
      WHERE comment_id = liked AND likes_count <> likers`,
    "DELETE FROM users WHERE user_id NOT IN (SELECT user_id FROM kept_users)",
    `UPDATE users SET (${PROFILE}) = (SELECT ${PROFILE} FROM kept_users WHERE kept_users.user_id = users.user_id)
      WHERE user_id IN (SELECT user_id FROM (${changed("users", `user_id, ${PROFILE}`)}))`,
  ].map((statement) => d1.prepare(statement));
  return {
    network,
    tokens: {
      visitor: null,
      newcomer: await demoToken("fan_new", network),
      fan: await demoToken("fan_hana", network),
      creator: await demoToken("natsume", network),
    },
    known: {
      user_id: people,
      following_id: people,
      blocking_id: people,
      comment_id: comments,
      parent_comment_id: comments,
      guest_token: [guest_token ?? ""],
      receiver_user_id: people,
      link_id: LINK_IDS,
      bank_code: ["0001", "9900"],
      branch_code: ["001", "018"],
      account_holder_kana: ["ナツメ ハナコ", "ﾅﾂﾒ", "はな-こ"],
      event_id: events,
      event_category_id: categories,
      context_event_category_id: categories,
      membership_id: memberships,
      publish_target_membership_id: memberships,
      draft_id: people,
      ofuse_id: letters,
      after: letters,
      notification_id: people,
      intent_id: intents.map(({ intent_id }) => intent_id),
      secret: intents.map(({ secret }) => secret),
      invoice_number: ["T7000012050002"],
      sender_email: ["guest@example.com", "まど@example.com"],
    },
    restore: async () => {
      await d1.batch(restoring);
    },
  };
}
