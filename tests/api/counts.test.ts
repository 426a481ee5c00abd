/** Triggers keep counts. After any sequence of actions, each count equals the number of rows. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventComment, deleteEventComment } from "../../workers/api/comments/commands.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { claimGuestLikes, likeEvent, likeEventComment } from "../../workers/api/likes/commands.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Problem } from "../../workers/kernel/problem.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const SEED = 20_261_120;

interface Act {
  kind: "like" | "unlike" | "like_comment" | "unlike_comment" | "comment" | "reply" | "delete" | "claim" | "hide";
  /** The person: 0 owns the post, the last two are guests. */
  who: number;
  which: number;
}

const acts = fc.array(
  fc.record({
    kind: fc.constantFrom<Act["kind"]>(
      "like",
      "unlike",
      "like_comment",
      "unlike_comment",
      "comment",
      "reply",
      "delete",
      "claim",
      "hide",
    ),
    who: fc.nat(4),
    which: fc.nat(50),
  }),
  { minLength: 5, maxLength: 25 },
);

let worlds = 0;

async function startWorld() {
  worlds += 1;
  const members = await Promise.all([0, 1, 2].map((n) => addUser(`counts_${worlds}_${n}`)));
  const event_id = newId(NOW_MS);
  const now = new Date(NOW_MS).toISOString();
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'text', 'x', 'x', 'x', 'published', 'public', ?, ?)`,
    )
    .bind(event_id, members[0], now, now)
    .run();
  const tokens: (string | undefined)[] = [undefined, undefined];
  const commentIds = async () => {
    const statement = d1.prepare("SELECT comment_id FROM event_comments WHERE event_id = ? ORDER BY comment_id");
    return (await statement.bind(event_id).all<{ comment_id: string }>()).results.map(({ comment_id }) => comment_id);
  };
  return { members, event_id, tokens, commentIds };
}

async function performAct(
  { members, event_id, tokens, commentIds }: Awaited<ReturnType<typeof startWorld>>,
  each: Act,
) {
  const ids = await commentIds();
  const comment_id = ids[each.which % Math.max(ids.length, 1)] ?? newId(NOW_MS);
  const guest = each.who - members.length;
  const member = members[each.who] ?? null;
  const context: RequestContext = contextOf(member);
  const wish = { is_liked: !each.kind.startsWith("unlike"), guest_token: tokens[guest] };
  const keepToken = ({ guest_token }: { guest_token: string | null }) => {
    if (guest_token !== null) tokens[guest] = guest_token;
  };
  switch (each.kind) {
    case "like":
    case "unlike":
      return keepToken(await likeEvent(context, event_id, wish));
    case "like_comment":
    case "unlike_comment":
      return keepToken(await likeEventComment(context, { event_id, comment_id }, wish));
    case "hide":
      return d1.prepare("UPDATE event_comments SET hidden_at = 'now' WHERE comment_id = ?").bind(comment_id).run();
  }
  if (member === null) return;
  if (each.kind === "claim") return claimGuestLikes(context, tokens[each.which % 2] ?? "");
  if (each.kind === "delete") return deleteEventComment(context, event_id, comment_id);
  return createEventComment(context, event_id, {
    message: "どうも",
    parent_comment_id: each.kind === "reply" ? comment_id : null,
  });
}

const figures = `SELECT
  (SELECT COALESCE(SUM(likes_count), 0) FROM event_counts WHERE event_id = ?1) AS likes,
  (SELECT COUNT(*) FROM event_likes WHERE event_id = ?1) AS likers,
  (SELECT COALESCE(SUM(comments_count), 0) FROM event_counts WHERE event_id = ?1) AS comments,
  (SELECT COUNT(*) FROM event_comments WHERE event_id = ?1 AND hidden_at IS NULL AND deleted_at IS NULL) AS commenters,
  (SELECT COUNT(*) FROM event_comments c WHERE event_id = ?1 AND likes_count <> (
    SELECT COUNT(*) FROM event_comment_likes l WHERE l.comment_id = c.comment_id)) AS miscounted,
  (SELECT COUNT(*) FROM event_comments c WHERE event_id = ?1 AND received_by IS NOT NULL AND is_replied <> EXISTS (
    SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = c.comment_id
      AND reply.user_id = c.received_by AND reply.hidden_at IS NULL)) AS misreplied,
  (SELECT COUNT(*) FROM event_comments c JOIN events USING (event_id) WHERE event_id = ?1
    AND (received_by IS NOT NULL) <> (parent_comment_id IS NULL AND c.user_id <> events.user_id)) AS misreceived,
  (SELECT COUNT(*) FROM event_comments c WHERE event_id = ?1 AND deleted_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM event_comments reply WHERE reply.parent_comment_id = c.comment_id)) AS left_over`;

test("the counts of likes, comments and replies equal the rows", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (all) => {
      const world = await startWorld();
      for (const each of all) {
        await performAct(world, each).catch((error) => {
          if (!(error instanceof Problem)) throw error;
        });
      }
      const row = await d1.prepare(figures).bind(world.event_id).first<Record<string, number>>();
      expect(row).toMatchObject({
        likes: row?.likers,
        comments: row?.commenters,
        miscounted: 0,
        misreplied: 0,
        misreceived: 0,
        left_over: 0,
      });
    }),
    { seed: SEED, numRuns: 20 },
  );
});
