import { beforeAll, describe, expect, test } from "vitest";
import { listFollowingActivities } from "../../workers/api/activities/queries.ts";
import { claimStatement, replyToOfuse } from "../../workers/api/ofuses/commands.ts";
import { type BoxFilter, findNeighbors, listOfuses, listPublicOfuses } from "../../workers/api/ofuses/queries.ts";
import { reportOfuse, takeDownStatements } from "../../workers/api/reports/commands.ts";
import { openDatabase, type Tables } from "../../workers/api/storage/database.ts";
import { listUserOfuses } from "../../workers/contract/ofuses.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

type Letter = Partial<
  Pick<Tables["ofuses"], "message" | "amount" | "opened_at" | "sender_user_id" | "receiver_user_id">
> & {
  is_anonymous?: number;
  is_public?: number;
  guest_name?: string;
};

let [artist, fan, other] = ["", "", ""];
let minute = 0;

/** Adds a letter to the artist, a minute after the one before. Returns its id. */
async function addLetter(letter: Letter): Promise<string> {
  const at_ms = NOW_MS + 60_000 * minute++;
  const row = {
    ofuse_id: newId(at_ms),
    sender_user_id: fan,
    receiver_user_id: artist,
    amount: 0,
    message: "こんにちは",
    is_public: 0,
    opened_at: null,
    liked_at: null,
    reply_message: null,
    replied_at: null,
    created_at: new Date(at_ms).toISOString(),
    removed_at: null,
    hidden_at: null,
    ...letter,
  };
  const { sql, parameters } = openDatabase(d1).insertInto("ofuses").values(row).compile();
  await d1
    .prepare(sql)
    .bind(...parameters)
    .run();
  return row.ofuse_id;
}

const rename = (user_id: string, name: string) =>
  d1.prepare("UPDATE users SET name = ? WHERE user_id = ?").bind(name, user_id).run();

async function idsOf(viewer: string, filter: Partial<BoxFilter> & { after?: string; page_size?: number }) {
  const input = { page_number: 1, page_size: 20, type: "received", sort_by: "newest", ...filter } as const;
  return (await listOfuses(contextOf(viewer), viewer, input)).ofuses.map(({ ofuse_id }) => ofuse_id);
}
const found = (viewer: string, keyword: string, type: BoxFilter["type"] = "received") =>
  idsOf(viewer, { keyword, type });

beforeAll(async () => {
  [artist, fan, other] = [await addUser("box_artist"), await addUser("box_fan"), await addUser("box_other")];
  await rename(artist, "なつめ工房");
  await rename(fan, "たろう");
  await rename(other, "Hanako");
});

