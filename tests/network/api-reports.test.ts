import { beforeAll, describe, expect, test } from "vitest";
import { reportsSubject } from "../../scripts/operator/reports.ts";
import { createEventComment, deleteEventComment, listEventComments } from "../../workers/contract/comments.ts";
import { getEvent } from "../../workers/contract/events.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { getOfuse, listOfuses, listUserOfuses, sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { reportEvent, reportEventComment, reportOfuse } from "../../workers/contract/reports.ts";
import { database, freshMember, type Member, network, signIn, tick } from "../support/network.ts";
import { operatedSite } from "../support/operator.ts";
import { ask, NOBODY, refused, send } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

beforeAll(async () => {
  await network();
});

const people = (...names: string[]) =>
  Promise.all(names.map((name) => freshMember(name))) as Promise<Member[] & [Member, Member, Member]>;
const reason = "slander" as const;

async function reportsOf(subject_id: string) {
  const statement = (await database()).prepare("SELECT * FROM reports WHERE subject_id = ? ORDER BY report_id");
  return (await statement.bind(subject_id).all<Record<string, unknown>>()).results;
}

async function commentOn(event_id: string, by: Member, message = "いやな言葉"): Promise<string> {
  const { comment } = await ask(createEventComment, { token: by.token, params: { event_id }, body: { message } });
  return comment.comment_id;
}

const letter = async (from: Member, to: Member, is_public = false) => {
  const body = { receiver_user_id: to.user.user_id, message: "いやな手紙", is_public };
  return (await ask(sendFreeOfuse, { token: from.token, body })).ofuse.ofuse_id;
};

describe("a report of a post", () => {
  test("is stored once, with its first text", async () => {
    const [author, reader, other] = await people("作家", "読者", "ほかの人");
    const event_id = await insertPost(author);
    const call = { params: { event_id }, token: reader.token };
    const answer = await ask(reportEvent, { ...call, body: { reason: "fan_fiction", detail: " くわしく\r\n書く " } });
    expect(answer).toEqual({ is_reported: true });
    await ask(reportEvent, { ...call, body: { reason: "others" } });
    await ask(reportEvent, { params: { event_id }, token: other.token, body: { reason } });
    expect(await reportsOf(event_id)).toMatchObject([
      {
        reporter_user_id: reader.user.user_id,
        subject_type: "event",
        subject_user_id: author.user.user_id,
        reason: "fan_fiction",
        detail: "くわしく\n書く",
        processing_status: "processing",
      },
      { reporter_user_id: other.user.user_id, reason },
    ]);
  });

  test("requires a published post, locked or not, of another member", async () => {
    const [author, reader] = await people("作家", "読者");
    const body = { reason };
    const locked = await insertPost(author, { publish_target_type: "fans" });
    await ask(reportEvent, { token: reader.token, params: { event_id: locked }, body });
    const params = { event_id: await insertPost(author, { status: "private" }) };
    await refused(reportEvent, "not_found", { token: reader.token, params, body });
    await refused(reportEvent, "not_found", { token: reader.token, params: { event_id: NOBODY }, body });
    const open = { params: { event_id: await insertPost(author) }, body };
    await refused(reportEvent, "cannot_report_yourself", { ...open, token: author.token });
    await refused(reportEvent, "unauthenticated", open);
    await refused(reportEvent, "registration_required", { ...open, token: await signIn("fan_new") });
    expect(await reportsOf(open.params.event_id)).toEqual([]);
  });

  test.each([
    ["no reason", { detail: "x" }],
    ["a reason of their own", { reason: "boring" }],
    ["501 letters", { reason, detail: "あ".repeat(501) }],
  ])("is refused with %s", async (_, body) => {
    const [author, reader] = await people("作家", "読者");
    const params = { event_id: await insertPost(author) };
    await refused(reportEvent, "validation_failed", { token: reader.token, params, body });
  });

  test("is limited to ten a day, and repeats do not count", async () => {
    const [author, reader] = await people("作家", "読者");
    const first = { token: reader.token, params: { event_id: await insertPost(author) }, body: { reason } };
    await ask(reportEvent, first);
    await (await database())
      .prepare(
        `INSERT INTO limited_acts WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
         SELECT ?, ?, 'filled ' || i FROM n`,
      )
      .bind(`daily_report ${reader.user.user_id}`, new Date().toISOString())
      .run();
    const params = { event_id: await insertPost(author) };
    const reply = await send(reportEvent, { ...first, params });
    expect(reply).toMatchObject({ status: 429, json: { code: "daily_report_limit_reached" } });
    const seconds = Number(reply.headers.get("retry-after"));
    expect(seconds > 0 && seconds <= 86_400, String(seconds)).toBe(true);
    expect(await ask(reportEvent, first)).toEqual({ is_reported: true });
  });
});

