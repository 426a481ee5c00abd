/**
 * Operators' acts on the API's own D1: the content of one batch, and acts that the identity worker refuses or does not
 * answer.
 */
import { describe, expect, test } from "vitest";
import { noMails } from "../../scripts/no-mails.ts";
import type { RequestContext } from "../../workers/api/http/request-context.ts";
import { findMaintenance } from "../../workers/api/maintenance/queries.ts";
import {
  actOnAccount,
  answerAppeal,
  createAccount,
  decideReport,
  findAccount,
  giveBack,
  retryMail,
  retryOutboxRow,
  setAccountDisabled,
  setMailSuppressed,
  setMaintenance,
  takeDown,
} from "../../workers/api/operator/commands.ts";
import { listActs, listOutbox } from "../../workers/api/operator/queries.ts";
import { noticesOfDecision } from "../../workers/api/reports/rules.ts";
import { dispatchOutbox, MAX_ATTEMPTS } from "../../workers/api/storage/outbox.ts";
import {
  removeAccountFactors,
  signOutAccount,
  setMailSuppressed as suppress,
} from "../../workers/contract/operator.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { verifyOperatorToken } from "../../workers/verifier/operator-token.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS } from "./support/context.ts";

const KEY = "operator-key-of-the-tests-00000000001";

/** Returns a context of an operator. `answer` replaces the identity worker. */
function operatorContext(
  answer: (request: { url: string; method: string; token: string }) => Response | Promise<Response>,
) {
  const identity = {
    fetch: async (url: string, init: RequestInit) => {
      const token = new Headers(init.headers).get("authorization")?.replace("Bearer ", "") ?? "";
      return answer({ url, method: init.method ?? "", token });
    },
  };
  return {
    ...contextOf(null),
    operator: { name: "hana", key: KEY, identity, mails: noMails },
  } satisfies RequestContext;
}
const problemAnswer = (status: number, code: string) => Response.json({ code }, { status });
const firebaseContext = () => operatorContext(() => problemAnswer(409, "accounts_kept_elsewhere"));

const identityOf = (user_id: string) => `identity of ${user_id}`;
const disabledAt = (user_id: string) =>
  d1.prepare("SELECT disabled_at FROM users WHERE user_id = ?").bind(user_id).first("disabled_at");
const actsOn = async (subject: string) => {
  const acts = d1.prepare("SELECT operation, input FROM operator_acts WHERE subject = ? ORDER BY rowid");
  return (await acts.bind(subject).all<{ operation: string; input: string }>()).results;
};

async function addReport(subject_type = "ofuse", subject_id = newId(NOW_MS)): Promise<string> {
  const report_id = newId(NOW_MS);
  const [owner, reporter] = [await addUser(`o_${report_id}`), await addUser(`r_${report_id}`)];
  await d1
    .prepare(
      `INSERT INTO reports (report_id, reporter_user_id, subject_type, subject_id, subject_user_id, reason, created_at)
        VALUES (?, ?, ?, ?, ?, 'others', ?)`,
    )
    .bind(report_id, reporter, subject_type, subject_id, owner, new Date(NOW_MS).toISOString())
    .run();
  return report_id;
}
const countAnnouncements = async (report_id: string) =>
  (await d1.prepare("SELECT payload FROM outbox WHERE outbox_id = ?").bind(`report-${report_id}`).all()).results.length;

test("decides a report once when the same decision arrives three times at once, and answers all three", async () => {
  const report_id = await addReport();
  const decideOnReport = () => decideReport(firebaseContext(), report_id, { decision: "kept", note: null });
  const answers = await Promise.all([decideOnReport(), decideOnReport(), decideOnReport()]);
  expect(answers).toEqual(Array.from({ length: 3 }, () => ({ decision: "kept", reports_count: 1 })));
  expect(await decideOnReport()).toEqual(answers[0]);
  expect(await countAnnouncements(report_id)).toBe(1);
  expect(await actsOn(report_id)).toEqual([
    { operation: "decideReport", input: JSON.stringify({ decision: "kept", note: null }) },
  ]);
});