describe("searching a letter box", () => {
  let [guitar, piano, secret, stranger] = ["", "", "", ""];
  beforeAll(async () => {
    stranger = await addUser("box_writer_of_wide_words");
    guitar = await addLetter({ message: "ギターの音が\nすてきでした。Live最高！ 100%の力" });
    piano = await addLetter({ message: "ぴあのを習いはじめました", sender_user_id: other });
    secret = await addLetter({ message: "名前はひみつです", is_anonymous: 1, sender_user_id: other, amount: 500 });
  });

  test.each([
    ["a part of a word", "すてき", () => [guitar]],
    ["hiragana for katakana", "ぎたー", () => [guitar]],
    ["katakana for hiragana", "ピアノ", () => [piano]],
    ["half-width kana", "ｷﾞﾀｰ", () => [guitar]],
    ["capital and full-width letters", "ＬＩＶＥ", () => [guitar]],
    ["several words, in any order", "最高 ギター", () => [guitar]],
    ["words that no single letter has", "ギター ぴあの", () => []],
    ["a sign with a meaning in SQL", "100%", () => [guitar]],
    ["the sender's name", "たろう", () => [guitar]],
    ["the sender's name in capitals", "HANAKO", () => [piano]],
    ["what an anonymous letter shows as its sender", "匿名", () => [secret]],
  ])("finds %s", async (_name, keyword, letters) => {
    expect(await found(artist, keyword)).toEqual(letters());
  });

  test.each(["ＡＢＣをありがとう", "ａｂｃをありがとう", "Ａｂｃをありがとう", "ABCをありがとう"])(
    "finds %s by any writing of ABC",
    async (message) => {
      const letter = await addLetter({ message, sender_user_id: stranger });
      for (const keyword of ["ABC", "abc", "ＡＢＣ", "ａｂｃ"])
        expect(await found(artist, keyword), keyword).toContain(letter);
    },
  );

  test("finds half-width kana and full-width digits by kana and digits of any width", async () => {
    const letter = await addLetter({ message: "ﾊﾝｶｸのｷﾞﾀｰと１０周年", sender_user_id: stranger });
    for (const keyword of ["ハンカク", "はんかく", "ﾊﾝｶｸ", "ぎたー ハン", "10周年", "１０周年"]) {
      expect(await found(artist, keyword), keyword).toContain(letter);
    }
    for (const keyword of ["11周年", "ハンガク"]) expect(await found(artist, keyword), keyword).not.toContain(letter);
  });

  test("finds letters sent by their words and their receiver, and nothing in anybody else's box", async () => {
    expect(await found(other, "なつめ", "sent")).toEqual([secret, piano]);
    expect(await found(other, "ピアノ", "sent")).toEqual([piano]);
    expect(await found(fan, "ピアノ", "sent")).toEqual([]);
    expect(await found(fan, "ピアノ")).toEqual([]);
  });

  test("keeps the filters and the order of the box", async () => {
    expect(await idsOf(artist, { keyword: "です", sort_by: "oldest" })).toEqual([secret]);
    expect(await idsOf(artist, { keyword: "ま", paid: true })).toEqual([]);
    expect(await idsOf(artist, { keyword: "名前", paid: true, sort_by: "amount" })).toEqual([secret]);
  });

  test("finds a reply and a new name, and no longer the old name", async () => {
    await replyToOfuse(contextOf(artist), guitar, "また弾きますね");
    for (const [viewer, type] of [
      [artist, "received"],
      [fan, "sent"],
    ] as const) {
      expect(await found(viewer, "弾きます", type)).toEqual([guitar]);
    }
    await rename(fan, "タロー改");
    expect(await found(artist, "たろう")).toEqual([]);
    expect(await found(artist, "タロー")).toEqual([guitar]);
  });

  test("finds a guest's letter by the guest's name, and after the claim by the member's", async () => {
    const claimed = await addLetter({ sender_user_id: null, guest_name: "旅の人", amount: 300, message: "ゲストから" });
    const hidden = await addLetter({ sender_user_id: null, is_anonymous: 1, amount: 300, message: "ゲストから内緒で" });
    expect(await found(artist, "旅の人")).toEqual([claimed]);
    const member = await addUser("box_claimer");
    for (const ofuse_id of [claimed, hidden]) {
      const { sql, parameters } = claimStatement(contextOf(member), ofuse_id, member);
      await d1
        .prepare(sql)
        .bind(...parameters)
        .run();
    }
    expect(await found(artist, "旅の人")).toEqual([]);
    expect(await found(artist, "box_claimer")).toEqual([claimed]);
    expect(await found(member, "ゲストから", "sent")).toEqual([hidden, claimed]);
  });
});