describe("a report of a comment", () => {
  test("hides it from the reporter alone, at once", async () => {
    const [author, pest, reader] = await people("作家", "いやな人", "読者");
    const event_id = await insertPost(author);
    const params = { event_id, comment_id: await commentOn(event_id, pest) };
    await Promise.all([1, 2, 3].map(() => ask(reportEventComment, { token: reader.token, params, body: { reason } })));
    expect(await reportsOf(params.comment_id)).toMatchObject([{ subject_user_id: pest.user.user_id }]);
    const seen = async (token: string | null) =>
      (await ask(listEventComments, { params: { event_id }, token })).comments.length;
    expect([await seen(reader.token), await seen(author.token), await seen(null)]).toEqual([0, 1, 1]);
    const body = { message: "返信", parent_comment_id: params.comment_id };
    await refused(createEventComment, "not_found", { token: reader.token, params: { event_id }, body });
  });

  test("requires a visible comment of another member under a readable post", async () => {
    const [author, pest, reader] = await people("作家", "いやな人", "読者");
    const [event_id, elsewhere] = [await insertPost(author), await insertPost(author)];
    const locked = await insertPost(author, { publish_target_type: "fans" });
    const comment_id = await commentOn(event_id, pest);
    const call = { token: reader.token, body: { reason } };
    const own = { ...call, token: pest.token, params: { event_id, comment_id } };
    await refused(reportEventComment, "cannot_report_yourself", own);
    await refused(reportEventComment, "not_found", { ...call, params: { event_id: elsewhere, comment_id } });
    const unseen = { event_id: locked, comment_id: await commentOn(locked, author) };
    await refused(reportEventComment, "not_found", { ...call, params: unseen });
    await ask(deleteEventComment, { token: pest.token, params: { event_id, comment_id } });
    await refused(reportEventComment, "not_found", { ...call, params: { event_id, comment_id } });
    expect(await reportsOf(comment_id)).toEqual([]);
  });
});