test("refuses one of two different decisions that arrive at once", async () => {
  const report_id = await addReport();
  const decideOnReport = (decision: "kept" | "removed") =>
    decideReport(firebaseContext(), report_id, { decision, note: null });
  const settled = await Promise.allSettled([decideOnReport("kept"), decideOnReport("removed")]);
  expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(settled.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "report_already_decided" },
  });
  expect(await countAnnouncements(report_id)).toBe(1);
  expect(await actsOn(report_id)).toHaveLength(1);
});

test("refuses the same decision with another note, which nobody would read", async () => {
  const report_id = await addReport();
  await decideReport(firebaseContext(), report_id, { decision: "kept", note: "規約の範囲です" });
  const again = decideReport(firebaseContext(), report_id, { decision: "kept", note: "確認しました" });
  await expect(again).rejects.toMatchObject({ code: "report_already_decided" });
});

test("says to the reporter alone that a removed letter had been deleted before", async () => {
  // No letter has the report's subject_id.
  const report_id = await addReport();
  await decideReport(firebaseContext(), report_id, { decision: "removed", note: null });
  const payload = await d1
    .prepare("SELECT payload FROM outbox WHERE outbox_id = ?")
    .bind(`report-${report_id}`)
    .first<string>("payload");
  const decided = JSON.parse(payload ?? "");
  expect(noticesOfDecision(decided)).toMatchObject([
    {
      user_id: decided.reporter_user_id,
      message: "通報いただいたofuseは、確認したときには、すでに削除されていました。ご連絡ありがとうございました。",
    },
  ]);
});

test("decides nothing if the audit row cannot be written", async () => {
  const report_id = await addReport();
  const context = firebaseContext();
  // The table refuses an empty name, so the audit row cannot be written.
  const nameless = { ...context, operator: { ...context.operator, name: "" } };
  await expect(decideReport(nameless, report_id, { decision: "kept", note: null })).rejects.toThrow(/CHECK/);
  expect(await countAnnouncements(report_id)).toBe(0);
  expect(await decideReport(context, report_id, { decision: "removed", note: null })).toMatchObject({
    decision: "removed",
  });
});

test("does the product's half and refuses the rest where Firebase keeps the accounts", async () => {
  const user_id = await addUser("firebase_person");
  const uid = identityOf(user_id);
  for (const who of ["@firebase_person", "@Firebase_Person", uid, user_id, user_id.toUpperCase()]) {
    expect(await findAccount(firebaseContext(), who)).toEqual({
      uid,
      is_kept_by_us: false,
      account: null,
      profile: { user_id, link_id: "firebase_person", disabled_at: null },
    });
  }
  await expect(findAccount(firebaseContext(), "nobody@example.jp")).rejects.toMatchObject({ code: "not_found" });
  expect((await setAccountDisabled(firebaseContext(), uid, { is_disabled: true })).profile?.disabled_at).toBe(
    new Date(NOW_MS).toISOString(),
  );
  expect((await setAccountDisabled(firebaseContext(), uid, { is_disabled: false })).profile?.disabled_at).toBeNull();
  await expect(actOnAccount(firebaseContext(), signOutAccount, uid, {})).rejects.toMatchObject({
    code: "accounts_kept_elsewhere",
  });
  expect((await actsOn(uid)).slice(1)).toEqual([
    { operation: "setAccountDisabled", input: JSON.stringify({ is_disabled: false, reason: null }) },
    { operation: "signOutAccount", input: "{}" },
    { operation: "signOutAccount", input: JSON.stringify({ refused: "accounts_kept_elsewhere" }) },
  ]);
});

test.each([
  ["is silent", () => Promise.reject(new Error("reset"))],
  ["fails", () => problemAnswer(500, "internal_error")],
  ["answers no JSON", () => new Response("<html>")],
  ["answers an unknown code", () => problemAnswer(409, "teapot")],
])("answers unavailable and records the act and its failure when identity %s", async (_, answer) => {
  const uid = `uid-${newId(NOW_MS)}`;
  await expect(actOnAccount(operatorContext(answer), signOutAccount, uid, {})).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(await actsOn(uid)).toEqual([
    { operation: "signOutAccount", input: "{}" },
    { operation: "signOutAccount", input: JSON.stringify({ refused: "unavailable" }) },
  ]);
});

