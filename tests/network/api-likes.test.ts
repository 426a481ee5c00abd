import { beforeAll, describe, expect, test } from "vitest";
import { createBlock } from "../../workers/contract/blocks.ts";
import { createEventComment, deleteEventComment, listEventComments } from "../../workers/contract/comments.ts";
import { claimGuestLikes, likeEvent, likeEventComment } from "../../workers/contract/likes.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { database, freshMember, type Member, network, signIn, tick } from "../support/network.ts";
import { tampered } from "../support/tampered.ts";
import { ask, NOBODY, refused, send } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

beforeAll(async () => {
  await network();
});

const people = (...names: string[]) =>
  Promise.all(names.map((name) => freshMember(name))) as Promise<Member[] & [Member, Member, Member]>;

/** Returns the like count that readers of the post see. */
const countOf = async (event_id: string) =>
  (await database())
    .prepare("SELECT likes_count FROM event_counts WHERE event_id = ?")
    .bind(event_id)
    .first("likes_count");
const likersOf = async (event_id: string) => {
  const statement = (await database()).prepare("SELECT liker FROM event_likes WHERE event_id = ? ORDER BY liker");
  return (await statement.bind(event_id).all<{ liker: string }>()).results.map(({ liker }) => liker);
};

const like = (event_id: string, by: Member, is_liked = true) =>
  ask(likeEvent, { token: by.token, params: { event_id }, body: { is_liked } });
const likeAsGuest = (event_id: string, guest_token?: string | null, is_liked = true) =>
  ask(likeEvent, { params: { event_id }, body: { is_liked, ...(guest_token && { guest_token }) } });
const comment = async (event_id: string, by: Member) => {
  const body = { message: "どうも" };
  return (await ask(createEventComment, { token: by.token, params: { event_id }, body })).comment.comment_id;
};

describe("a member's like", () => {
  test("is set once and removed once, however often it is sent", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    for (const _ of [1, 2]) {
      expect(await like(event_id, fan)).toEqual({ is_liked: true, likes_count: 1, guest_token: null });
    }
    expect(await like(event_id, owner), "also on one's own").toMatchObject({ likes_count: 2 });
    for (const _ of [1, 2]) expect(await like(event_id, fan, false)).toMatchObject({ is_liked: false, likes_count: 1 });
    expect(await likersOf(event_id)).toEqual([owner.user.user_id]);
    await tick();
    // Once, and not of one's own like.
    expect((await ask(listNotifications, { token: owner.token })).notifications).toMatchObject([
      { type: "custom", actors: [{ user_id: fan.user.user_id }] },
    ]);
  });

  test("counts once when ten are sent at a time", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    await Promise.all(Array.from({ length: 10 }, () => like(event_id, fan)));
    expect(await countOf(event_id)).toBe(1);
    await Promise.all(Array.from({ length: 10 }, () => like(event_id, fan, false)));
    expect(await countOf(event_id)).toBe(0);
  });

  test("gives the same answer again under the same key, even after it was removed", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const call = { token: fan.token, params: { event_id }, body: { is_liked: true }, key: crypto.randomUUID() };
    const first = await ask(likeEvent, call);
    await like(event_id, fan, false);
    expect(await ask(likeEvent, call)).toEqual(first);
    expect(await countOf(event_id)).toBe(0);
  });

  test("requires access and no block; removing it is always allowed", async () => {
    const [owner, fan, stranger] = await people("作家", "ファン", "よその人");
    await ask(follow, { token: fan.token, body: { following_id: owner.user.user_id } });
    const for_fans = await insertPost(owner, { publish_target_type: "fans" });
    const body = { is_liked: true };
    await like(for_fans, fan);
    await refused(likeEvent, "not_found", { token: stranger.token, params: { event_id: for_fans }, body });
    await refused(likeEvent, "not_found", { params: { event_id: for_fans }, body });
    const hidden = { event_id: await insertPost(owner, { status: "private" }) };
    await refused(likeEvent, "not_found", { token: fan.token, params: hidden, body });
    await refused(likeEvent, "not_found", { token: fan.token, params: { event_id: NOBODY }, body });
    await refused(likeEvent, "registration_required", { token: await signIn("fan_new"), params: hidden, body });
    const open = await insertPost(owner);
    await like(open, stranger);
    await ask(createBlock, { token: owner.token, body: { blocking_id: stranger.user.user_id } });
    await refused(likeEvent, "blocked", { token: stranger.token, params: { event_id: open }, body });
    expect(await like(open, stranger, false)).toMatchObject({ is_liked: false, likes_count: 0 });
  });
});