describe("a report of a letter", () => {
  test("removes it from the receiver's box, page and replies; its sender keeps it", async () => {
    const [sender, receiver] = await people("送った人", "受け取った人");
    const ofuse_id = await letter(sender, receiver, true);
    const call = { token: receiver.token, params: { ofuse_id } };
    await ask(reportOfuse, { ...call, body: { reason } });
    await ask(reportOfuse, { ...call, body: { reason } });
    expect(await reportsOf(ofuse_id)).toMatchObject([{ subject_user_id: sender.user.user_id }]);
    expect((await ask(listOfuses, { token: receiver.token })).ofuses).toEqual([]);
    await refused(getOfuse, "not_found", call);
    await refused(updateOfuse, "not_found", { ...call, body: { reply: "おへんじ" } });
    const page = { params: { user_id: receiver.user.user_id } };
    expect((await ask(listUserOfuses, { ...page, token: receiver.token })).ofuses).toEqual([]);
    for (const token of [null, sender.token]) {
      expect((await ask(listUserOfuses, { ...page, token })).ofuses, "off the page for everybody").toEqual([]);
    }
    expect((await ask(listOfuses, { token: sender.token, query: { type: "sent" } })).ofuses).toHaveLength(1);
    await ask(getOfuse, { token: sender.token, params: { ofuse_id } });
  });

  test("of a public one, by another reader, hides it from that reader alone", async () => {
    const [sender, receiver, other] = await people("送った人", "受け取った人", "ほかの人");
    const params = { ofuse_id: await letter(sender, receiver, true) };
    for (let n = 0; n < 2; n++) await ask(reportOfuse, { params, body: { reason }, token: other.token });
    expect(await reportsOf(params.ofuse_id)).toMatchObject([
      { reporter_user_id: other.user.user_id, subject_user_id: sender.user.user_id },
    ]);
    const onPage = async (token: string | null) =>
      (await ask(listUserOfuses, { params: { user_id: receiver.user.user_id }, token })).ofuses.length;
    expect([await onPage(other.token), await onPage(receiver.token), await onPage(null)]).toEqual([0, 1, 1]);
    expect((await ask(getOfuse, { token: receiver.token, params })).ofuse.is_hidden).toBe(false);
  });

  test("needs a letter that the reporter can see, and did not write", async () => {
    const [sender, receiver, other] = await people("送った人", "受け取った人", "ほかの人");
    const call = { params: { ofuse_id: await letter(sender, receiver) }, body: { reason } };
    await refused(reportOfuse, "cannot_report_yourself", { ...call, token: sender.token });
    await refused(reportOfuse, "not_found", { ...call, token: other.token });
    const hidden = { ofuse_id: await letter(sender, receiver, true) };
    await ask(updateOfuse, { token: receiver.token, params: hidden, body: { is_hidden: true } });
    await refused(reportOfuse, "not_found", { ...call, params: hidden, token: other.token });
    await refused(reportOfuse, "unauthenticated", call);
    await refused(reportOfuse, "not_found", { ...call, params: { ofuse_id: NOBODY }, token: receiver.token });
    expect(await reportsOf(call.params.ofuse_id)).toEqual([]);
  });
});