test("finds the account that our provider keeps by the id of the person", async () => {
  const user_id = await addUser("person_by_id");
  const account = { uid: identityOf(user_id) };
  const context = operatorContext(({ url }) =>
    new URL(url).searchParams.get("who") === account.uid ? Response.json(account) : problemAnswer(404, "not_found"),
  );
  expect(await findAccount(context, user_id)).toMatchObject({ uid: account.uid, is_kept_by_us: true, account });
});

test("disables a person in the product before identity answers", async () => {
  const user_id = await addUser("closed_person");
  const uid = identityOf(user_id);
  const account = { uid };
  let is_silent = true;
  const context = operatorContext(async ({ method, token }) => {
    await verifyOperatorToken(token, { key: KEY, audience: "ofuse-identity", now_ms: Date.now() });
    if (method === "GET") return Response.json(account);
    if (is_silent) throw new Error("reset");
    return Response.json(account);
  });
  await expect(setAccountDisabled(context, uid, { is_disabled: true })).rejects.toMatchObject({ code: "unavailable" });
  const closed_at = await disabledAt(user_id);
  expect(closed_at).not.toBeNull();
  is_silent = false;
  await setAccountDisabled({ ...context, now_ms: NOW_MS + 60_000 }, uid, { is_disabled: true });
  expect(await disabledAt(user_id), "the second act keeps the time of the first").toBe(closed_at);
});

test("refuses operators who would lock themselves out, and lets them act on others", async () => {
  const [own, other] = [await addUser("own_account"), await addUser("other_account")];
  const signed_in = (of: string) => ({ ...firebaseContext(), caller: contextOf(of).caller });
  const uid = identityOf(own);
  const refusal = { code: "cannot_act_on_yourself" };
  await expect(setAccountDisabled(signed_in(own), uid, { is_disabled: true })).rejects.toMatchObject(refusal);
  await expect(actOnAccount(signed_in(own), removeAccountFactors, uid, {})).rejects.toMatchObject(refusal);
  expect(await disabledAt(own)).toBeNull();
  expect(await actsOn(uid)).toEqual([]);
  await setAccountDisabled(signed_in(own), uid, { is_disabled: false });
  await setAccountDisabled(signed_in(other), uid, { is_disabled: true });
  expect(await disabledAt(own)).not.toBeNull();
});

test("plans no maintenance that is over already", async () => {
  const at = (offset_ms: number) => new Date(NOW_MS + offset_ms).toISOString();
  const set = (finished_at: string) => setMaintenance(firebaseContext(), { started_at: at(-60_000), finished_at });
  await expect(set(at(0))).rejects.toMatchObject({
    code: "validation_failed",
    fields: { finished_at: ["終わりには、これからの日時を指定してください。"] },
  });
  expect((await findMaintenance(firebaseContext())).finished_at).toBeNull();
  expect(await set(at(1))).toMatchObject({ finished_at: at(1) });
});

test("records that a mail could not be sent again", async () => {
  const mail_id = `receipt:${newId(NOW_MS)}`;
  const context = firebaseContext();
  const again = { operation: "retryMail", input: "{}" };
  // The tests' mails worker has no failed mail.
  await expect(retryMail(context, mail_id)).rejects.toMatchObject({ code: "not_found" });
  expect(await actsOn(mail_id)).toEqual([again, { ...again, input: JSON.stringify({ refused: "not_found" }) }]);
  const mails = { ...noMails, retry: async () => true };
  await retryMail({ ...context, operator: { ...context.operator, mails } }, mail_id);
  expect((await actsOn(mail_id)).slice(2)).toEqual([again]);
});

