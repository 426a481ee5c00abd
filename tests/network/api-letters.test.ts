import { beforeAll, describe, expect, test } from "vitest";
import { letters } from "../../scripts/demo/letters/index.ts";
import { listFollowingActivities } from "../../workers/contract/activities.ts";
import { createBlock, deleteBlock } from "../../workers/contract/blocks.ts";
import {
  getOfuse,
  likeOfuse,
  listOfuses,
  listUserOfuses,
  sendFreeOfuse,
  updateOfuse,
} from "../../workers/contract/ofuses.ts";
import { getReactions, updateReactions } from "../../workers/contract/reactions.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { getUser, updateProfile } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import {
  type Browser,
  browser,
  database,
  freshMember,
  type Member,
  openBrowserAs,
  signIn,
  tick,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, NOBODY, refused, send, succeeded, userId } from "./support/calls.ts";

const write = (from: Member, to: Member, message = "こんにちは", is_public = false) =>
  ask(sendFreeOfuse, { token: from.token, body: { receiver_user_id: to.user.user_id, message, is_public } });
const freeLeft = async (from: Member | null, to: Member) =>
  (await ask(getUser, { token: from?.token, query: { user_id: to.user.user_id } })).free_ofuses_left;
const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);

/** A letter with marks: 41 bytes. */
const MARKED = `a${"\u0316".repeat(20)}`;

describe("a letter", () => {
  test.each([
    ["200 letters", "あ".repeat(200)],
    ["200 families of four", "👨‍👩‍👧‍👦".repeat(200)],
    ["200 flags", "🇯🇵".repeat(200)],
    ["200 letters with marks", "か\u309a".repeat(200)],
    ["exactly 8,192 bytes", `${MARKED.repeat(199)}a${"\u0316".repeat(16)}`],
  ])("may have %s", async (_, message) => {
    const [fan, artist] = await pair();
    const { ofuse } = await write(fan, artist, message);
    expect(ofuse).toMatchObject({ type: "sent", paid: false, amount: 0, currency: "jpy", is_not_replied: true });
    expect(ofuse.message).toBe(message.normalize("NFC"));
    const { ofuses } = await ask(listOfuses, { token: artist.token });
    expect(ofuses).toEqual([{ ...ofuse, type: "received" }]);
  });

  test("is trimmed and keeps its line breaks", async () => {
    const [fan, artist] = await pair();
    expect((await write(fan, artist, "\n  一行目\r\n\r\n二行目\t。 \n")).ofuse.message).toBe("一行目\n\n二行目\t。");
  });

  test.each([
    ["nothing", ""],
    ["spaces alone", " \u3000\n\t"],
    ["201 letters", "あ".repeat(201)],
    ["201 families of four", "👨‍👩‍👧‍👦".repeat(201)],
    ["8,193 bytes", `${MARKED.repeat(199)}ß${"\u0316".repeat(16)}`],
    ["100 kB of combining marks", `e${"\u0301".repeat(50_000)}`],
    ["a NUL", "あ\u0000い"],
    ["a lone surrogate", "あ\ud800い"],
    ["a number", 1],
    ["null", null],
    ["a list", ["あ"]],
  ])("is refused with %s", async (_, message) => {
    const [fan, artist] = await pair();
    const { errors } = await refused(sendFreeOfuse, "validation_failed", {
      token: fan.token,
      body: { receiver_user_id: artist.user.user_id, message },
    });
    expect(errors).toHaveProperty("message");
    expect((await ask(listOfuses, { token: artist.token })).ofuses).toEqual([]);
  });

  test("is accepted three times a day for one creator, and then the refusal says when to retry", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "また書きます" };
    for (const left of [3, 2, 1]) {
      expect(await freeLeft(fan, artist)).toBe(left);
      await write(fan, artist);
    }
    expect(await freeLeft(fan, artist)).toBe(0);
    const reply = await send(sendFreeOfuse, { token: fan.token, body });
    expect(reply).toMatchObject({ status: 429, json: { code: "free_ofuse_limit_reached" } });
    const seconds = Number(reply.headers.get("retry-after"));
    expect(Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400).toBe(true);
    expect((await ask(listOfuses, { token: artist.token })).ofuses).toHaveLength(3);
    const another = await freshMember("別の作家");
    expect(await freeLeft(fan, another), "each creator has a count of their own").toBe(3);
    await write(fan, another);
    expect(await freeLeft(fan, fan), "nobody writes to themselves").toBeNull();
    expect(await freeLeft(null, artist), "nobody is signed in").toBeNull();
  });

  test("is accepted three times also when twenty arrive at once", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "連打" };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => send(sendFreeOfuse, { token: fan.token, body, key: crypto.randomUUID() })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, ...Array(17).fill(429)]);
    expect((await ask(listOfuses, { token: artist.token })).ofuses).toHaveLength(3);
  });

  test("of yesterday does not count today", async () => {
    const [fan, artist] = await pair();
    for (let count = 0; count < 3; count++) await write(fan, artist);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    await (await database())
      .prepare("UPDATE ofuses SET created_at = ? WHERE sender_user_id = ?")
      .bind(yesterday, fan.user.user_id)
      .run();
    expect(await freeLeft(fan, artist)).toBe(3);
    await write(fan, artist);
  });

  test("is refused by a creator who has switched letters off", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "とどきますか" };
    await ask(updateProfile, { token: artist.token, body: { accepts_free_ofuses: false } });
    await refused(sendFreeOfuse, "free_ofuse_not_accepted", { token: fan.token, body });
    await ask(updateProfile, { token: artist.token, body: { accepts_free_ofuses: true } });
    await ask(sendFreeOfuse, { token: fan.token, body });
  });

  test("to oneself or to an unknown person is refused", async () => {
    const { token, user } = await freshMember("わたし");
    const message = "わたしへ";
    await refused(sendFreeOfuse, "cannot_ofuse_yourself", { token, body: { receiver_user_id: user.user_id, message } });
    await refused(sendFreeOfuse, "not_found", { token, body: { receiver_user_id: NOBODY, message } });
    await refused(sendFreeOfuse, "validation_failed", { token, body: { receiver_user_id: "natsume", message } });
  });
});

