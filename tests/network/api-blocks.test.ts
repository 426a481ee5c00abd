import { beforeAll, describe, expect, test } from "vitest";
import { createBlock, deleteBlock, listBlocks } from "../../workers/contract/blocks.ts";
import { createEventComment } from "../../workers/contract/comments.ts";
import { createIntent, redeemIntent } from "../../workers/contract/intents.ts";
import { likeEvent } from "../../workers/contract/likes.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { likeOfuse, sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { follow, listRelationships } from "../../workers/contract/relationships.ts";
import { getUser } from "../../workers/contract/users.ts";
import { freshMember, type Member, network, signIn, tick } from "../support/network.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

beforeAll(async () => {
  await network();
});

const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);
const idOf = ({ user }: Member) => user.user_id;
const block = (by: Member, whom: Member) => ask(createBlock, { token: by.token, body: { blocking_id: idOf(whom) } });
const blocksOf = async (member: Member, query = {}) => ask(listBlocks, { token: member.token, query });
const followOne = (fan: Member, artist: Member) =>
  ask(follow, { token: fan.token, body: { following_id: idOf(artist) } });

describe("blocking", () => {
  test("happens once and is undone once, however often it is sent", async () => {
    const [fan, artist] = await pair();
    for (const _ of [1, 2]) expect(await block(artist, fan)).toEqual({ is_blocked: true });
    const { blocks } = await blocksOf(artist);
    expect(blocks).toMatchObject([{ blocking_id: idOf(fan), user: { name: "ファン", user_id: idOf(fan) } }]);
    expect((await blocksOf(fan)).blocks).toEqual([]);
    for (const _ of [1, 2]) {
      await ask(deleteBlock, { token: artist.token, params: { blocking_id: idOf(fan) } });
    }
    expect((await blocksOf(artist)).blocks).toEqual([]);
    await followOne(fan, artist);
  });

  test("gives the same answer to twenty parallel requests under the same key, even when the answer is empty", async () => {
    const [fan, artist] = await pair();
    const call = { token: artist.token, body: { blocking_id: idOf(fan) }, key: crypto.randomUUID() };
    await Promise.all(Array.from({ length: 20 }, () => ask(createBlock, call)));
    expect((await blocksOf(artist)).blocks).toHaveLength(1);
    const undone = { token: artist.token, params: { blocking_id: idOf(fan) }, key: crypto.randomUUID() };
    await ask(deleteBlock, undone);
    await block(artist, fan);
    await ask(deleteBlock, undone);
    expect((await blocksOf(artist)).blocks, "the key was used: nothing is done again").toHaveLength(1);
  });

  test("requires two different existing members", async () => {
    const [fan] = await pair();
    await refused(createBlock, "cannot_block_yourself", { token: fan.token, body: { blocking_id: idOf(fan) } });
    await refused(createBlock, "not_found", { token: fan.token, body: { blocking_id: NOBODY } });
    await refused(createBlock, "validation_failed", { token: fan.token, body: { blocking_id: "natsume" } });
    const call = { body: { blocking_id: idOf(fan) } };
    await refused(createBlock, "unauthenticated", call);
    for (const token of [await signIn("fan_new")]) {
      await refused(createBlock, "registration_required", { ...call, token });
      await refused(listBlocks, "registration_required", { token });
      await refused(deleteBlock, "registration_required", { token, params: { blocking_id: NOBODY } });
    }
  });

  test("is listed latest first, page by page", async () => {
    const [, artist] = await pair();
    const others: Member[] = [];
    for (const name of ["いち", "に", "さん"]) others.unshift(await freshMember(name));
    for (const other of others.toReversed()) await block(artist, other);
    const pages = await Promise.all(
      [1, 2].map(async (page_number) => (await blocksOf(artist, { page_number, page_size: 2 })).blocks),
    );
    expect(pages.map((blocks) => blocks.map(({ user }) => user.name))).toEqual([["さん", "に"], ["いち"]]);
  });

  test("ends follows in both directions, and so the access to posts for fans", async () => {
    const [fan, artist] = await pair();
    await followOne(fan, artist);
    await followOne(artist, fan);
    const event_id = await insertPost(artist, { publish_target_type: "fans" });
    await ask(likeEvent, { token: fan.token, params: { event_id }, body: { is_liked: true } });
    await block(fan, artist);
    for (const { token } of [fan, artist]) {
      expect((await ask(listRelationships, { token })).relationships).toEqual([]);
    }
    for (const of of [fan, artist]) {
      const { user } = await ask(getUser, { query: { user_id: idOf(of) } });
      expect(user).toMatchObject({ followers_count: 0, followings_count: 0 });
    }
    await refused(likeEvent, "not_found", { token: fan.token, params: { event_id }, body: { is_liked: false } });
  });

  test("shows only to the member who did it", async () => {
    const [fan, artist] = await pair();
    await block(artist, fan);
    const seen = async (whom: Member, token: string | null) =>
      (await ask(getUser, { query: { user_id: idOf(whom) }, token })).user.is_blocked;
    expect(await seen(fan, artist.token)).toBe(true);
    expect(await seen(artist, fan.token)).toBe(false);
    expect(await seen(fan, null)).toBe(false);
    await tick();
    expect((await ask(listNotifications, { token: fan.token })).notifications).toEqual([]);
  });
});

describe.each(["who blocked", "who was blocked"])("with a block between them, %s", (side) => {
  /** Creates two people, of whom the first has blocked the second. The tests try the first. */
  async function parted() {
    const [one, other] = await pair();
    const ofuse = await letter(one, other);
    await (side === "who blocked" ? block(one, other) : block(other, one));
    return { one, other, ofuse };
  }
  const letter = async (from: Member, to: Member) => {
    const body = { receiver_user_id: idOf(to), message: "おたより" };
    return (await ask(sendFreeOfuse, { token: from.token, body })).ofuse;
  };

  test("does not follow, neither at once nor after signing in", async () => {
    const { one, other } = await parted();
    await refused(follow, "blocked", { token: one.token, body: { following_id: idOf(other) } });
    const body = { kind: "follow" as const, following_id: idOf(other) };
    const { intent_id, secret } = await ask(createIntent, { body });
    await refused(redeemIntent, "blocked", { token: one.token, params: { intent_id }, body: { secret } });
    expect((await ask(listRelationships, { token: one.token })).relationships).toEqual([]);
  });

  test("sends no letter, answers none and likes none", async () => {
    const { one, other, ofuse } = await parted();
    const body = { receiver_user_id: idOf(other), message: "読んで" };
    await refused(sendFreeOfuse, "blocked", { token: one.token, body });
    const received = { token: other.token, params: { ofuse_id: ofuse.ofuse_id } };
    await refused(updateOfuse, "blocked", { ...received, body: { reply: "おへんじ" } });
    await refused(likeOfuse, "blocked", { ...received, body: { is_liked: true } });
    await ask(likeOfuse, { ...received, body: { is_liked: false } });
    await ask(updateOfuse, { ...received, body: { is_opened: true } });
  });

  test("neither comments nor likes", async () => {
    const { one, other } = await parted();
    const call = { token: one.token, params: { event_id: await insertPost(other) } };
    await refused(createEventComment, "blocked", { ...call, body: { message: "どうも" } });
    await refused(likeEvent, "blocked", { ...call, body: { is_liked: true } });
  });
});