test("no page of one's own letters begins at a letter of another box", async () => {
  const [viewer, stranger] = [await addUser("box_curious"), await addUser("box_stranger")];
  const to = { receiver_user_id: viewer };
  const [cheap, dear] = [await addLetter({ ...to, amount: 100 }), await addLetter({ ...to, amount: 900 })];
  const between = { amount: 500, opened_at: new Date(NOW_MS).toISOString() };
  const foreign = await addLetter({ ...between, receiver_user_id: stranger });
  const answered = await addLetter({ ...between, receiver_user_id: stranger, sender_user_id: viewer });
  const late = await addLetter(to);
  for (const sort_by of ["newest", "oldest", "amount", "unread"] as const) {
    for (const after of [foreign, answered, newId(NOW_MS)]) {
      expect(await idsOf(viewer, { sort_by, after }), `${sort_by} after ${after}`).toEqual([]);
    }
    const box = { type: "received", sort_by } as const;
    const { next_ofuse_id, previous_ofuse_id } = await findNeighbors(contextOf(viewer), viewer, foreign, box);
    expect([next_ofuse_id, previous_ofuse_id]).toEqual([null, null]);
  }
  expect(await idsOf(viewer, { sort_by: "amount", after: dear })).toEqual([cheap, late]);
  const sent_later = await addLetter({ receiver_user_id: stranger, sender_user_id: viewer });
  expect(await idsOf(viewer, { type: "sent", after: sent_later })).toEqual([answered]);
});

test("a page of public letters has a hundred for a member and 25 for a visitor", async () => {
  const receiver = await addUser("box_public");
  for (let n = 0; n < 27; n++) await addLetter({ receiver_user_id: receiver, is_public: 1 });
  const pageOf = async (viewer: string | null, asked?: number) => {
    const { first } = listUserOfuses.query.parse({ first: asked });
    const { ofuses, has_next } = await listPublicOfuses(contextOf(viewer), receiver, { first });
    return [ofuses.length, has_next];
  };
  expect(await pageOf(fan, 100)).toEqual([27, false]);
  expect(await pageOf(null, 100)).toEqual([25, true]);
  expect([await pageOf(fan), await pageOf(null)]).toEqual([
    [20, true],
    [20, true],
  ]);
  expect(listUserOfuses.query.safeParse({ first: 101 }).success).toBe(false);
});

test("an anonymous public letter stays when its sender is disabled, until an operator removes it", async () => {
  const [receiver, sender] = await Promise.all(["box_told", "box_spammer"].map((link_id) => addUser(link_id)));
  if (!receiver || !sender) throw new Error("no people");
  const to = { receiver_user_id: receiver, sender_user_id: sender, is_public: 1, amount: 300 };
  const named = await addLetter(to);
  const hidden = await addLetter({ ...to, is_anonymous: 1 });
  const seenBy = async (viewer: string | null) =>
    (await listPublicOfuses(contextOf(viewer), receiver, { first: 20 })).ofuses.map(({ ofuse_id }) => ofuse_id);
  expect(await seenBy(receiver)).toEqual([hidden, named]);
  await d1.prepare("UPDATE users SET disabled_at = '2026-11-20' WHERE user_id = ?").bind(sender).run();
  expect([await seenBy(receiver), await seenBy(null)]).toEqual([[hidden], [hidden]]);
  const subject = { subject_type: "ofuse", subject_id: hidden } as const;
  await runBatch(d1, takeDownStatements(contextOf(null), subject, { removal_id: newId(NOW_MS), note: "広告" }));
  expect([await seenBy(receiver), await seenBy(null), await idsOf(receiver, {})]).toEqual([[], [], [named]]);
});