describe("the letters on a creator's page", () => {
  test("are the public ones, without the words of private ones", async () => {
    const [fan, artist] = await pair();
    await write(fan, artist, "みんなに見せたい言葉", true);
    await write(fan, artist, "ふたりだけの秘密です", false);
    for (const token of [null, fan.token, artist.token]) {
      const reply = await send(listUserOfuses, { params: { user_id: artist.user.user_id }, token });
      const { ofuses } = succeeded(listUserOfuses, reply);
      expect(ofuses.map(({ message }) => message)).toEqual(["みんなに見せたい言葉"]);
      expect(reply.text).not.toContain("ふたりだけの秘密です");
    }
  });

  describe("hidden by their receiver", () => {
    const onPage = async (artist: Member, token: string | null = null) =>
      (await ask(listUserOfuses, { params: { user_id: artist.user.user_id }, token })).ofuses;
    const shown = async (artist: Member, token: string | null = null) =>
      (await onPage(artist, token)).map(({ message }) => message);

    test("disappear for everybody, and the receiver can restore them", async () => {
      const [fan, artist] = await pair();
      const { ofuse } = await write(fan, artist, "外される言葉", true);
      await write(fan, artist, "残る言葉", true);
      const call = { params: { ofuse_id: ofuse.ofuse_id }, token: artist.token };
      for (let round = 0; round < 2; round++) {
        const answer = await ask(updateOfuse, { ...call, body: { is_hidden: true } });
        expect(answer.ofuse).toMatchObject({ is_hidden: true, is_public: true });
      }
      for (const token of [null, fan.token]) expect(await shown(artist, token)).toEqual(["残る言葉"]);
      expect((await onPage(artist, artist.token)).map(({ is_hidden }) => is_hidden)).toEqual([false, true]);
      // Its sender does not see that it was hidden.
      expect((await ask(getOfuse, { ...call, token: fan.token })).ofuse).toMatchObject({ is_hidden: false });
      expect((await ask(listOfuses, { token: artist.token })).ofuses).toHaveLength(2);
      await ask(updateOfuse, { ...call, body: { is_hidden: false } });
      expect(await shown(artist)).toEqual(["残る言葉", "外される言葉"]);
    });

    test("can be hidden or restored by nobody else", async () => {
      const [[fan, artist], stranger] = await Promise.all([pair(), freshMember("他人")]);
      const params = { ofuse_id: (await write(fan, artist, "みんなの言葉", true)).ofuse.ofuse_id };
      for (const is_hidden of [true, false]) {
        for (const { token } of [fan, stranger]) {
          await refused(updateOfuse, "not_found", { params, token, body: { is_hidden } });
        }
        await refused(updateOfuse, "unauthenticated", { params, body: { is_hidden } });
      }
      expect(await shown(artist)).toEqual(["みんなの言葉"]);
    });

    test("disappear with a block, also from followers' activities, and stay hidden after it ends", async () => {
      const [[fan, artist], follower, other] = await Promise.all([pair(), freshMember("読者"), freshMember("別の人")]);
      const { ofuse } = await write(fan, artist, "こまる言葉", true);
      await write(other, artist, "よい言葉", true);
      const params = { ofuse_id: ofuse.ofuse_id };
      await ask(updateOfuse, { params, token: artist.token, body: { reply: "やめてください" } });
      await ask(follow, { token: follower.token, body: { following_id: artist.user.user_id } });
      const news = async () =>
        (await ask(listFollowingActivities, { token: follower.token, query: {} })).activities.map(
          ({ activity_id }) => activity_id,
        );
      expect(await news()).toContain(ofuse.ofuse_id);
      await ask(createBlock, { token: artist.token, body: { blocking_id: fan.user.user_id } });
      for (const token of [null, fan.token, artist.token, follower.token]) {
        expect(await shown(artist, token)).toEqual(["よい言葉"]);
      }
      expect(await news()).not.toContain(ofuse.ofuse_id);
      await ask(deleteBlock, { token: artist.token, params: { blocking_id: fan.user.user_id } });
      expect(await shown(artist)).toEqual(["よい言葉"]);
      await ask(updateOfuse, { params, token: artist.token, body: { is_hidden: false } });
      expect(await shown(artist)).toEqual(["よい言葉", "こまる言葉"]);
    });

    test("are hidden and restored by buttons, with JavaScript off", async () => {
      const [fan, artist] = await pair();
      const { ofuse } = await write(fan, artist, "ボタンで外す言葉", true);
      const [own, visitor] = await Promise.all([browser(), browser()]);
      await own.signIn(artist);
      const path = `/${artist.user.link_id}/ofuse`;
      for (const [button, operation, note, is_shown] of [
        ["ページから外す", "hide", "ページから外しました", false],
        ["ページに戻す", "show", "ページに戻しました", true],
      ] as const) {
        for (const stands_at of [path, `/my/box/${ofuse.ofuse_id}`]) {
          const { text } = await own.get(stands_at);
          const form = new RegExp(`action="/my/box/${ofuse.ofuse_id}"[^>]*>(?:(?!</form>).)*${button}`, "s");
          expect(text, `${button} at ${stands_at}`).toMatch(form);
        }
        const sent = await own.post(`/my/box/${ofuse.ofuse_id}`, { operation, to: path });
        expect([sent.status, sent.location]).toEqual([303, path]);
        expect((await own.get(path)).text).toContain(note);
        // A cached page checks its version once a second.
        await waitUntil(async () => expect((await visitor.get(path)).text.includes("ボタンで外す言葉")).toBe(is_shown));
      }
      expect((await visitor.get(path)).text).not.toContain("ページから外す");
    });
  });

  test("come newest first, a few at a time, each once", async () => {
    const user_id = await userId("natsume");
    const seen: string[] = [];
    let after: string | undefined;
    for (let has_next = true; has_next; ) {
      const page = await ask(listUserOfuses, { params: { user_id }, query: { first: 4, ...(after && { after }) } });
      expect(page.ofuses.length).toBeLessThanOrEqual(4);
      seen.push(...page.ofuses.map(({ message }) => message));
      after = page.ofuses.at(-1)?.ofuse_id;
      has_next = page.has_next;
    }
    const demo = letters.filter((letter) => letter.to === "natsume" && letter.is_public).reverse();
    // There are paid letters too, and those that other tests have written since.
    const free = new Set(demo.map(({ message }) => message));
    expect(seen.filter((message) => free.has(message))).toEqual([...free]);
    expect(new Set(seen).size).toBe(seen.length);
    for (const letter of letters.filter(({ is_public }) => !is_public)) expect(seen).not.toContain(letter.message);
    for (const query of [{ first: 0 }, { first: 101 }]) {
      await refused(listUserOfuses, "validation_failed", { params: { user_id }, query });
    }
    await refused(listUserOfuses, "not_found", { params: { user_id }, query: { after: "x" } });
  });
});