describe("a like on a comment", () => {
  test("is counted, shown to its giver, and deleted with the comment", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const params = { event_id, comment_id: await comment(event_id, fan) };
    const body = { is_liked: true };
    for (const _ of [1, 2]) {
      const answer = await ask(likeEventComment, { token: owner.token, params, body });
      expect(answer).toEqual({ is_liked: true, likes_count: 1, guest_token: null });
    }
    const guest = await ask(likeEventComment, { params, body });
    expect(guest).toMatchObject({ is_liked: true, likes_count: 2 });
    const seen = async (token: string | null) =>
      (await ask(listEventComments, { params: { event_id }, token })).comments.map((each) => [
        each.likes_count,
        each.is_liked,
      ]);
    expect([await seen(owner.token), await seen(fan.token), await seen(null)]).toEqual([
      [[2, true]],
      [[2, false]],
      [[2, false]],
    ]);
    await ask(deleteEventComment, { token: fan.token, params });
    await refused(likeEventComment, "not_found", { token: owner.token, params, body });
  });

  test("is refused if its writer or the post's owner and the caller blocked each other; otherwise it is not found", async () => {
    const [owner, fan, other] = await people("作家", "ファン", "ほかの人");
    const [event_id, elsewhere] = [await insertPost(owner), await insertPost(owner)];
    const params = { event_id, comment_id: await comment(event_id, other) };
    const call = { token: fan.token, params, body: { is_liked: true } };
    await refused(likeEventComment, "not_found", { ...call, params: { ...params, event_id: elsewhere } });
    await ask(createBlock, { token: other.token, body: { blocking_id: fan.user.user_id } });
    await refused(likeEventComment, "blocked", call);
    const third = await comment(event_id, owner);
    await ask(likeEventComment, { ...call, params: { event_id, comment_id: third } });
  });
});

describe("a visitor's like", () => {
  test("belongs to the token of the visitor's first like alone", async () => {
    const event_id = await insertPost(await freshMember("作家"));
    const { guest_token, ...first } = await likeAsGuest(event_id);
    expect(first).toEqual({ is_liked: true, likes_count: 1 });
    expect(await likeAsGuest(event_id, guest_token)).toEqual({ ...first, guest_token });
    const forged = tampered(guest_token ?? "", -4);
    const other = await likeAsGuest(event_id, forged);
    expect(other).toMatchObject({ likes_count: 2 });
    expect(other.guest_token).not.toBe(guest_token);
    for (const broken of ["x", "..", `${guest_token}.x`, "あ", "guest-x.y"]) {
      expect((await likeAsGuest(event_id, broken)).guest_token).not.toBe(broken);
    }
    expect(await likeAsGuest(event_id, guest_token, false)).toMatchObject({ is_liked: false, guest_token });
    expect(await likersOf(event_id)).toHaveLength(6);
  });

  test("cannot be removed with an unknown token, which creates no guest", async () => {
    const event_id = await insertPost(await freshMember("作家"));
    await likeAsGuest(event_id);
    expect(await likeAsGuest(event_id, null, false)).toEqual({ is_liked: false, likes_count: 1, guest_token: null });
  });

  test("creates a limited number of guests per address in an hour, and then the refusal says when to retry", async () => {
    const event_id = await insertPost(await freshMember("作家"));
    const body = { is_liked: true };
    const { guest_token } = await likeAsGuest(event_id);
    const d1 = await database();
    const scope = await d1.prepare("SELECT scope FROM limited_acts WHERE scope LIKE 'guest %'").first<string>("scope");
    const fill = d1.prepare(`INSERT INTO limited_acts
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
      SELECT ?, ?, 'filled ' || i FROM n`);
    await fill.bind(scope, new Date().toISOString()).run();
    const reply = await send(likeEvent, { params: { event_id }, body });
    expect(reply).toMatchObject({ status: 429, json: { code: "too_many_requests" } });
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(3000);
    await likeAsGuest(event_id, guest_token);
    await like(event_id, await freshMember("ファン"));
    await d1.prepare("DELETE FROM limited_acts WHERE act_id LIKE 'filled %'").run();
    await likeAsGuest(event_id);
  });
});