describe("a public letter to somebody else", () => {
  /** A reader follows an artist, to whom a troll, a friend and a guest wrote; the artist answered all, the newest last. */
  async function addPage(name: string) {
    const [reader, receiver, troll, friend] = await Promise.all(
      ["reader", "artist", "troll", "friend"].map((role) => addUser(`${name}_${role}`)),
    );
    if (!reader || !receiver || !troll || !friend) throw new Error("no people");
    await d1.prepare("INSERT INTO relationships VALUES (?, ?, 1, '2026-11-20')").bind(reader, receiver).run();
    const to = { receiver_user_id: receiver, is_public: 1 };
    const letters = {
      guest: await addLetter({ ...to, sender_user_id: null, guest_name: "ゲスト", amount: 300 }),
      friend: await addLetter({ ...to, sender_user_id: friend }),
      hidden: await addLetter({ ...to, sender_user_id: troll, is_anonymous: 1, amount: 300 }),
      troll: await addLetter({ ...to, sender_user_id: troll }),
    };
    await d1
      .prepare("UPDATE ofuses SET reply_message = 'へんじ', replied_at = created_at WHERE receiver_user_id = ?")
      .bind(receiver)
      .run();
    const onPage = async (viewer: string | null) =>
      (await listPublicOfuses(contextOf(viewer), receiver, { first: 20 })).ofuses.map(({ ofuse_id }) => ofuse_id);
    const inNews = async (first: number) => {
      const news = await listFollowingActivities(contextOf(reader), reader, { filter: "all", first });
      return { ids: news.activities.map(({ activity_id }) => activity_id), has_next: news.has_next };
    };
    return { reader, receiver, troll, letters, onPage, inNews };
  }

  test("disappears for the person who blocks its named sender, and fills no place of a page", async () => {
    const { reader, receiver, troll, letters, onPage, inNews } = await addPage("blocked");
    const all = [letters.troll, letters.hidden, letters.friend, letters.guest];
    expect([await onPage(reader), (await inNews(20)).ids]).toEqual([all, all]);
    await d1.prepare("INSERT INTO blocks VALUES (?, ?, '2026-11-20')").bind(reader, troll).run();
    const rest = all.slice(1);
    expect([await onPage(reader), await inNews(2)]).toEqual([rest, { ids: rest.slice(0, 2), has_next: true }]);
    expect([await onPage(null), await onPage(receiver), await onPage(troll)]).toEqual([all, all, all]);
  });

  test("disappears for another reader who reports it, and for nobody else", async () => {
    const { reader, receiver, troll, letters, onPage, inNews } = await addPage("reported");
    const all = [letters.troll, letters.hidden, letters.friend, letters.guest];
    const complaint = { reason: "slander", detail: "" } as const;
    for (const ofuse_id of [letters.troll, letters.hidden, letters.guest, letters.guest]) {
      await reportOfuse(contextOf(reader), ofuse_id, complaint);
    }
    expect([await onPage(reader), await inNews(1)]).toEqual([
      [letters.friend],
      { ids: [letters.friend], has_next: false },
    ]);
    expect([await onPage(null), await onPage(receiver), await onPage(troll)]).toEqual([all, all, all]);
    expect(await idsOf(receiver, {})).toEqual(all);
    const { results } = await d1
      .prepare("SELECT subject_id, subject_user_id FROM reports WHERE reporter_user_id = ? ORDER BY subject_id DESC")
      .bind(reader)
      .all();
    expect(results).toEqual([
      { subject_id: letters.troll, subject_user_id: troll },
      { subject_id: letters.hidden, subject_user_id: troll },
      { subject_id: letters.guest, subject_user_id: null },
    ]);
    await expect(reportOfuse(contextOf(troll), letters.hidden, complaint)).rejects.toMatchObject({
      code: "cannot_report_yourself",
    });
  });

  test("can be reported by another reader only while the page shows it", async () => {
    const { reader, receiver, letters, onPage } = await addPage("unreportable");
    const report = (viewer: string, ofuse_id: string) =>
      reportOfuse(contextOf(viewer), ofuse_id, { reason: "slander", detail: "" });
    const between_two = await addLetter({ receiver_user_id: receiver });
    await report(receiver, letters.guest);
    expect(await onPage(null)).not.toContain(letters.guest);
    await d1.prepare("UPDATE ofuses SET hidden_at = created_at WHERE ofuse_id = ?").bind(letters.friend).run();
    for (const ofuse_id of [between_two, letters.guest, letters.friend, newId(NOW_MS)]) {
      await expect(report(reader, ofuse_id)).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await report(receiver, letters.guest), "again").toEqual({ is_reported: true });
  });

  test("fills no place of a page of activities when its sender is disabled", async () => {
    const { troll, letters, inNews } = await addPage("disabled");
    expect((await inNews(1)).ids).toEqual([letters.troll]);
    await d1.prepare("UPDATE users SET disabled_at = '2026-11-20' WHERE user_id = ?").bind(troll).run();
    expect(await inNews(1)).toEqual({ ids: [letters.hidden], has_next: true });
  });
});