describe("the letter box", () => {
  let artist: Member;
  let fan: Member;
  const box = async (query: Record<string, string | number | boolean> = {}) =>
    (await ask(listOfuses, { token: artist.token, query })).ofuses.map(({ message }) => message);

  beforeAll(async () => {
    [fan, artist] = await pair();
    const first = await write(fan, artist, "一通目");
    await write(fan, artist, "二通目");
    await write(artist, fan, "送った手紙");
    const answered = { params: { ofuse_id: first.ofuse.ofuse_id }, token: artist.token };
    await ask(updateOfuse, { ...answered, body: { reply: "ありがとう" } });
    const row = [NOBODY.replace("zz", "yy"), fan.user.user_id, artist.user.user_id, 550, "有料の手紙", 0];
    await (await database())
      .prepare(
        `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
         VALUES (?, ?, ?, ?, ?, ?, '2026-01-01T00:00:00.000Z')`,
      )
      .bind(...row)
      .run();
  });

  test("shows received letters newest first, and sent ones when asked", async () => {
    expect(await box()).toEqual(["二通目", "一通目", "有料の手紙"]);
    expect(await box({ type: "sent" })).toEqual(["送った手紙"]);
  });

  test("is sorted and filtered as asked", async () => {
    expect(await box({ sort_by: "oldest" })).toEqual(["有料の手紙", "一通目", "二通目"]);
    expect(await box({ sort_by: "amount" })).toEqual(["有料の手紙", "二通目", "一通目"]);
    expect(await box({ paid: true })).toEqual(["有料の手紙"]);
    expect(await box({ paid: false })).toEqual(["二通目", "一通目"]);
    expect(await box({ is_not_replied: true })).toEqual(["二通目", "有料の手紙"]);
    expect(await box({ is_not_replied: false })).toEqual(["一通目"]);
    expect(await box({ is_not_replied: true, paid: true })).toEqual(["有料の手紙"]);
  });

  test("is read page by page", async () => {
    const first = await ask(listOfuses, { token: artist.token, query: { page_size: 2 } });
    const second = await ask(listOfuses, { token: artist.token, query: { page_size: 2, page_number: 2 } });
    expect([first.has_next, first.ofuses.length, second.has_next, second.ofuses.length]).toEqual([true, 2, false, 1]);
  });

  test("refuses unknown filters", async () => {
    for (const query of [{ type: "all" }, { paid: "maybe" }, { sort_by: "random" }, { page_size: 0 }]) {
      await refused(listOfuses, "validation_failed", { token: artist.token, query });
    }
  });
});

