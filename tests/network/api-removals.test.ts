/** What operators take down: it comes back as it was, and its owner may appeal once. */
import { beforeEach, describe, expect, test } from "vitest";
import { createEventComment, listEventComments } from "../../workers/contract/comments.ts";
import { getEvent } from "../../workers/contract/events.ts";
import { exportAccount } from "../../workers/contract/leaving.ts";
import { listNotifications } from "../../workers/contract/notifications.ts";
import { getOfuse, listOfuses, listUserOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import {
  answerAppeal,
  decideReport,
  findSubject,
  getAppeal,
  giveBack,
  listAppeals,
  listOperatorActs,
  listReports,
  takeDown,
} from "../../workers/contract/operator.ts";
import { appealRemoval, getRemoval, reportEvent } from "../../workers/contract/reports.ts";
import { updateProfile } from "../../workers/contract/users.ts";
import { database, freshMember, type Member, tick } from "../support/network.ts";
import { ask, NOBODY, refused } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";
import { operatorToken } from "./support/tokens.ts";

let token: string;
// A token is good for a minute.
beforeEach(async () => {
  token = await operatorToken();
});

const down = (subject_type: "event" | "event_comment" | "ofuse" | "radio_comment", subject_id: string) =>
  ask(takeDown, { token, body: { subject_type, subject_id, note: "規約の第4条です" } });
const back = (removal_id: string) => ask(giveBack, { token, params: { removal_id }, body: { note: "確認しました" } });

const statusOf = async (owner: Member, event_id: string) =>
  (await ask(getEvent, { token: owner.token, params: { event_id } })).event.status;
/** The member's notifications, newest first. */
const newsOf = async ({ token }: Member) => {
  await tick();
  return (await ask(listNotifications, { token })).notifications.map(({ message, path }) => ({ message, path }));
};

/** Reports a post of a new creator and lets an operator take it down. */
async function removedPost() {
  const [author, reader] = await Promise.all([freshMember("作家"), freshMember("読者")]);
  const event_id = await insertPost(author, { title: "消された題" });
  await ask(reportEvent, { token: reader.token, params: { event_id }, body: { reason: "slander" } });
  const { reports } = await ask(listReports, { token, query: {} });
  const report_id = reports.find(({ owner_link_id }) => owner_link_id === author.user.link_id)?.report_id ?? "";
  await ask(decideReport, { token, params: { report_id }, body: { decision: "removed", note: "規約の第4条です" } });
  const { removal } = await ask(findSubject, { token, params: { subject_id: event_id } });
  return { author, reader, event_id, removal_id: removal?.removal_id ?? "" };
}

describe("an appeal", () => {
  test("is sent once from where the notification leads, waits for an operator, and gives the post back", async () => {
    const { author, reader, event_id, removal_id } = await removedPost();
    const [news] = await newsOf(author);
    expect(news).toMatchObject({ path: `/my/removals/${removal_id}`, message: expect.stringContaining("第4条") });
    const params = { removal_id };
    const { removal } = await ask(getRemoval, { token: author.token, params });
    expect(removal).toMatchObject({ subject_type: "event", subject_text: "消された題", appeal: null });
    const body = { message: "引用のきまりに\n沿っています。" };
    for (const other of [reader.token, (await freshMember("ほかの人")).token]) {
      await refused(getRemoval, "not_found", { token: other, params });
      await refused(appealRemoval, "not_found", { token: other, params, body });
    }
    await refused(getAppeal, "not_found", { token, params });
    await refused(answerAppeal, "not_found", { token, params, body: { decision: "granted" } });
    const sent = await ask(appealRemoval, { token: author.token, params, body });
    expect(sent.removal.appeal).toMatchObject({ ...body, decision: null });
    await refused(appealRemoval, "appeal_closed", { token: author.token, params, body: { message: "もう一度" } });
    const { appeals } = await ask(listAppeals, { token, query: {} });
    expect(appeals.find((each) => each.removal_id === removal_id)?.appeal).toMatchObject(body);
    expect((await ask(getAppeal, { token, params })).subject).toMatchObject({ state: "removed" });

    const answer = { token, params, body: { decision: "granted" as const, note: "確認しました" } };
    expect((await ask(answerAppeal, answer)).removal.given_back_at).not.toBeNull();
    expect((await ask(answerAppeal, answer)).removal.appeal).toMatchObject({ decision: "granted" });
    await refused(answerAppeal, "appeal_already_answered", { ...answer, body: { decision: "refused" } });
    expect(await statusOf(author, event_id)).toBe("published");
    expect(await newsOf(author)).toMatchObject([
      { message: expect.stringMatching(/異議.*もとの状態に戻しました/) },
      {},
    ]);
    expect((await ask(listAppeals, { token, query: {} })).appeals.map((each) => each.removal_id)).not.toContain(
      removal_id,
    );
    const { items } = await ask(exportAccount, { token: author.token, query: { part: "reports" } });
    expect(items).toMatchObject([{ removal_id, appeal: body.message, appeal_decision: "granted" }]);
    const { acts } = await ask(listOperatorActs, { token, query: { limit: 100 } });
    expect(acts.filter(({ subject }) => subject === removal_id).map(({ operation }) => operation)).toEqual([
      "answerAppeal",
    ]);
  });

  test("that is refused changes nothing, and its owner learns of it", async () => {
    const { author, event_id, removal_id } = await removedPost();
    const params = { removal_id };
    await ask(appealRemoval, { token: author.token, params, body: { message: "納得できません" } });
    await ask(answerAppeal, { token, params, body: { decision: "refused", note: "第4条のとおりです" } });
    expect(await statusOf(author, event_id)).toBe("private");
    expect(await newsOf(author)).toMatchObject([{ message: expect.stringContaining("第4条のとおりです") }, {}]);
    await refused(appealRemoval, "appeal_closed", { token: author.token, params, body: { message: "もう一度" } });
  });

  test("of two answers at once, one counts", async () => {
    const { author, removal_id } = await removedPost();
    const params = { removal_id };
    await ask(appealRemoval, { token: author.token, params, body: { message: "納得できません" } });
    const answers = (["granted", "refused"] as const).map((decision) =>
      ask(answerAppeal, { token, params, body: { decision } }).then(
        () => "answered",
        () => "refused",
      ),
    );
    expect((await Promise.all(answers)).sort()).toEqual(["answered", "refused"]);
    expect((await newsOf(author)).length).toBe(2);
  });
});

describe("what an operator takes down without a report comes back as it was:", () => {
  test.each(["published", "private", "publish_pending"] as const)("a post that is %s", async (status) => {
    const author = await freshMember("作家");
    const event_id = await insertPost(author, { status: status === "private" ? "private" : "published" });
    if (status === "publish_pending") {
      await (await database())
        .prepare("UPDATE events SET status = ?, publish_at = '2999-01-01T00:00:00.000Z' WHERE event_id = ?")
        .bind(status, event_id)
        .run();
    }
    const { removal } = await down("event", event_id);
    expect((await down("event", event_id)).removal, "again").toEqual(removal);
    const other_note = { token, body: { subject_type: "event" as const, subject_id: event_id, note: "別の言葉" } };
    await refused(takeDown, "removal_changed", other_note);
    expect(await statusOf(author, event_id)).toBe("private");
    await back(removal.removal_id);
    const { given_back_at } = (await back(removal.removal_id)).removal;
    const { removal_id } = removal;
    await refused(giveBack, "removal_changed", { token, params: { removal_id }, body: { note: "別の言葉" } });
    expect([given_back_at !== null, await statusOf(author, event_id)]).toEqual([true, status]);
    expect(await newsOf(author)).toMatchObject([
      { message: expect.stringContaining("確認しました") },
      { message: expect.stringContaining("規約の第4条です") },
    ]);
    // It can be taken down again, which is another removal with another appeal.
    expect((await down("event", event_id)).removal.removal_id).not.toBe(removal.removal_id);
  });

  test("a public letter", async () => {
    const [sender, receiver] = await Promise.all([freshMember("送る人"), freshMember("受け取る人")]);
    await ask(updateProfile, { token: receiver.token, body: { accepts_free_ofuses: true } });
    const { user_id } = receiver.user;
    const body = { receiver_user_id: user_id, message: "ひどい手紙", is_public: true };
    const { ofuse_id } = (await ask(sendFreeOfuse, { token: sender.token, body })).ofuse;
    const shown = async () => [
      (await ask(listUserOfuses, { params: { user_id } })).ofuses.length,
      (await ask(listOfuses, { token: receiver.token, query: { type: "received" } })).ofuses.length,
    ];
    const { removal } = await down("ofuse", ofuse_id);
    expect(removal.owner_link_id).toBe(sender.user.link_id);
    const asSender = { token: sender.token, params: { ofuse_id }, query: {} };
    expect((await ask(getOfuse, asSender)).removal_id).toBe(removal.removal_id);
    expect(await shown()).toEqual([0, 0]);
    await back(removal.removal_id);
    expect(await shown()).toEqual([1, 1]);
  });

  test("a comment with its reply, but not a reply that was hidden before", async () => {
    const [author, writer] = await Promise.all([freshMember("作家"), freshMember("書く人")]);
    const event_id = await insertPost(author);
    const write = async (message: string, parent_comment_id?: string) =>
      (
        await ask(createEventComment, {
          token: writer.token,
          params: { event_id },
          body: { message, parent_comment_id },
        })
      ).comment.comment_id;
    const comment_id = await write("はじめの言葉");
    const [, hidden] = [await write("返信", comment_id), await write("まえから隠れた返信", comment_id)];
    await down("event_comment", hidden);
    const seen = async () => JSON.stringify(await ask(listEventComments, { params: { event_id } }));
    const { removal } = await down("event_comment", comment_id);
    expect(await seen()).not.toContain("言葉");
    await back(removal.removal_id);
    expect(await seen()).toContain("はじめの言葉");
    expect(await seen()).not.toContain("まえから隠れた返信");
  });
});

test("what does not exist is not found, and a waiting report is decided with the removal", async () => {
  const call = { token, params: { subject_id: NOBODY } };
  await refused(findSubject, "not_found", call);
  await refused(takeDown, "not_found", { token, body: { subject_type: "event", subject_id: NOBODY } });
  await refused(giveBack, "not_found", { token, params: { removal_id: NOBODY }, body: {} });
  const [author, reader] = await Promise.all([freshMember("作家"), freshMember("読者")]);
  const event_id = await insertPost(author);
  await refused(takeDown, "not_found", { token, body: { subject_type: "ofuse", subject_id: event_id } });
  await ask(reportEvent, { token: reader.token, params: { event_id }, body: { reason: "others" } });
  await down("event", event_id);
  const { reports } = await ask(listReports, { token, query: {} });
  expect(reports.map(({ owner_link_id }) => owner_link_id)).not.toContain(author.user.link_id);
  expect(await newsOf(reader)).toMatchObject([{ message: expect.stringContaining("公開を停止しました") }]);
  expect(await newsOf(author)).toHaveLength(1);
});