test("activities do not tell when a hidden letter was answered", async () => {
  const [reader, receiver] = [await addUser("box_watcher"), await addUser("box_hider")];
  await d1.prepare("INSERT INTO relationships VALUES (?, ?, 1, '2026-11-20')").bind(reader, receiver).run();
  const letter = { receiver_user_id: receiver, is_public: 1 };
  const [early, late, hidden] = [await addLetter(letter), await addLetter(letter), await addLetter(letter)];
  const timeOf = (hours: number) => new Date(NOW_MS + hours * 3_600_000).toISOString();
  const write = (ofuse_id: string, replied_at: string, hidden_at: string | null) =>
    d1
      .prepare(
        "UPDATE ofuses SET created_at = ?, reply_message = 'へんじ', replied_at = ?, hidden_at = ? WHERE ofuse_id = ?",
      )
      .bind(timeOf(0), replied_at, hidden_at, ofuse_id)
      .run();
  await write(early, timeOf(24), null);
  await write(late, timeOf(72), null);
  const readAfter = async () => {
    const news = await listFollowingActivities(contextOf(reader), reader, { filter: "all", first: 9, after: hidden });
    return news.activities.map(({ activity_id }) => activity_id);
  };
  await write(hidden, timeOf(48), timeOf(24));
  expect(await readAfter(), "hidden before the answer").toEqual([]);
  await write(hidden, timeOf(48), timeOf(96));
  expect(await readAfter(), "hidden after the answer").toEqual([early]);
});

describe("the letters around a letter", () => {
  let [first, second, third] = ["", "", ""];
  let viewer: string;
  beforeAll(async () => {
    viewer = await addUser("box_reader");
    const to = { receiver_user_id: viewer };
    first = await addLetter({ ...to, message: "一通目のりんご", amount: 900 });
    second = await addLetter({ ...to, message: "二通目のみかん", opened_at: new Date(NOW_MS).toISOString() });
    third = await addLetter({ ...to, message: "三通目のりんご", amount: 100 });
  });
  const around = async (ofuse_id: string, filter: Partial<BoxFilter> = {}) => {
    const box = { type: "received", sort_by: "newest", ...filter } as const;
    return Object.values(await findNeighbors(contextOf(viewer), viewer, ofuse_id, box));
  };

  test("are listed with the unread ones first", async () => {
    expect(await idsOf(viewer, { sort_by: "unread" })).toEqual([third, first, second]);
    expect(await idsOf(viewer, { sort_by: "unread", after: third })).toEqual([first, second]);
    expect(await idsOf(viewer, { sort_by: "oldest", after: first, page_size: 1 })).toEqual([second]);
  });

  test("are the ones before and after it in the order, and the newest other unread one", async () => {
    expect(await around(second)).toEqual([third, first, third]);
    expect(await around(third)).toEqual([null, second, first]);
    expect(await around(first, { sort_by: "oldest" })).toEqual([null, second, third]);
    expect(await around(third, { sort_by: "amount" })).toEqual([first, second, first]);
    expect(await around(second, { sort_by: "unread" })).toEqual([third, first, third]);
  });

  test("pass the filters and the search of the box", async () => {
    expect(await around(third, { keyword: "りんご" })).toEqual([null, first, first]);
    expect(await around(second, { paid: true })).toEqual([third, first, third]);
  });

  test("leave out letters that were removed or reported", async () => {
    await d1.prepare("UPDATE ofuses SET removed_at = created_at WHERE ofuse_id = ?").bind(first).run();
    expect(await around(second)).toEqual([third, null, third]);
    expect(await found(viewer, "りんご")).toEqual([third]);
  });
});
