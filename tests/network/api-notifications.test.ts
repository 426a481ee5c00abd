import { describe, expect, test } from "vitest";
import { listNotifications, openAllNotifications, openNotification } from "../../workers/contract/notifications.ts";
import { sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { follow, unfollow } from "../../workers/contract/relationships.ts";
import { reportOfuse } from "../../workers/contract/reports.ts";
import { freshMember, type Member, tick } from "../support/network.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";

const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);
const followOne = (fan: Member, artist: Member) =>
  ask(follow, { token: fan.token, body: { following_id: artist.user.user_id } });
/** What somebody has been told once everything that waits is done. */
async function news(member: Member) {
  await tick();
  return (await ask(listNotifications, { token: member.token })).notifications;
}

describe("a notification", () => {
  test("of a follow arrives once, also after following again", async () => {
    const [fan, artist] = await pair();
    await followOne(fan, artist);
    await ask(unfollow, { token: fan.token, query: { following_id: artist.user.user_id } });
    await followOne(fan, artist);
    await tick();
    const told = await news(artist);
    expect(told).toMatchObject([
      {
        type: "custom",
        is_opened: false,
        message: "ファンさんがあなたをフォローしました。",
        path: `/${fan.user.link_id}`,
        actor: { user_id: fan.user.user_id },
      },
    ]);
    expect(await news(fan)).toEqual([]);
  });

  test("of a letter reaches its receiver, and of the reply its sender, each once", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "おたより\n二行目" };
    const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body });
    const path = `/my/box/${ofuse.ofuse_id}`;
    expect(await news(artist)).toMatchObject([
      { type: "get_free_ofuse", path, actor: { name: "ファン" }, excerpt: "おたより" },
    ]);
    const params = { ofuse_id: ofuse.ofuse_id };
    await ask(updateOfuse, { params, token: artist.token, body: { reply: "おへんじ" } });
    expect(await news(fan)).toMatchObject([
      { type: "get_ofuse_reply", path, actor: { name: "作家" }, excerpt: "おへんじ" },
    ]);
    expect(await news(artist)).toHaveLength(1);
  });

  test("is not sent for what was refused", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "" };
    await refused(sendFreeOfuse, "validation_failed", { token: fan.token, body });
    expect(await news(artist)).toEqual([]);
  });
});

test("come in pages, and one that is unread counts on every page", async () => {
  const artist = await freshMember("人気者");
  for (const name of ["いち", "に", "さん"]) await followOne(await freshMember(name), artist);
  const [newest, middle, oldest] = await news(artist);
  const params = { notification_id: newest?.notification_id ?? "" };
  await ask(openNotification, { params, token: artist.token });
  const pageOf = (page_number: number) =>
    ask(listNotifications, { token: artist.token, query: { page_size: 1, page_number } });
  expect(await pageOf(1)).toMatchObject({
    notifications: [{ ...newest, is_opened: true }],
    has_next: true,
    has_unopened: true,
  });
  expect(await pageOf(2)).toMatchObject({ notifications: [middle], has_next: true });
  expect(await pageOf(3)).toMatchObject({ notifications: [oldest], has_next: false });
});

test("shows the first line of a letter or comment while its reader may see it", async () => {
  const [fan, artist] = await pair();
  const body = { receiver_user_id: artist.user.user_id, message: "読んでください" };
  const { ofuse } = await ask(sendFreeOfuse, { token: fan.token, body });
  expect((await news(artist))[0]?.excerpt).toBe("読んでください");
  const params = { ofuse_id: ofuse.ofuse_id };
  await ask(reportOfuse, { params, token: artist.token, body: { reason: "others", detail: "" } });
  expect((await news(artist))[0]?.excerpt).toBeNull();
});

describe("opening", () => {
  const three = async () => {
    const artist = await freshMember("人気者");
    for (const name of ["いち", "に", "さん"]) await followOne(await freshMember(name), artist);
    return { artist, told: await news(artist) };
  };

  test("one leaves the others as they are", async () => {
    const { artist, told } = await three();
    const params = { notification_id: told[1]?.notification_id ?? "" };
    for (let round = 0; round < 2; round++) {
      const { notification } = await ask(openNotification, { params, token: artist.token });
      expect(notification).toEqual({ ...told[1], is_opened: true });
    }
    expect((await news(artist)).map(({ is_opened }) => is_opened)).toEqual([false, true, false]);
  });

  test("all opens one's own and nobody else's", async () => {
    const [{ artist }, other] = await Promise.all([three(), three()]);
    expect(await ask(openAllNotifications, { token: artist.token })).toEqual({ is_opened: true });
    expect((await news(artist)).every(({ is_opened }) => is_opened)).toBe(true);
    expect((await news(other.artist)).some(({ is_opened }) => is_opened)).toBe(false);
  });

  test("somebody else's is not found", async () => {
    const { told } = await three();
    const { token } = await freshMember("のぞき見");
    for (const notification_id of [told[0]?.notification_id ?? "", NOBODY]) {
      await refused(openNotification, "not_found", { params: { notification_id }, token });
    }
  });
});
