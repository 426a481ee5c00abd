import { describe, expect, test } from "vitest";
import { listNotifications } from "../../workers/contract/notifications.ts";
import {
  follow,
  listFollowers,
  listRelationships,
  removeFollower,
  unfollow,
  updateRelationship,
} from "../../workers/contract/relationships.ts";
import { getUser } from "../../workers/contract/users.ts";
import { freshMember, type Member, signIn, tick } from "../support/network.ts";
import { ask, NOBODY, refused, send } from "./support/calls.ts";

const countsOf = async ({ user: { user_id } }: Member) => {
  const { user } = await ask(getUser, { query: { user_id } });
  return [user.followers_count, user.followings_count];
};
const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);

describe("following", () => {
  test("counts once however often it is sent, and so does unfollowing", async () => {
    const [fan, artist] = await pair();
    const following_id = artist.user.user_id;
    for (let round = 0; round < 2; round++) {
      expect(await ask(follow, { token: fan.token, body: { following_id } })).toEqual({ is_followed: true });
      expect([await countsOf(fan), await countsOf(artist)]).toEqual([
        [0, 1],
        [1, 0],
      ]);
    }
    for (let round = 0; round < 2; round++) {
      expect(await ask(unfollow, { token: fan.token, query: { following_id } })).toEqual({ is_followed: false });
      expect([await countsOf(fan), await countsOf(artist)]).toEqual([
        [0, 0],
        [0, 0],
      ]);
    }
  });

  test("counts once for twenty parallel requests", async () => {
    const [fan, artist] = await pair();
    const body = { following_id: artist.user.user_id };
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(follow, { token: fan.token, body })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await countsOf(artist)).toEqual([1, 0]);
  });

  test("is refused for the caller's own account and for an unknown person", async () => {
    const { token, user } = await freshMember("わたし");
    await refused(follow, "cannot_follow_yourself", { token, body: { following_id: user.user_id } });
    await refused(follow, "not_found", { token, body: { following_id: NOBODY } });
    for (const body of [{}, { following_id: "natsume" }, { following_id: 1 }]) {
      await refused(follow, "validation_failed", { token, body });
    }
    await refused(unfollow, "validation_failed", { token });
    expect(await ask(unfollow, { token, query: { following_id: NOBODY } })).toEqual({ is_followed: false });
  });
});

describe("the list of relations", () => {
  test("lists the followed, the followers, or both", async () => {
    const [fan, artist] = await pair();
    const friend = await freshMember("ともだち");
    await ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
    await ask(follow, { token: friend.token, body: { following_id: fan.user.user_id } });
    const list = async (query: Record<string, string | number>) => {
      const { relationships } = await ask(listRelationships, { token: fan.token, query });
      return relationships.map(({ user, direction, following_id }) => [user.user_id, direction, following_id]).sort();
    };
    const active = [artist.user.user_id, "active", artist.user.user_id];
    const passive = [friend.user.user_id, "passive", fan.user.user_id];
    expect(await list({ filter: "active" })).toEqual([active]);
    expect(await list({ filter: "passive" })).toEqual([passive]);
    expect(await list({})).toEqual([active, passive].sort());
    expect([...(await list({ page_size: 1 })), ...(await list({ page_size: 1, page_number: 2 }))].sort()).toEqual(
      [active, passive].sort(),
    );
    await refused(listRelationships, "validation_failed", { token: fan.token, query: { filter: "mutual" } });
  });

  test("shows two people who follow each other in both directions", async () => {
    const [fan, artist] = await pair();
    await ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
    await ask(follow, { token: artist.token, body: { following_id: fan.user.user_id } });
    const { relationships } = await ask(listRelationships, { token: fan.token });
    expect(relationships.map(({ direction }) => direction).sort()).toEqual(["active", "passive"]);
  });
});

describe("a creator's notifications", () => {
  test("can be turned off and on by a follower", async () => {
    const [fan, artist] = await pair();
    const following_id = artist.user.user_id;
    await ask(follow, { token: fan.token, body: { following_id } });
    for (const receives_notifications of [false, true]) {
      const body = { following_id, receives_notifications };
      expect(await ask(updateRelationship, { token: fan.token, body })).toEqual({ receives_notifications });
      const { relationships } = await ask(listRelationships, { token: fan.token });
      expect(relationships[0]).toMatchObject({ receives_notifications });
    }
  });

  test("cannot be turned off without following", async () => {
    const [fan, artist] = await pair();
    const body = { following_id: artist.user.user_id, receives_notifications: false };
    await refused(updateRelationship, "not_found", { token: fan.token, body });
  });
});