test("lists the acts of one operator, and those on a person by each of their names", async () => {
  const user_id = await addUser("acted_on");
  await d1.prepare("UPDATE users SET email = 'acted@example.jp' WHERE user_id = ?").bind(user_id).run();
  const uid = identityOf(user_id);
  const context = firebaseContext();
  const mina = { ...context, operator: { ...context.operator, name: "mina" } };
  const later = (seconds: number) => ({ ...context, now_ms: NOW_MS + seconds * 1000 });
  await setAccountDisabled(mina, uid, { is_disabled: true });
  await setAccountDisabled(later(1), uid, { is_disabled: false });
  await setMailSuppressed(later(2), { address: "acted@example.jp", is_suppressed: true, reason: null });
  const actsOf = async (filter: { operator?: string; subject?: string; limit?: number }) =>
    (await listActs(context, { limit: 10, ...filter })).acts.map(({ operator, operation }) => [operator, operation]);
  const on_account = [
    ["hana", "setAccountDisabled"],
    ["mina", "setAccountDisabled"],
  ];
  for (const subject of [uid, user_id, "@acted_on"]) expect(await actsOf({ subject }), subject).toEqual(on_account);
  const on_address = [["hana", "setMailSuppressed"], ...on_account];
  expect(await actsOf({ subject: "Acted@example.jp" })).toEqual(on_address);
  expect(await actsOf({ subject: uid, operator: "mina" })).toEqual([["mina", "setAccountDisabled"]]);
  expect(await actsOf({ subject: "nobody" })).toEqual([]);
  expect(await actsOf({ operator: "mina" })).toEqual([["mina", "setAccountDisabled"]]);
});

test("does not call identity without a key", async () => {
  const context = operatorContext(() => {
    throw new Error("identity was asked");
  });
  const keyless = { ...context, operator: { ...context.operator, key: undefined } };
  await expect(findAccount(keyless, "hana@example.jp")).rejects.toMatchObject({ code: "unavailable" });
});

test("an event that was given up is listed with its error, and tried again when an operator says so", async () => {
  const [outbox_id, waiting] = [`gone-${newId(NOW_MS)}`, `waits-${newId(NOW_MS)}`];
  const insert = d1.prepare(
    "INSERT INTO outbox (outbox_id, kind, payload, created_at, attempts) VALUES (?, 'ofuse_sent', '{}', ?, ?)",
  );
  const created_at = new Date(NOW_MS).toISOString();
  await d1.batch([
    d1.prepare("DELETE FROM outbox"),
    insert.bind(outbox_id, created_at, MAX_ATTEMPTS - 1),
    insert.bind(waiting, created_at, 1),
  ]);
  const dispatch = (react: () => Promise<[]>) => dispatchOutbox(dispatcherOf({ reactions: [{ ofuse_sent: react }] }));
  await dispatch(async () => {
    throw new Error("the index is away");
  });
  const context = firebaseContext();
  expect(await listOutbox(context, { limit: 1 })).toMatchObject({
    kinds: [{ kind: "ofuse_sent", waiting_count: 1, given_up_count: 1, oldest_at: created_at }],
    given_up: [{ outbox_id, kind: "ofuse_sent", last_error: "the index is away" }],
    has_next: false,
  });
  expect(await listOutbox(context, { after: outbox_id, limit: 1 })).toMatchObject({ given_up: [], has_next: false });
  const tried: string[] = [];
  const react = async (): Promise<[]> => {
    tried.push("once");
    return [];
  };
  await dispatch(react);
  expect(tried, "the clock leaves it alone").toHaveLength(1);
  await retryOutboxRow(context, outbox_id);
  await dispatch(react);
  expect(tried).toHaveLength(2);
  expect(await actsOn(outbox_id)).toMatchObject([{ operation: "retryOutboxRow" }]);
  for (const wrong of [outbox_id, waiting, "nobody"]) {
    await expect(retryOutboxRow(context, wrong)).rejects.toMatchObject({ code: "not_found" });
  }
});

