import { beforeEach, describe, expect, test } from "vitest";
import { createBlock, listBlocks } from "../../workers/contract/blocks.ts";
import { createEventComment, listEventComments } from "../../workers/contract/comments.ts";
import { getEvent } from "../../workers/contract/events.ts";
import { sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { getReactions, updateReactions } from "../../workers/contract/reactions.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import {
  type Account,
  type Browser,
  browser,
  database,
  freshAccount,
  freshMember,
  type Member,
  type Page,
} from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, NOBODY } from "./support/calls.ts";
import { fieldsOf } from "./support/forms.ts";
import { insertPost } from "./support/posts.ts";

const main = (page: Page) => page.text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const wordsOf = (page: Page) => main(page).replace(/<[^>]*>/g, "");

async function signedIn(who: Account): Promise<Browser> {
  const member = await browser();
  expect((await member.signIn(who)).status).toBe(303);
  member.cookies.delete("flash");
  return member;
}

let author: Member;
let fan: Member;
let event_id: string;
/** The post's own page. */
let path: string;
beforeEach(async () => {
  [author, fan] = (await Promise.all([freshMember("作家"), freshMember("ファン")])) as [Member, Member];
  event_id = await insertPost(author, { title: "答えのある投稿" });
  path = `/${author.user.link_id}/events/${event_id}`;
});

const seenBy = async (reader: Member | null) =>
  (await ask(getEvent, { params: { event_id }, token: reader?.token })).event;
const commentsFor = async (reader: Member | null) =>
  (await ask(listEventComments, { params: { event_id }, token: reader?.token })).comments;
const say = async (by: Member, message: string, parent_comment_id: string | null = null) =>
  (await ask(createEventComment, { token: by.token, params: { event_id }, body: { message, parent_comment_id } }))
    .comment;
const block = (by: Member, other: Member) =>
  ask(createBlock, { token: by.token, body: { blocking_id: other.user.user_id } });

describe("a visitor's like", () => {
  test("counts once however often it is sent, and the next page offers to undo it", async () => {
    const visitor = await browser();
    for (let time = 0; time < 2; time++) {
      const liked = await visitor.post(`${path}/like`, { is_liked: "true" });
      expect([liked.status, liked.location]).toEqual([303, path]);
    }
    expect((await seenBy(null)).likes_count).toBe(1);
    expect([...visitor.cookies.keys()].sort()).toEqual(["flash", "guest"]);
    const page = await visitor.get(path);
    expect(wordsOf(page)).toContain("「いいね」しました");
    const [, undo] = /<form[^>]* action="([^"]+)"[^>]*><button[^>]*>取り消す</.exec(main(page)) ?? [];
    expect(undo).toBe(`${path}/like`);
    // Returns the heart button: pressed, able to undo the like, with its state for the script.
    const heart = ({ text }: Page) =>
      ["data-like-told", "aria-pressed", "value"].map(
        (name) =>
          new RegExp(`<form[^>]*data-liked="like-event"(?:(?!</button>).)*? ${name}="(\\w+)"`, "s").exec(text)?.[1],
      );
    expect(heart(page)).toEqual(["true", "true", "false"]);
    expect(main(page)).toContain('<data value="1">1</data>');
    expect((await visitor.post(`${path}/like`, { is_liked: "false" })).status).toBe(303);
    expect((await seenBy(null)).likes_count).toBe(0);
    expect(heart(await visitor.get(path))).toEqual(["false", "false", "true"]);
    expect(heart(await visitor.get(path)), "told once").toEqual([undefined, "false", "true"]);
  });

  test("leaves the visitor with the same cached pages as everybody", async () => {
    const visitor = await browser();
    await visitor.post(`${path}/like`, { is_liked: "true", quiet: "yes" });
    expect([...visitor.cookies.keys()]).toEqual(["guest"]);
    const pages = await waitUntil(async () => {
      const [everybodys, hers] = [await (await browser()).get(path), await visitor.get(path)];
      expect(hers.headers.get("cache-status")).toBe("ofuse; hit");
      expect(hers.text).toContain('<data value="1">1</data>');
      return [everybodys.text, hers.text];
    });
    expect(pages[1]).toBe(pages[0]);
  });

  test.each([
    ["signs in", async (visitor: Browser) => void (await visitor.signIn(fan))],
    [
      "registers",
      async (visitor: Browser) => {
        const account = await freshAccount();
        await visitor.signIn(account);
        expect(
          (await visitor.post("/signup/registration", { default_name: "新しい人", birth_year: "1998" })).status,
        ).toBe(303);
        fan = { ...fan, token: account.token };
      },
    ],
  ])("is hers once she %s, that of a comment too, and the cookie is gone", async (_, comeIn) => {
    const { comment_id } = await say(author, "ようこそ");
    const visitor = await browser();
    await visitor.post(`${path}/like`, { is_liked: "true" });
    await visitor.post(`${path}/comments/${comment_id}/like`, { is_liked: "true" });
    await comeIn(visitor);
    expect(visitor.cookies.has("guest")).toBe(false);
    expect(await seenBy(fan)).toMatchObject({ is_liked: true, likes_count: 1 });
    expect(await commentsFor(fan)).toMatchObject([{ is_liked: true, likes_count: 1 }]);
  });

  test("is refused on a page if its post is missing or its value is invalid", async () => {
    const visitor = await browser();
    const unknown = await visitor.post(`/${author.user.link_id}/events/${NOBODY}/like`, { is_liked: "true" });
    expect([unknown.status, visitor.cookies.size]).toEqual([404, 0]);
    expect(wordsOf(unknown)).toContain("見つかりません");
    expect((await visitor.post(`${path}/like`, { is_liked: "perhaps" })).status).toBe(400);
    expect((await visitor.get(`${path}/like`)).location).toBe(path);
  });
});