describe("an operator", () => {
  /** Acts as `npm run operator -- reports …` does on a running site. */
  const operate = async (...args: string[]) => reportsSubject.read(args, Date.now())(await operatedSite());
  const waiting = async (subject_id: string) => {
    const ids = (await reportsOf(subject_id)).map(({ report_id }) => String(report_id));
    const told = await operate("list");
    return ids.filter((id) => told.includes(id));
  };
  const news = async (member: Member) => {
    await tick();
    return (await ask(listNotifications, { token: member.token })).notifications;
  };

  test("sees the reported content, its reporters, their reasons and other reports", async () => {
    const [author, reader, other] = await people("作家", "読者", "ほかの人");
    const event_id = await insertPost(author, { title: "問題の投稿" });
    const body = { reason: "sexual" as const, detail: "一行目\n二行目" };
    await ask(reportEvent, { params: { event_id }, token: reader.token, body });
    await ask(reportEvent, { params: { event_id }, token: other.token, body: { reason } });
    const [first = "", second = ""] = await waiting(event_id);
    expect((await operate("list")).split("\n").find((line) => line.startsWith(first))).toMatch(
      new RegExp(`waits {2}event of ${author.user.link_id} {2}sexual {2}by ${reader.user.link_id} {2}2 of the same$`),
    );
    const shown = await operate("show", first);
    for (const line of [
      `by        ${reader.user.link_id}`,
      "reason    sexual",
      "detail    一行目\n          二行目",
      `where     /${author.user.link_id}/events/${event_id}`,
      "state     published",
      "text      問題の投稿\n          本文",
      `also      ${second} by ${other.user.link_id}, slander, waits: -`,
    ]) {
      expect(shown).toContain(line);
    }
  });

  test("takes a post down permanently, notifies all its reporters, and tells its author how to object", async () => {
    const [author, reader, other] = await people("作家", "読者", "ほかの人");
    const event_id = await insertPost(author);
    for (const { token } of [reader, other]) {
      await ask(reportEvent, { params: { event_id }, token, body: { reason } });
    }
    const [first = ""] = await waiting(event_id);
    const note = "「いやな言葉」は'禁止'です";
    expect(await operate("decide", first, "removed", "--note", note)).toMatch(
      /^2 reports of the same decided: removed\./,
    );
    expect(await waiting(event_id)).toEqual([]);
    expect(await operate("list", "--all")).toContain(`${first}  `);
    await refused(getEvent, "not_found", { params: { event_id } });
    const { event } = await ask(getEvent, { params: { event_id }, token: author.token });
    expect(event.status).toBe("private");
    for (const reporter of [reader, other]) {
      expect(await news(reporter)).toMatchObject([
        {
          type: "custom",
          actor: null,
          message: `通報いただいた投稿を確認し、公開を停止しました。ご連絡ありがとうございました。（運営より：${note}）`,
        },
      ]);
    }
    const told = await news(author);
    expect(told).toMatchObject([{ type: "custom", actor: null, path: expect.stringMatching(/^\/my\/removals\//) }]);
    expect(told[0]?.message).toContain(note);
    await expect(operate("decide", first, "kept")).rejects.toThrow(/decided already: removed/);
  });

  test("hides a comment with its replies", async () => {
    const [author, pest, reader] = await people("作家", "いやな人", "読者");
    const event_id = await insertPost(author);
    const comment_id = await commentOn(event_id, pest);
    const body = { message: "それへの返信", parent_comment_id: comment_id };
    await ask(createEventComment, { token: author.token, params: { event_id }, body });
    await ask(reportEventComment, { token: reader.token, params: { event_id, comment_id }, body: { reason } });
    const [report_id = ""] = await waiting(comment_id);
    expect(await operate("show", report_id)).toContain("text      いやな言葉");
    await operate("decide", report_id, "removed");
    for (const token of [author.token, pest.token, null]) {
      expect((await ask(listEventComments, { params: { event_id }, token })).comments).toEqual([]);
    }
    const counted = (await database()).prepare("SELECT comments_count FROM event_counts WHERE event_id = ?");
    expect(await counted.bind(event_id).first("comments_count")).toBe(0);
    expect((await news(pest))[0]?.message).toMatch(/^あなたのコメントは、/);
  });

  test("removes a letter from its receiver and from the page; its sender keeps it", async () => {
    const [sender, receiver] = await people("送った人", "受け取った人");
    const ofuse_id = await letter(sender, receiver, true);
    await ask(reportOfuse, { token: receiver.token, params: { ofuse_id }, body: { reason } });
    const [report_id = ""] = await waiting(ofuse_id);
    await operate("decide", report_id, "removed");
    expect((await ask(listUserOfuses, { params: { user_id: receiver.user.user_id } })).ofuses).toEqual([]);
    expect((await ask(listOfuses, { token: receiver.token })).ofuses).toEqual([]);
    expect((await ask(listOfuses, { token: sender.token, query: { type: "sent" } })).ofuses).toMatchObject([
      { ofuse_id, is_public: false },
    ]);
  });

  test("keeps content: only its reporter is notified, and others may report it again", async () => {
    const [author, reader, other] = await people("作家", "読者", "ほかの人");
    const event_id = await insertPost(author);
    await ask(reportEvent, { params: { event_id }, token: reader.token, body: { reason } });
    const [report_id = ""] = await waiting(event_id);
    await operate("decide", report_id, "kept");
    expect(await news(author)).toEqual([]);
    expect((await news(reader))[0]?.message).toMatch(/今回は公開を続けることにしました/);
    await ask(getEvent, { params: { event_id } });
    await ask(reportEvent, { params: { event_id }, token: other.token, body: { reason } });
    expect(await waiting(event_id)).toHaveLength(1);
  });

  test("can decide about deleted content", async () => {
    const [author, pest, reader] = await people("作家", "いやな人", "読者");
    const event_id = await insertPost(author);
    const params = { event_id, comment_id: await commentOn(event_id, pest) };
    await ask(reportEventComment, { token: reader.token, params, body: { reason } });
    await ask(deleteEventComment, { token: pest.token, params });
    const [report_id = ""] = await waiting(params.comment_id);
    expect(await operate("show", report_id)).toContain("text      (it is no more)");
    await operate("decide", report_id, "removed");
    expect(await news(reader)).toHaveLength(1);
  });
});