describe("a reply to a comment that is taken down", () => {
  let now_ms = NOW_MS;
  /** An operator's context, a second after the one before. */
  const operator = () => {
    now_ms += 1000;
    return { ...firebaseContext(), now_ms };
  };

  /** Adds a comment with two replies. Returns the ids of the three. */
  async function addThread(): Promise<[comment: string, reply: string, other: string]> {
    const writer = await addUser(`w_${newId(NOW_MS)}`);
    const [event_id, ...ids] = [0, 0, 0, 0].map(() => newId(NOW_MS)) as [string, string, string, string];
    const event = d1.prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
        VALUES (?, ?, 'text', '題', '', '本文', 'published', 'public', '2026-11-01', '2026-11-01')`,
    );
    const comment = d1.prepare(
      `INSERT INTO event_comments (comment_id, event_id, user_id, message, parent_comment_id, created_at)
        VALUES (?, ?, ?, '言葉', ?, '2026-11-01')`,
    );
    const parents = [null, ids[0], ids[0]];
    await d1.batch([
      event.bind(event_id, writer),
      ...ids.map((id, n) => comment.bind(id, event_id, writer, parents[n] ?? null)),
    ]);
    return ids;
  }
  const isShown = async (ids: string[]) => {
    const query = d1.prepare("SELECT hidden_at IS NULL AS is_shown FROM event_comments WHERE comment_id = ?");
    const answers = await d1.batch<{ is_shown: number }>(ids.map((id) => query.bind(id)));
    return answers.map(({ results }) => results[0]?.is_shown === 1);
  };
  const down = async (subject_id: string) =>
    (await takeDown(operator(), { subject_type: "event_comment", subject_id }, null)).removal.removal_id;
  const back = (removal_id: string) => giveBack(operator(), removal_id, null);

  test("stays down when its report was decided meanwhile and the comment's appeal is granted", async () => {
    const thread = await addThread();
    const [comment, reply] = thread;
    const reply_report = await addReport("event_comment", reply);
    const removal_id = await down(comment);
    await decideReport(operator(), reply_report, { decision: "removed", note: null });
    const own_removal_id = await down(reply);
    expect(own_removal_id).not.toBe(removal_id);
    await d1
      .prepare("UPDATE removals SET appeal = '違います', appealed_at = '2026-11-21' WHERE removal_id = ?")
      .bind(removal_id)
      .run();
    const { removal } = await answerAppeal(operator(), removal_id, { decision: "granted", note: null });
    expect(await isShown(thread)).toEqual([true, false, true]);
    // The appeal gave it back with these words already.
    expect(await giveBack(operator(), removal_id, null)).toEqual({ removal });
    await back(own_removal_id);
    expect(await isShown(thread)).toEqual([true, true, true]);
  });

  test.each(["after", "before"])("stays hidden with the comment when it was taken down %s it", async (order) => {
    const thread = await addThread();
    const [comment, reply] = thread;
    const before = order === "before" ? await down(reply) : "";
    const removal_id = await down(comment);
    await back(before || (await down(reply)));
    expect(await isShown(thread)).toEqual([false, false, false]);
    await back(removal_id);
    expect(await isShown(thread)).toEqual([true, true, true]);
  });

  test("has the note of the first operator, and the second one's note is refused", async () => {
    const [comment] = await addThread();
    const subject = { subject_type: "event_comment", subject_id: comment } as const;
    const first = await takeDown(operator(), subject, "広告です");
    expect(await takeDown(operator(), subject, "広告です")).toEqual(first);
    for (const note of ["中傷です", null]) {
      await expect(takeDown(operator(), subject, note)).rejects.toMatchObject({ code: "removal_changed" });
    }
    const { removal_id } = first.removal;
    const returned = await giveBack(operator(), removal_id, "確認しました");
    expect(await giveBack(operator(), removal_id, "確認しました")).toEqual(returned);
    await expect(giveBack(operator(), removal_id, null)).rejects.toMatchObject({ code: "removal_changed" });
  });

  test.each([
    [
      "taken down",
      (subject_id: string) => (note: string) =>
        takeDown(operator(), { subject_type: "event_comment", subject_id }, note),
    ],
    [
      "given back",
      async (subject_id: string) => {
        const removal_id = await down(subject_id);
        return (note: string) => giveBack(operator(), removal_id, note);
      },
    ],
  ])("is %s by one of two operators at once, and the other one's note is refused", async (_, begin) => {
    const [comment] = await addThread();
    const act = await begin(comment);
    const settled = await Promise.allSettled([act("広告です"), act("中傷です")]);
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(settled.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "removal_changed" } });
  });

  test("stays hidden when the creator had hidden it", async () => {
    const [, reply] = await addThread();
    await d1.prepare("UPDATE event_comments SET hidden_at = '2026-11-02' WHERE comment_id = ?").bind(reply).run();
    await back(await down(reply));
    expect(await isShown([reply])).toEqual([false]);
  });

  test("gets no removal when its writer deleted it before its report was decided", async () => {
    const [, reply] = await addThread();
    const report_id = await addReport("event_comment", reply);
    await d1.prepare("UPDATE event_comments SET deleted_at = '2026-11-02' WHERE comment_id = ?").bind(reply).run();
    await decideReport(operator(), report_id, { decision: "removed", note: null });
    const removals = d1.prepare("SELECT COUNT(*) AS n FROM removals WHERE subject_id = ?");
    expect(await removals.bind(reply).first("n")).toBe(0);
  });
});

test("takes a post down once when the act arrives six times at once, and tells its owner of one removal", async () => {
  const [owner, subject_id] = [await addUser("twice_removed"), newId(NOW_MS)];
  await d1
    .prepare(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?, ?, 'blog', 'x', 'x', 'x', 'published', 'public', ?3, ?3)`,
    )
    .bind(subject_id, owner, new Date(NOW_MS).toISOString())
    .run();
  const subject = { subject_type: "event", subject_id } as const;
  const answers = await Promise.all(Array.from({ length: 6 }, () => takeDown(firebaseContext(), subject, null)));
  const ids = new Set(answers.map(({ removal }) => removal.removal_id));
  expect(ids.size).toBe(1);
  const told = "SELECT payload ->> 'removal_id' AS id FROM outbox WHERE payload ->> 'owner_user_id' = ?";
  expect((await d1.prepare(told).bind(owner).all<{ id: string }>()).results.map(({ id }) => id)).toEqual([...ids]);
  expect(await actsOn(subject_id)).toHaveLength(1);
});