describe("an address that only accepts forms", () => {
  const above = () => `/${author.user.link_id}`;
  const addresses: [at: string, leads: string, form: Record<string, string>, gone: string][] = [
    ["/follow", "", { operation: "follow" }, "/nobody_here/follow"],
    ["/block", "", { operation: "block" }, "/nobody_here/block"],
    ["EVENT/like", "EVENT", { is_liked: "true" }, `/events/${NOBODY}/like`],
    ["EVENT/comments", "EVENT#comments", { message: "" }, ""],
    [`EVENT/comments/${NOBODY}`, "EVENT#comments", { operation: "delete" }, `/events/${NOBODY}/comments/${NOBODY}`],
    [`EVENT/comments/${NOBODY}/like`, "EVENT", { is_liked: "true" }, `/events/${NOBODY}/comments/${NOBODY}/like`],
  ];

  test.each(addresses)("%s redirects to its page, and is a 404 if that is missing", async (at, leads) => {
    const member = await signedIn(fan);
    const full = (place: string) => (place.startsWith("EVENT") ? place.replace("EVENT", path) : above() + place);
    expect((await member.get(full(at))).location).toBe(full(leads));
    expect((await member.get(full(at).replace(author.user.link_id, "なし"))).status).toBe(404);
    if (at.startsWith("EVENT")) expect((await member.get(full(at).replace(event_id, "none"))).status).toBe(404);
  });

  test.each(addresses)("%s says why a form was refused, and links back", async (at, _leads, form, gone) => {
    const member = await signedIn(fan);
    const to = gone.startsWith("/nobody") ? gone : gone ? above() + gone : at.replace("EVENT", path);
    const page = await member.post(to, form);
    expect(page.status).toBe(gone ? 404 : 422);
    expect(main(page)).toMatch(/role="alert"[^>]*>[^<]{8}|見つかりません/);
    expect(main(page)).toContain("戻る");
  });
});