describe("the list of followers", () => {
  test("lists the caller's followers, the latest first, and nobody the caller only follows", async () => {
    const artist = await freshMember("作家");
    const fans = [await freshMember("先のファン"), await freshMember("後のファン")];
    const body = { following_id: artist.user.user_id };
    for (const fan of fans) await ask(follow, { token: fan.token, body });
    const friend = await freshMember("ともだち");
    await ask(follow, { token: artist.token, body: { following_id: friend.user.user_id } });
    const list = async (query: Record<string, string | number> = {}) => {
      const { followers, has_next } = await ask(listFollowers, { token: artist.token, query });
      return [...followers.map(({ user }) => user.name), has_next];
    };
    expect(await list()).toEqual(["後のファン", "先のファン", false]);
    expect(await list({ page_size: 1 })).toEqual(["後のファン", true]);
    expect(await list({ page_size: 1, page_number: 2 })).toEqual(["先のファン", false]);
    expect(await list({ filter: "subscribing" })).toEqual([false]);
  });

  test("lists each member of a plan once, until the paid time ends", async () => {
    const token = await signIn("natsume");
    const all = (await ask(listFollowers, { token, query: { page_size: 100 } })).followers;
    const { followers } = await ask(listFollowers, { token, query: { filter: "subscribing" } });
    const names = followers.map(({ user }) => user.link_id);
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThan(all.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("fan_hana");
    // In the order of the whole list.
    expect(all.map(({ user }) => user.link_id).filter((name) => names.includes(name))).toEqual(names);
  });

  test("is searched by name and ID, and continued after a person", async () => {
    const artist = await freshMember("探す作家");
    const fans = [await freshMember("ハナコ"), await freshMember("たろう"), await freshMember("はなよ")];
    for (const { token } of fans) await ask(follow, { token, body: { following_id: artist.user.user_id } });
    const found = async (query: Record<string, string | number>) =>
      (await ask(listFollowers, { token: artist.token, query })).followers.map(({ user }) => user.name);
    expect(await found({ keyword: "はな" })).toEqual(["はなよ", "ハナコ"]);
    expect(await found({ keyword: fans[1]?.user.link_id ?? "" })).toEqual(["たろう"]);
    expect(await found({ keyword: "はな たろう" })).toEqual([]);
    const { followers } = await ask(listFollowers, { token: artist.token, query: { page_size: 1 } });
    const after = `${followers[0]?.created_at} ${followers[0]?.user.user_id}`;
    expect(await found({ after })).toEqual(["たろう", "ハナコ"]);
    const mine = await ask(listRelationships, { token: fans[0]?.token, query: { keyword: "作家" } });
    expect(mine.relationships.map(({ user }) => user.name)).toEqual(["探す作家"]);
    const joined = await ask(listRelationships, { token: fans[0]?.token, query: { is_subscribing: "true" } });
    expect(joined.relationships).toEqual([]);
  });

  test("loses a follower whom the caller removes, who is not told and may follow again", async () => {
    const [fan, artist] = await pair();
    const [following_id, follower_id] = [artist.user.user_id, fan.user.user_id];
    await ask(follow, { token: fan.token, body: { following_id } });
    // Nobody removes a follower from another person's list.
    await ask(removeFollower, { token: fan.token, query: { follower_id: following_id } });
    expect((await ask(listFollowers, { token: artist.token })).followers).toHaveLength(1);
    await tick();
    const noticesOf = async () => (await ask(listNotifications, { token: fan.token })).notifications.length;
    const before = await noticesOf();
    for (let round = 0; round < 2; round++) {
      const removed = await ask(removeFollower, { token: artist.token, query: { follower_id } });
      expect(removed).toEqual({ is_follower: false });
    }
    expect((await ask(listFollowers, { token: artist.token })).followers).toEqual([]);
    await tick();
    expect(await noticesOf()).toBe(before);
    await ask(follow, { token: fan.token, body: { following_id } });
    expect((await ask(listFollowers, { token: artist.token })).followers).toHaveLength(1);
  });

  test("is private, and accepts two filters", async () => {
    await refused(listFollowers, "unauthenticated");
    await refused(listFollowers, "registration_required", { token: await signIn("fan_new") });
    await refused(listFollowers, "validation_failed", { token: await signIn("natsume"), query: { filter: "active" } });
  });
});