describe("signing in", () => {
  const claim = (by: Member, guest_token: string | null) =>
    ask(claimGuestLikes, { token: by.token, body: { guest_token: guest_token ?? "" } });

  test("turns earlier guest likes into the member's, each counted once", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const [one, other] = [await insertPost(owner), await insertPost(owner)];
    const comment_id = await comment(one, owner);
    await like(one, fan);
    const { guest_token } = await likeAsGuest(one);
    await likeAsGuest(other, guest_token);
    const body = { is_liked: true, guest_token: guest_token ?? "" };
    await ask(likeEventComment, { params: { event_id: one, comment_id }, body });
    expect(await claim(fan, guest_token)).toEqual({ claimed_count: 2 });
    expect(await claim(fan, guest_token)).toEqual({ claimed_count: 0 });
    for (const event_id of [one, other]) {
      expect(await likersOf(event_id)).toEqual([fan.user.user_id]);
      expect(await countOf(event_id)).toBe(1);
    }
    expect((await ask(listEventComments, { params: { event_id: one }, token: fan.token })).comments).toMatchObject([
      { likes_count: 1, is_liked: true },
    ]);
  });

  test("drops likes of content behind a block", async () => {
    const [owner, fan, friend] = await people("作家", "ファン", "ともだち");
    const event_id = await insertPost(owner);
    const friends = await insertPost(friend);
    const comment_id = await comment(friends, owner);
    const { guest_token } = await likeAsGuest(event_id);
    const body = { is_liked: true, guest_token: guest_token ?? "" };
    await ask(likeEventComment, { params: { event_id: friends, comment_id }, body });
    await likeAsGuest(friends, guest_token);
    await ask(createBlock, { token: owner.token, body: { blocking_id: fan.user.user_id } });
    expect(await claim(fan, guest_token)).toEqual({ claimed_count: 1 });
    expect([await countOf(event_id), await countOf(friends)]).toEqual([0, 1]);
    const { comments } = await ask(listEventComments, { params: { event_id: friends }, token: friend.token });
    expect(comments).toMatchObject([{ likes_count: 0 }]);
  });

  test("with an unknown token claims nothing; without an account nothing can be claimed", async () => {
    const { guest_token } = await likeAsGuest(await insertPost(await freshMember("作家")));
    expect(await claim(await freshMember("ファン"), "nobody.signed")).toEqual({ claimed_count: 0 });
    const call = { body: { guest_token: guest_token ?? "" } };
    await refused(claimGuestLikes, "unauthenticated", call);
    await refused(claimGuestLikes, "registration_required", { ...call, token: await signIn("fan_new") });
  });

  test("keeps every count right while likes arrive", async () => {
    const [owner, fan] = await people("作家", "ファン");
    const event_id = await insertPost(owner);
    const { guest_token } = await likeAsGuest(event_id);
    await Promise.all([
      claim(fan, guest_token),
      like(event_id, fan),
      likeAsGuest(event_id, guest_token),
      claim(fan, guest_token),
      like(event_id, fan),
    ]);
    await claim(fan, guest_token);
    expect(await likersOf(event_id)).toEqual([fan.user.user_id]);
    expect(await countOf(event_id)).toBe(1);
  });
});