describe("a member's like", () => {
  test("shows as pressed, and can be undone", async () => {
    const member = await signedIn(fan);
    const liked = await member.post(`${path}/like`, { is_liked: "true" });
    expect([liked.status, liked.location]).toEqual([303, `${path}#answers`]);
    expect(main(await member.get(path))).toMatch(/value="false"[^>]*aria-pressed="true"/);
    await member.post(`${path}/like`, { is_liked: "false" });
    expect(await seenBy(fan)).toMatchObject({ is_liked: false, likes_count: 0 });
  });

  test("waits until she signs in again if her session has ended", async () => {
    const { location } = await (await browser()).post(`${path}/like`, { is_liked: "true", author: fan.user.user_id });
    expect(location).toBe(`/login?${new URLSearchParams({ to: path })}`);
    const member = await browser();
    await member.post(`${path}/like`, { is_liked: "true", author: fan.user.user_id });
    await member.signIn(fan, path);
    expect((await seenBy(fan)).is_liked).toBe(true);
  });

  test("is refused with a message if she is blocked", async () => {
    await block(author, fan);
    const page = await (await signedIn(fan)).post(`${path}/like`, { is_liked: "true" });
    expect(page.status).toBe(403);
    expect(wordsOf(page)).toContain("この相手には、この操作ができません。");
  });
});