describe("a letter between two members", () => {
  let artist: Member;
  let fan: Member;
  let stranger: Member;
  let params: { ofuse_id: string };
  beforeAll(async () => {
    [fan, artist] = await pair();
    stranger = await freshMember("他人");
  });
  const fresh = async () => {
    const [sender, receiver] = await pair();
    const { ofuse } = await write(sender, receiver);
    return { sender, receiver, params: { ofuse_id: ofuse.ofuse_id } };
  };

  test("can be read by both, and is not found by others", async () => {
    params = { ofuse_id: (await write(fan, artist)).ofuse.ofuse_id };
    expect((await ask(getOfuse, { params, token: fan.token })).ofuse.type).toBe("sent");
    expect((await ask(getOfuse, { params, token: artist.token })).ofuse.type).toBe("received");
    await refused(getOfuse, "not_found", { params, token: stranger.token });
    await refused(getOfuse, "not_found", { params: { ofuse_id: NOBODY }, token: fan.token });
  });

  test.each([
    ["opened", updateOfuse, { is_opened: true }],
    ["answered", updateOfuse, { reply: "返信" }],
    ["liked", likeOfuse, { is_liked: true }],
  ])("is %s by its receiver alone", async (_, operation, body) => {
    const letter = await fresh();
    for (const { token } of [letter.sender, stranger]) {
      await refused(operation, "not_found", { params: letter.params, token, body });
    }
    const { ofuse } = await ask(getOfuse, { params: letter.params, token: letter.receiver.token });
    expect(ofuse).toMatchObject({ is_opened: false, is_liked: false, reply: null });
  });

  test("is opened, which its sender also sees", async () => {
    const letter = await fresh();
    for (let round = 0; round < 2; round++) {
      const answer = { params: letter.params, token: letter.receiver.token, body: { is_opened: true } } as const;
      expect((await ask(updateOfuse, answer)).ofuse.is_opened).toBe(true);
    }
    expect((await ask(getOfuse, { params: letter.params, token: letter.sender.token })).ofuse.is_opened).toBe(true);
    await refused(updateOfuse, "validation_failed", {
      params: letter.params,
      token: letter.receiver.token,
      body: { is_opened: false },
    });
  });

  test("gets one reply, which also opens it", async () => {
    const letter = await fresh();
    const call = { params: letter.params, token: letter.receiver.token };
    const { ofuse } = await ask(updateOfuse, { ...call, body: { reply: " ありがとう\n" } });
    expect(ofuse).toMatchObject({ is_opened: true, is_not_replied: false, reply: { message: "ありがとう" } });
    await refused(updateOfuse, "ofuse_already_replied", { ...call, body: { reply: "もう一通" } });
    expect((await ask(getOfuse, { ...call, token: letter.sender.token })).ofuse.reply).toEqual(ofuse.reply);
  });

  test("gets one reply also when ten arrive at once", async () => {
    const letter = await fresh();
    const call = { params: letter.params, token: letter.receiver.token };
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => send(updateOfuse, { ...call, body: { reply: `返信${n}` } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test.each([
    ["nothing", ""],
    ["1,001 letters", "あ".repeat(1001)],
    ["100 kB of marks", `e${"\u0301".repeat(50_000)}`],
  ])("refuses a reply with %s", async (_, reply) => {
    const letter = await fresh();
    const call = { params: letter.params, token: letter.receiver.token };
    await refused(updateOfuse, "validation_failed", { ...call, body: { reply } });
    await ask(updateOfuse, { ...call, body: { reply: "あ".repeat(1000) } });
  });

  test("can be liked and unliked repeatedly", async () => {
    const letter = await fresh();
    const call = { params: letter.params, token: letter.receiver.token };
    for (const is_liked of [true, true, false, false, true]) {
      expect(await ask(likeOfuse, { ...call, body: { is_liked } })).toEqual({ is_liked });
      expect((await ask(getOfuse, { params: letter.params, token: letter.sender.token })).ofuse.is_liked).toBe(
        is_liked,
      );
    }
  });
});

test("a right-to-left name does not reorder the words around it", async () => {
  const [fan, artist] = await Promise.all([freshMember("مرحبا"), freshMember("שלום")]);
  const { ofuse } = await write(fan, artist, "公開の手紙", true);
  const [own, visitor] = await Promise.all([browser(), browser()]);
  await own.signIn(artist);
  await tick();
  for (const path of [
    "/my/box",
    `/my/box/${ofuse.ofuse_id}`,
    `/my/box/${ofuse.ofuse_id}/report`,
    "/my/notifications",
  ]) {
    expect((await own.get(path)).text, path).toContain("<bdi>مرحبا");
  }
  const page = (await visitor.get(`/${artist.user.link_id}/ofuse`)).text;
  for (const name of ["مرحبا", "שלום"]) expect(page).toContain(`<bdi>${name}</bdi>`);
});

test("a letter sent twice at once by a form without a key is stored once", async () => {
  const [fan, artist] = await pair();
  // The page was rendered for a visitor, who has signed in in another tab since.
  const own = await browser();
  await own.signIn(fan);
  const path = `/${artist.user.link_id}/ofuse`;
  const sent = await Promise.all([1, 2, 3].map(() => own.post(path, { message: "二度押した手紙" })));
  expect(sent.map(({ status }) => status)).toEqual([303, 303, 303]);
  await own.post(path, { message: "次の手紙" });
  const { ofuses } = await ask(listOfuses, { token: artist.token });
  expect(ofuses.map(({ message }) => message)).toEqual(["次の手紙", "二度押した手紙"]);
});

describe("the letter box as a page", () => {
  const shown = async (own: Browser, path: string) =>
    [...(await own.get(path)).text.matchAll(/class="letter-message letter-message-short">([^<]*)/g)].map(
      ([, text]) => text,
    );

  test("opens on sent letters for a fan who received none, and shows the others when asked", async () => {
    const [fan, artist] = await pair();
    await write(fan, artist, "ファンの手紙");
    const own = await browser();
    await own.signIn(fan);
    expect(await shown(own, "/my/box")).toEqual(["ファンの手紙"]);
    const received = await own.get("/my/box?type=received");
    expect(received.text).toContain("まだofuseは届いていません");
    expect((await own.get("/my/box")).text).toContain('href="/my/box?type=received"');
    await write(artist, fan, "お返し");
    expect(await shown(own, "/my/box")).toEqual(["お返し"]);
  });

  test("is filtered by price and sorted by its form, in both directions, page by page", async () => {
    const [fan, artist] = await pair();
    const row = (message: string, amount: number, day: number) =>
      [
        newId(Date.now()),
        fan.user.user_id,
        artist.user.user_id,
        amount,
        message,
        `2026-01-0${day}T00:00:00.000Z`,
      ] as const;
    const insert = (await database()).prepare(
      `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
       VALUES (?, ?, ?, ?, ?, 0, ?)`,
    );
    for (const letter of [row("一", 0, 1), row("二", 550, 2), row("三", 0, 3), row("四", 100, 4)]) {
      await insert.bind(...letter).run();
    }
    const own = await browser();
    await own.signIn(artist);
    expect(await shown(own, "/my/box")).toEqual(["四", "三", "二", "一"]);
    expect(await shown(own, "/my/box?sort=oldest")).toEqual(["一", "二", "三", "四"]);
    expect(await shown(own, "/my/box?sort=amount")).toEqual(["二", "四", "三", "一"]);
    expect(await shown(own, "/my/box?price=free")).toEqual(["三", "一"]);
    expect(await shown(own, "/my/box?type=received&price=paid&sort=oldest")).toEqual(["二", "四"]);
    // What the form sends when nothing is chosen. Our links never contain it.
    expect(await shown(own, "/my/box?type=received&price=&sort=newest")).toHaveLength(4);
    expect(await shown(own, "/my/box?price=x&sort=y&type=z")).toHaveLength(4);
    const { text } = await own.get("/my/box?filter=not_replied&price=paid&sort=oldest");
    expect(text).toContain('<input type="hidden" name="filter" value="not_replied"/>');
    expect(text).toMatch(/<option value="paid" selected=""/);
    expect(text).toMatch(/<option value="oldest" selected=""/);
    expect(text).toContain("type=sent&amp;price=paid&amp;sort=oldest");
  });
});

test("paid letters do not count as free ones", async () => {
  const [fan, artist] = await pair();
  const [from, to] = [fan.user.user_id, artist.user.user_id];
  const insert = (await database()).prepare(
    `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, created_at)
     VALUES (?, ?, ?, 550, '有料の手紙', 0, ?)`,
  );
  for (let n = 0; n < 3; n++) await insert.bind(newId(Date.now()), from, to, new Date().toISOString()).run();
  await ask(sendFreeOfuse, { token: fan.token, body: { receiver_user_id: to, message: "こんにちは" } });
});

describe("exporting the letter box", () => {
  let [fan, artist] = [] as unknown as [Member, Member];
  let own: Browser;
  beforeAll(async () => {
    [fan, artist] = await pair();
    own = await browser();
    await own.signIn(artist);
    const insert = (await database()).prepare(
      `INSERT INTO ofuses (ofuse_id, sender_user_id, receiver_user_id, amount, message, is_public, is_anonymous,
         letter_appearance_id, stamp_id, created_at)
       VALUES (?, ?, ?, ?, ?, 0, ?, 'sakura', 'tea', ?)`,
    );
    const [from, to] = [fan.user.user_id, artist.user.user_id];
    const [first_ms, last] = [Date.UTC(2026, 2, 1), 101];
    const rows = Array.from({ length: last + 1 }, (_, n) => {
      const message = n === 0 ? "=HYPERLINK(1)\n二行目" : `手紙${n}`;
      const at_ms = first_ms + n * 1000;
      return insert.bind(
        newId(at_ms),
        from,
        to,
        n === last ? 500 : 0,
        message,
        Number(n === last),
        new Date(at_ms).toISOString(),
      );
    });
    await (await database()).batch(rows);
  });

  test("saves every letter of the view as CSV, oldest first, and names no anonymous sender", async () => {
    const { status, headers, text } = await own.get("/my/box/letters.csv?type=received&sort=amount");
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(headers.get("content-disposition")).toContain("ofuse-received.csv");
    const lines = text.split("\r\n").slice(1, -1);
    expect(lines).toHaveLength(102);
    expect(lines[0]).toMatch(
      /^2026\/03\/01 09:00:00,届いた,ofuse,ファン,\w+,0,"'=HYPERLINK\(1\)\n二行目",,,桜,おつかれさま,,未読,\w{26},$/,
    );
    expect(lines[101]).toMatch(/^2026\/03\/01 09:01:41,届いた,ファンレター,匿名,,500,手紙101,/);
    const some = await own.get("/my/box/letters.csv?type=received&keyword=%E6%89%8B%E7%B4%997&price=free");
    expect(some.text.match(/手紙\d+/g)).toEqual(["手紙7", ...Array.from({ length: 10 }, (_, n) => `手紙7${n}`)]);
  });

  test("says in the CSV of either person that the money went back", async () => {
    for (const [name, type] of [
      ["kanade", "received"],
      ["fan_aoi", "sent"],
    ] as const) {
      const { text } = await (await openBrowserAs(name)).get(`/my/box/letters.csv?type=${type}`);
      const returned = text.split("\r\n").filter((line) => line.endsWith(",返金済み"));
      expect(returned, name).toEqual([expect.stringContaining("同じ内容を二回送ってしまいました。")]);
    }
  });

  test("shows sheets to print, fifty at once, each with its paper and stamp, and names no anonymous sender", async () => {
    const { text } = await own.get("/my/box/print?type=received");
    expect(text.match(/<article class="letter-sheet paper paper-sakura">/g)).toHaveLength(50);
    expect(text).toContain('src="/letter-looks/tea.svg"');
    expect(text).toMatch(/letter-sheet-from">(?:(?!<\/footer>).)*匿名/);
    expect(text).toContain('href="/my/box/print?type=received&amp;page=2"');
    expect((await own.get("/my/box/print?type=received&page=4")).status).toBe(404);
  });

  test("shows one letter to its sender and its receiver alone", async () => {
    const { ofuse } = await write(fan, artist, "額に入れたい手紙");
    const path = `/my/box/print?letter=${ofuse.ofuse_id}`;
    const [sender, stranger] = await Promise.all([browser(), browser()]);
    await Promise.all([sender.signIn(fan), stranger.signIn("fan_taro")]);
    for (const person of [own, sender]) expect((await person.get(path)).text).toContain("額に入れたい手紙");
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.get("/my/box/letters.csv?type=received")).text).not.toContain("額に入れたい手紙");
  });
});

test("a page with the last entry has no next page", async () => {
  const [fan, artist] = await pair();
  for (let n = 0; n < 3; n++)
    await ask(sendFreeOfuse, { token: fan.token, body: { receiver_user_id: artist.user.user_id, message: "あ" } });
  const full = await ask(listOfuses, { token: artist.token, query: { page_size: 3 } });
  expect([full.has_next, full.ofuses.length]).toEqual([false, 3]);
});

describe("a creator's automatic reply", () => {
  const none = { free_ofuse_message: null, paid_ofuse_message: null, subscription_message: null };

  test("is empty until the creator sets it, then has the set words, and each can be removed", async () => {
    const [fan, artist] = await pair();
    const read = async () => (await ask(getReactions, { token: artist.token })).reactions;
    expect(await read()).toEqual(none);
    const wanted = { ...none, free_ofuse_message: " 読みました。\r\nありがとう！ ", subscription_message: "ようこそ" };
    const said = { ...wanted, free_ofuse_message: "読みました。\nありがとう！" };
    expect(await ask(updateReactions, { token: artist.token, body: wanted })).toEqual({ reactions: said });
    expect(await read()).toEqual(said);
    expect((await ask(getReactions, { token: fan.token })).reactions, "somebody else's").toEqual(none);
    await ask(updateReactions, { token: artist.token, body: { ...said, free_ofuse_message: "" } });
    expect(await read()).toEqual({ ...said, free_ofuse_message: null });
  });

  test("comes with the sent letter, also when it is retried under its key", async () => {
    const [fan, artist] = await pair();
    const body = { receiver_user_id: artist.user.user_id, message: "こんにちは" };
    expect(await ask(sendFreeOfuse, { token: fan.token, body })).toMatchObject({ reaction: null });
    const reactions = { ...none, free_ofuse_message: "読みました", paid_ofuse_message: "有料のお礼" };
    await ask(updateReactions, { token: artist.token, body: reactions });
    const call = { token: fan.token, body, key: crypto.randomUUID() };
    expect(await ask(sendFreeOfuse, call)).toMatchObject({ reaction: "読みました" });
    await ask(updateReactions, { token: artist.token, body: none });
    expect(await ask(sendFreeOfuse, call)).toMatchObject({ reaction: "読みました" });
  });

  test("can be set by a member, in 200 letters", async () => {
    const [, artist] = await pair();
    const long = { ...none, paid_ofuse_message: "あ".repeat(201) };
    const { errors } = await refused(updateReactions, "validation_failed", { token: artist.token, body: long });
    expect(errors).toHaveProperty("paid_ofuse_message");
    await refused(getReactions, "unauthenticated");
    await refused(updateReactions, "registration_required", { token: await signIn("fan_new"), body: none });
  });
});