describe("an act on an address", () => {
  // The first digits of the SHA-256 of hana@example.jp.
  const DIGITS = "5a4c581525f2";
  const lastActs = async (count: number) => {
    const rows = d1
      .prepare("SELECT operation, subject, input FROM operator_acts ORDER BY rowid DESC LIMIT ?")
      .bind(count);
    const { results } = await rows.all<{ operation: string; subject: string; input: string }>();
    return results.map(({ input, ...act }) => ({ ...act, input: JSON.parse(input) }));
  };

  test("is recorded with the digits of the address, however it is written", async () => {
    for (const address of ["hana@example.jp", "Hana@Example.jp"]) {
      await setMailSuppressed(firebaseContext(), { address, is_suppressed: true, reason: "本人からの連絡" });
    }
    const act = {
      operation: "setMailSuppressed",
      subject: DIGITS,
      input: { is_suppressed: true, reason: "本人からの連絡" },
    };
    expect(await lastActs(2)).toEqual([act, act]);
  });

  test.each(["bad@", "a b@example.jp", "hana@example..jp"])("is refused for %s, which no mail reaches", (address) => {
    const { error } = suppress.body.safeParse({ address, is_suppressed: true });
    expect(error?.issues).toMatchObject([{ path: ["address"], message: "メールアドレスを正しく入力してください。" }]);
  });

  test("is recorded when an account is created, and once more when it is refused", async () => {
    const body = { email: "hana@example.jp", name: "花", is_email_verified: false, password: null };
    const asked = {
      operation: "createAccount",
      subject: DIGITS,
      input: { is_email_verified: false, has_password: false },
    };
    const made = operatorContext(() => Response.json({ uid: "uid of hana" }, { status: 201 }));
    expect(await createAccount(made, body)).toMatchObject({ uid: "uid of hana" });
    const before = await lastActs(2);
    expect(before[0]).toEqual(asked);
    expect(before[1]).not.toMatchObject({ operation: "createAccount" });
    const taken = operatorContext(() => problemAnswer(409, "email_taken"));
    await expect(createAccount(taken, body)).rejects.toMatchObject({ code: "email_taken" });
    expect(await lastActs(2)).toEqual([{ ...asked, input: { refused: "email_taken" } }, asked]);
  });
});