describe("a comment", () => {
  test("by a visitor waits for the sign-in, and is sent from the post's page", async () => {
    const visitor = await browser();
    const form = fieldsOf((await visitor.get(path)).text, `${path}/comments`);
    const { location } = await visitor.post(`${path}/comments`, { ...form, message: "一行目\n二行目" });
    expect(location).toBe(`/login?${new URLSearchParams({ to: `${path}#comments` })}`);
    await visitor.signIn(fan, path);
    const fields = fieldsOf((await visitor.get(path)).text, `${path}/comments`) ?? {};
    expect(fields.message).toBe("一行目\n二行目");
    const sent = await visitor.post(`${path}/comments`, fields);
    const [comment] = await commentsFor(null);
    expect([sent.status, sent.location]).toEqual([303, `${path}#comment-${comment?.comment_id}`]);
    expect(comment).toMatchObject({ message: "一行目\n二行目", user: { user_id: fan.user.user_id } });
    const page = await visitor.get(path);
    expect(main(page)).toContain(`id="comment-${comment?.comment_id}"`);
    expect(fieldsOf(page.text, `${path}/comments`)?.message).toBe("");
  });

  test("that replies to another opens at its form again after a new sign-in", async () => {
    const { comment_id } = await say(author, "ご感想をどうぞ");
    const visitor = await browser();
    const reply = { message: "線が好きです", parent_comment_id: comment_id, author: fan.user.user_id };
    const { location } = await visitor.post(`${path}/comments`, reply);
    expect(location).toBe(`/login?${new URLSearchParams({ to: `${path}#comment-${comment_id}` })}`);
    await visitor.signIn(fan, path);
    const page = main(await visitor.get(path));
    const [, details = ""] = /<details open="">(.*?)<\/details>/s.exec(page) ?? [];
    expect(details).toContain("線が好きです</textarea>");
    expect(page.split("線が好きです</textarea>")).toHaveLength(2);
  });

  test("that is refused is returned with its words and the reason", async () => {
    const member = await signedIn(fan);
    const long = "あ".repeat(1001);
    const too_long = await member.post(`${path}/comments`, { message: long });
    expect(too_long.status).toBe(422);
    expect(wordsOf(too_long)).toMatch(/1,?000文字以内/);
    expect(fieldsOf(too_long.text, `${path}/comments`)?.message).toBe(long);
    await block(author, fan);
    const blocked = await member.post(`${path}/comments`, { message: "届かない言葉" });
    expect(blocked.status).toBe(403);
    expect(wordsOf(blocked)).toContain("この相手には、この操作ができません。");
    expect(fieldsOf(blocked.text, `${path}/comments`)?.message).toBe("届かない言葉");
  });

  test.each([
    ["none", 1, "この投稿はコメントを受け付けていません。"],
    ["paid_only", 1, "この投稿は有料コメントだけを受け付けています。"],
    ["paid_only", 0, "この投稿はコメントを受け付けていません。"],
  ] as const)(
    "is not asked for where the post takes %s (by a creator: %i)",
    async (comment_filter, is_creator, why) => {
      const { user_id } = author.user;
      await (await database())
        .prepare("UPDATE users SET is_creator = ? WHERE user_id = ?")
        .bind(is_creator, user_id)
        .run();
      event_id = await insertPost(author, { comment_filter });
      path = `/${author.user.link_id}/events/${event_id}`;
      const member = await signedIn(fan);
      const page = await member.get(path);
      expect(wordsOf(page)).toContain(why);
      expect(fieldsOf(page.text, `${path}/comments`)).toBeNull();
      expect((await member.post(`${path}/comments`, { message: "それでも" })).status).toBe(403);
    },
  );

  test("can be deleted by its writer and the post's author alone, and keeps its place for its replies", async () => {
    const [stranger, writer, owner] = await Promise.all([
      freshMember("他人").then(signedIn),
      signedIn(fan),
      signedIn(author),
    ]);
    const { comment_id } = await say(fan, "消したい言葉");
    const answer = await say(author, "返事", comment_id);
    const own_path = `${path}/comments/${comment_id}`;
    expect(main(await stranger.get(path))).not.toContain("削除する");
    expect((await stranger.post(own_path, { operation: "delete" })).status).toBe(404);
    expect(main(await writer.get(path)).split("削除する")).toHaveLength(2);
    expect(main(await owner.get(path)).split("削除する")).toHaveLength(3);
    const deleted = await writer.post(own_path, { operation: "delete" });
    expect([deleted.status, deleted.location]).toEqual([303, `${path}#comments`]);
    const page = wordsOf(await owner.get(path));
    expect(page).toContain("このコメントは削除されました");
    expect(page).not.toContain("消したい言葉");
    await owner.post(`${path}/comments/${answer.comment_id}`, { operation: "delete" });
    expect((await commentsFor(null)).map(({ message }) => message).filter(Boolean)).toEqual([]);
    const ended = await (await browser()).post(own_path, { operation: "delete" });
    expect(ended.location).toBe(`/login?${new URLSearchParams({ to: `${path}#comments` })}`);
  });

  test("is found by its own address, on the right page of comments", async () => {
    const { comment_id } = await say(fan, "いちばん古い言葉");
    // More than one call of a member lists.
    const newer = Array.from({ length: 105 }, (_, n) => newId(Date.now() + n));
    await (await database())
      .prepare(
        `INSERT INTO event_comments (comment_id, event_id, user_id, message, created_at)
         SELECT value, ?, ?, '新しい言葉', ? FROM json_each(?)`,
      )
      .bind(event_id, author.user.user_id, new Date().toISOString(), JSON.stringify(newer))
      .run();
    for (const reader of [await browser(), await signedIn(author)]) {
      const { location } = await reader.get(`${path}/comments/${comment_id}`);
      expect(location).toBe(`${path}?page=6#comment-${comment_id}`);
      expect(main(await reader.get(`${path}?page=6`))).toContain(`id="comment-${comment_id}"`);
    }
    expect((await (await browser()).get(`${path}/comments/${NOBODY}`)).location).toBe(`${path}#comments`);
    const received = main(await (await signedIn(author)).get("/my/comments"));
    expect(received).toContain(`href="${path}/comments/${comment_id}"`);
  });
});

describe("a report", () => {
  test("asks visitors to sign in, requires a reason, and keeps the typed words", async () => {
    const visitor = await browser();
    const report = `${path}/report`;
    expect((await visitor.get(report)).location).toBe(`/login?${new URLSearchParams({ to: report })}`);
    await visitor.post(report, { reason: "slander", detail: "ここに書かれています", author: fan.user.user_id });
    await visitor.signIn(fan, report);
    const page = await visitor.get(report);
    expect(page.text).toMatch(/value="slander"[^>]*checked|checked[^>]*value="slander"/);
    expect(fieldsOf(page.text, report)?.detail).toBe("ここに書かれています");
    for (const word of ["性的な内容", "二次創作・権利", "誹謗中傷", "その他"]) expect(wordsOf(page)).toContain(word);
    const refused = await visitor.post(report, { detail: "理由なし" });
    expect(refused.status).toBe(422);
    expect(wordsOf(refused)).toContain("理由を選んでください。");
    expect(fieldsOf(refused.text, report)?.detail).toBe("理由なし");
  });

  test("of a post hides it from its reporter alone", async () => {
    const member = await signedIn(fan);
    const sent = await member.post(`${path}/report`, { reason: "sexual" });
    expect([sent.status, sent.location]).toEqual([303, `/${author.user.link_id}`]);
    const page = wordsOf(await member.get(`/${author.user.link_id}`));
    expect(page).toContain("通報を受け付けました。");
    expect(page).not.toContain("答えのある投稿");
    expect((await member.get(path)).status).toBe(404);
    expect((await (await browser()).get(path)).status).toBe(200);
  });

  test("of a comment hides it from its reporter", async () => {
    const { comment_id } = await say(author, "ひどい言葉");
    const member = await signedIn(fan);
    expect((await member.get(`${path}/comments/${comment_id}/report`)).status).toBe(200);
    expect((await member.get(`${path}/comments/${NOBODY}/report`)).status).toBe(404);
    const sent = await member.post(`${path}/comments/${comment_id}/report`, { reason: "others", detail: "いやです" });
    expect([sent.status, sent.location]).toEqual([303, `${path}#comments`]);
    expect(wordsOf(await member.get(path))).not.toContain("ひどい言葉");
    expect(wordsOf(await (await browser()).get(path))).toContain("ひどい言葉");
  });

  test("of a public letter hides it from the reader who reports it", async () => {
    const other = await freshMember("読者");
    const { ofuse } = await ask(sendFreeOfuse, {
      token: fan.token,
      body: { receiver_user_id: author.user.user_id, message: "みんなに見える困る手紙", is_public: true },
    });
    const letters = `/${author.user.link_id}/ofuse`;
    const report = `${letters}/${ofuse.ofuse_id}/report`;
    const link = `href="${report}"`;
    expect(main(await (await browser()).get(letters))).toContain(link);
    expect(main(await (await signedIn(fan)).get(letters)), "her own letter").not.toContain(link);
    const reader = await signedIn(other);
    expect(wordsOf(await reader.get(report))).toContain("みんなに見える困る手紙");
    expect((await reader.get(`${letters}/${NOBODY}/report`)).status).toBe(404);
    const sent = await reader.post(report, { reason: "slander" });
    expect([sent.status, sent.location]).toEqual([303, `${letters}#letters`]);
    expect(wordsOf(await reader.get(letters))).not.toContain("みんなに見える困る手紙");
    expect(wordsOf(await (await browser()).get(letters))).toContain("みんなに見える困る手紙");
  });

  test("of a letter between two is allowed to its receiver alone", async () => {
    const { ofuse } = await ask(sendFreeOfuse, {
      token: fan.token,
      body: { receiver_user_id: author.user.user_id, message: "困る手紙" },
    });
    const letter = `/my/box/${ofuse.ofuse_id}`;
    expect((await (await signedIn(fan)).get(`${letter}/report`)).status).toBe(404);
    const receiver = await signedIn(author);
    expect(main(await receiver.get(letter))).toContain(`href="${letter}/report"`);
    const sent = await receiver.post(`${letter}/report`, { reason: "slander" });
    expect([sent.status, sent.location]).toEqual([303, "/my/box"]);
    expect((await receiver.get(letter)).status).toBe(404);
    expect(wordsOf(await receiver.get("/my/box"))).not.toContain("困る手紙");
  });
});

describe("a block", () => {
  test("is set on a person's page, listed, and ended there or in the list", async () => {
    const owner = await signedIn(author);
    const page = `/${fan.user.link_id}`;
    expect(main(await owner.get(page))).toContain(`action="${page}/block"`);
    expect((await owner.post(`${page}/block`, { operation: "block", to: page })).location).toBe(page);
    const blocked = await owner.get(page);
    expect(wordsOf(blocked)).toContain("ブロックしています");
    expect(main(blocked)).not.toContain("フォローする");
    const list = await owner.get("/my/settings/blocks");
    expect(wordsOf(list)).toContain(`@${fan.user.link_id}`);
    const back = await owner.post(`${page}/block`, { operation: "unblock", to: "/my/settings/blocks" });
    expect(back.location).toBe("/my/settings/blocks");
    expect(wordsOf(await owner.get("/my/settings/blocks"))).toContain("ブロックした相手はいません");
    expect((await ask(listBlocks, { token: author.token })).blocks).toEqual([]);
  });

  test("refuses the blocked person with a reason, and returns the letter", async () => {
    await ask(updateProfile, { token: author.token, body: { accepts_free_ofuses: true } });
    await block(author, fan);
    const member = await signedIn(fan);
    const followed = await member.post(`/${author.user.link_id}/follow`, { operation: "follow" });
    expect([followed.status, wordsOf(followed)]).toEqual([
      403,
      expect.stringContaining("この相手には、この操作ができません。"),
    ]);
    const letter = await member.post(`/${author.user.link_id}/ofuse`, { message: "届かない手紙" });
    expect(letter.status).toBe(403);
    expect(wordsOf(letter)).toContain("この相手には、この操作ができません。");
    expect(fieldsOf(letter.text, `/${author.user.link_id}/ofuse`)?.message).toBe("届かない手紙");
  });

  test("is refused for oneself, for a visitor, and for an unknown operation", async () => {
    const own = await (await signedIn(fan)).post(`/${fan.user.link_id}/block`, { operation: "block" });
    expect([own.status, wordsOf(own)]).toEqual([422, expect.stringContaining("自分自身はブロックできません。")]);
    const page = `/${fan.user.link_id}`;
    const visitors = await (await browser()).post(`${page}/block`, { operation: "block" });
    expect(visitors.location).toBe(`/login?${new URLSearchParams({ to: page })}`);
    expect(main(await (await browser()).get(page))).not.toContain("/block");
    expect((await (await signedIn(fan)).post(`${page}/block`, { operation: "curse" })).status).toBe(400);
  });
});

describe("reactions", () => {
  const PATH = "/my/settings/reactions";

  test("are saved, kept over a refusal, and shown once to the sender of a letter", async () => {
    const owner = await signedIn(author);
    const fields = fieldsOf((await owner.get(PATH)).text, PATH) ?? {};
    expect(fields.free_ofuse_message).toBe("");
    const long = await owner.post(PATH, {
      ...fields,
      free_ofuse_message: "あ".repeat(201),
      paid_ofuse_message: "うれしい",
    });
    expect(long.status).toBe(422);
    expect(fieldsOf(long.text, PATH)).toMatchObject({
      free_ofuse_message: "あ".repeat(201),
      paid_ofuse_message: "うれしい",
    });
    expect(
      (await owner.post(PATH, { ...fields, free_ofuse_message: "ありがとう、<b>大切に</b>読みます。" })).status,
    ).toBe(303);
    const { reactions } = await ask(getReactions, { token: author.token });
    expect(reactions).toMatchObject({
      free_ofuse_message: "ありがとう、<b>大切に</b>読みます。",
      paid_ofuse_message: null,
    });

    const member = await signedIn(fan);
    const letter = `/${author.user.link_id}/ofuse`;
    expect((await member.post(letter, { message: "すてきでした" })).location).toBe(letter);
    const sent = await member.get(letter);
    expect(main(sent)).toContain("ありがとう、&lt;b&gt;大切に&lt;/b&gt;読みます。");
    expect(wordsOf(sent)).toContain("作家さんからのお礼");
    expect(wordsOf(await member.get(letter))).not.toContain("お礼");
  });

  test("typed while the session ended are in the form after signing in again", async () => {
    await ask(updateReactions, {
      token: author.token,
      body: { free_ofuse_message: "前の言葉", paid_ofuse_message: null, subscription_message: null },
    });
    const visitor = await browser();
    await visitor.post(PATH, {
      free_ofuse_message: "新しい言葉",
      subscription_message: "ようこそ",
      author: author.user.user_id,
    });
    await visitor.signIn(author, PATH);
    const fields = fieldsOf((await visitor.get(PATH)).text, PATH);
    expect(fields).toMatchObject({ free_ofuse_message: "新しい言葉", subscription_message: "ようこそ" });
  });
});

describe("the comments received", () => {
  const PATH = "/my/comments";

  test("are listed by filter, and answered on the same page", async () => {
    const owner = await signedIn(author);
    expect(wordsOf(await owner.get(PATH))).toContain("まだコメントは届いていません");
    const first = await say(fan, "一つめの言葉");
    await say(fan, "二つめの言葉");
    const page = await owner.get(PATH);
    expect(main(page).indexOf("二つめの言葉")).toBeLessThan(main(page).indexOf("一つめの言葉"));
    expect(main(page)).toContain(`href="${path}/comments/${first.comment_id}"`);
    const oldest = main(await owner.get(`${PATH}?sort=oldest`));
    expect(oldest.indexOf("一つめの言葉")).toBeLessThan(oldest.indexOf("二つめの言葉"));
    const answer = { event_id, parent_comment_id: first.comment_id };
    const refused = await owner.post(`${PATH}?filter=not_replied`, { ...answer, message: " " });
    expect([refused.status, wordsOf(refused)]).toEqual([422, expect.stringContaining("コメントを入力してください。")]);
    expect(refused.text).toMatch(/<title>エラー：.+<\/title>/);
    const sent = await owner.post(`${PATH}?filter=not_replied`, { ...answer, message: "読みました" });
    expect([sent.status, sent.location]).toEqual([303, `${PATH}?filter=not_replied`]);
    const waiting = wordsOf(await owner.get(`${PATH}?filter=not_replied`));
    expect([waiting.includes("一つめの言葉"), waiting.includes("二つめの言葉")]).toEqual([false, true]);
    expect(wordsOf(await owner.get(`${PATH}?filter=paid`))).toContain("有料のコメントはありません");
    expect(wordsOf(await (await browser()).get(path))).toContain("読みました");
  });

  test("keep a typed reply in its form when the session ended", async () => {
    const { comment_id } = await say(fan, "お返事ください");
    const visitor = await browser();
    const reply = { event_id, parent_comment_id: comment_id, message: "書きかけの返信", author: author.user.user_id };
    await visitor.post(PATH, reply);
    await visitor.signIn(author, PATH);
    expect(fieldsOf((await visitor.get(PATH)).text, PATH)).toMatchObject({
      message: "書きかけの返信",
      parent_comment_id: comment_id,
    });
  });
});

test("a notification of a comment links to the comment", async () => {
  const { comment_id } = await say(fan, "読んでほしい言葉");
  const owner = await signedIn(author);
  const href = await waitUntil(async () => {
    const list = main(await owner.get("/my/notifications"));
    expect(list).toContain("コメントしました");
    return /href="(\/my\/notifications\/[^"]+)"/.exec(list)?.[1] ?? "";
  });
  const { location: found } = await owner.get(href);
  const { location } = await owner.get(found ?? "");
  expect(location).toBe(`${path}#comment-${comment_id}`);
  expect(main(await owner.get(path))).toContain(`id="comment-${comment_id}"`);
});
