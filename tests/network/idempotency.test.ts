import { describe, expect, test } from "vitest";
import { createEventComment, deleteEventComment, listEventComments } from "../../workers/contract/comments.ts";
import { deleteDraft, listDrafts, saveDraft } from "../../workers/contract/drafts.ts";
import { createEvent, deleteEvent, listOwnEvents, updateEvent, updateEvents } from "../../workers/contract/events.ts";
import { WORDS_KEY_PREFIX } from "../../workers/contract/fields.ts";
import { productOperations } from "../../workers/contract/index.ts";
import { listOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { follow, listRelationships, unfollow } from "../../workers/contract/relationships.ts";
import { createProfile } from "../../workers/contract/users.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { database, freshAccount, freshMember, type Member } from "../support/network.ts";
import { ask, expectProblem, refused, send, succeeded } from "./support/calls.ts";
import { insertPost } from "./support/posts.ts";

const pair = () => Promise.all([freshMember("ファン"), freshMember("作家")]);
const letterTo = (artist: Member, message = "一通だけ") => ({ receiver_user_id: artist.user.user_id, message });
const received = async (artist: Member) => (await ask(listOfuses, { token: artist.token })).ofuses;

describe("the same key", () => {
  test("with the same letter gives the same answer and one letter", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID(), body: letterTo(artist) };
    const first = await send(sendFreeOfuse, call);
    const again = await send(sendFreeOfuse, call);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(succeeded(sendFreeOfuse, again)).toEqual(succeeded(sendFreeOfuse, first));
    expect(await received(artist)).toHaveLength(1);
  });

  test("gives its answer even when the day's three letters are used up", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID(), body: letterTo(artist) };
    const first = await ask(sendFreeOfuse, call);
    for (let count = 0; count < 2; count++) await ask(sendFreeOfuse, { ...call, key: crypto.randomUUID() });
    await refused(sendFreeOfuse, "free_ofuse_limit_reached", { ...call, key: crypto.randomUUID() });
    expect(await ask(sendFreeOfuse, call)).toEqual(first);
  });

  test("with another letter is refused and sends nothing", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID() };
    await ask(sendFreeOfuse, { ...call, body: letterTo(artist) });
    await refused(sendFreeOfuse, "idempotency_key_reused", { ...call, body: letterTo(artist, "別の手紙") });
    expect(await received(artist)).toHaveLength(1);
  });

  test("with another person in the query is refused", async () => {
    const [fan, artist] = await pair();
    const other = await freshMember("別の作家");
    const call = { token: fan.token, key: crypto.randomUUID() };
    await ask(unfollow, { ...call, query: { following_id: artist.user.user_id } });
    const query = { following_id: other.user.user_id };
    await refused(unfollow, "idempotency_key_reused", { ...call, query });
  });

  test("of another person is a different key", async () => {
    const [fan, artist] = await pair();
    const friend = await freshMember("ともだち");
    const call = { key: crypto.randomUUID(), body: letterTo(artist) };
    const mine = await ask(sendFreeOfuse, { ...call, token: fan.token });
    const theirs = await ask(sendFreeOfuse, { ...call, token: friend.token });
    expect(theirs.ofuse.ofuse_id).not.toBe(mine.ofuse.ofuse_id);
    expect(await received(artist)).toHaveLength(2);
  });

  test("at another operation is a different key", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID() };
    await ask(sendFreeOfuse, { ...call, body: letterTo(artist) });
    await ask(follow, { ...call, body: { following_id: artist.user.user_id } });
    expect((await ask(listRelationships, { token: fan.token })).relationships).toHaveLength(1);
  });

  test("is still usable after its request was refused", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID() };
    await refused(sendFreeOfuse, "validation_failed", { ...call, body: letterTo(artist, "") });
    await refused(sendFreeOfuse, "cannot_ofuse_yourself", { ...call, body: letterTo(fan) });
    await ask(sendFreeOfuse, { ...call, body: letterTo(artist) });
    expect(await received(artist)).toHaveLength(1);
  });

  test("replays a registration instead of refusing the second", async () => {
    const { token } = await freshAccount();
    const call = { token, key: crypto.randomUUID(), body: { default_name: "はじめ" } };
    expect(await ask(createProfile, call)).toEqual(await ask(createProfile, call));
  });
});

describe("a key derived from the words", () => {
  /** Moves what is stored under the key into the past, as if that time had passed. */
  const age = async (key: string, seconds: number) =>
    (await database())
      .prepare("UPDATE idempotency_keys SET created_at = ? WHERE idempotency_key = ?")
      .bind(new Date(Date.now() - seconds * 1000).toISOString(), key)
      .run();

  test("counts for a minute: afterwards the same words are a new letter, also when they are sent twice", async () => {
    const [fan, artist] = await pair();
    const key = `${WORDS_KEY_PREFIX}${crypto.randomUUID()}`;
    const call = { token: fan.token, key, body: letterTo(artist, "ありがとう") };
    const first = await ask(sendFreeOfuse, call);
    await age(key, 50);
    expect(await ask(sendFreeOfuse, call)).toEqual(first);
    await age(key, 70);
    const twins = await Promise.all([1, 2, 3].map(() => ask(sendFreeOfuse, call)));
    expect(new Set(twins.map(({ ofuse }) => ofuse.ofuse_id)).size).toBe(1);
    expect(await received(artist)).toHaveLength(2);
  });

  test("refuses other words for a minute only", async () => {
    const [fan, artist] = await pair();
    const key = `${WORDS_KEY_PREFIX}${crypto.randomUUID()}`;
    const call = { token: fan.token, key };
    await ask(sendFreeOfuse, { ...call, body: letterTo(artist) });
    await refused(sendFreeOfuse, "idempotency_key_reused", { ...call, body: letterTo(artist, "別の手紙") });
    await age(key, 70);
    await ask(sendFreeOfuse, { ...call, body: letterTo(artist, "別の手紙") });
    expect(await received(artist)).toHaveLength(2);
  });

  test("and no other: a form's own key still counts an hour later", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID(), body: letterTo(artist) };
    const first = await ask(sendFreeOfuse, call);
    await age(call.key, 3600);
    expect(await ask(sendFreeOfuse, call)).toEqual(first);
    expect(await received(artist)).toHaveLength(1);
  });

  test("counts longer in every other operation, so that no payment can be made twice with it", async () => {
    const [fan, artist] = await pair();
    const key = `${WORDS_KEY_PREFIX}${crypto.randomUUID()}`;
    const call = { token: fan.token, key, body: { following_id: artist.user.user_id } };
    expect((await send(follow, call)).headers.get("idempotency-replayed")).toBeNull();
    await age(key, 3600);
    expect((await send(follow, call)).headers.get("idempotency-replayed")).toBe("true");
    const shared = ["createChatMessage", "createEventComment", "createRadioComment", "sendFreeOfuse"];
    const marked = productOperations.filter((operation) => operation.has_keys_of_words).map(({ id }) => id);
    expect(marked.sort()).toEqual(shared);
  });
});

describe("the words of deleted content", () => {
  /** Returns whether any stored answer contains the words. */
  const areKept = async (words: string) => {
    const kept = (await database()).prepare("SELECT 1 FROM idempotency_keys WHERE instr(answer, ?)").bind(words);
    return (await kept.first()) !== null;
  };

  test("are in no stored answer: a retry does not create the comment again", async () => {
    const [fan, artist] = await pair();
    const event_id = await insertPost(artist);
    const say = (message: string) => ({
      token: fan.token,
      key: crypto.randomUUID(),
      params: { event_id },
      body: { message, parent_comment_id: null },
    });
    const [call, other] = [say(`取り消す言葉${crypto.randomUUID()}`), say(`残る言葉${crypto.randomUUID()}`)];
    const { comment } = await ask(createEventComment, call);
    const stays = await ask(createEventComment, other);
    expect(await areKept(call.body.message)).toBe(true);
    // The post's owner deletes it, and the stored answer to its writer must go too.
    await ask(deleteEventComment, { token: artist.token, params: { event_id, comment_id: comment.comment_id } });
    expect(await areKept(call.body.message)).toBe(false);
    await refused(createEventComment, "not_found", call);
    await refused(createEventComment, "idempotency_key_reused", { ...call, body: other.body });
    expect(await ask(createEventComment, other)).toEqual(stays);
    expect((await ask(listEventComments, { params: { event_id } })).comments).toHaveLength(1);
  });

  test.each([
    ["alone", (token: string, event_id: string) => ask(deleteEvent, { token, params: { event_id } })],
    [
      "with others",
      (token: string, event_id: string) =>
        ask(updateEvents, { token, body: { change: "delete", event_ids: [event_id] } }),
    ],
  ])("of a post deleted %s are in no stored answer, and neither are its comments and its draft", async (_, remove) => {
    const [fan, artist] = await pair();
    const { token } = artist;
    const [words, later, typed, said] = ["一", "二", "三", "四"].map((word) => `${word}${crypto.randomUUID()}`) as [
      string,
      string,
      string,
      string,
    ];
    const draft_id = newId(Date.now());
    const save = {
      token,
      key: crypto.randomUUID(),
      params: { draft_id },
      body: { event_id: null, kind: "blog" as const, fields: { body: typed }, revision: 0 },
    };
    await ask(saveDraft, save);
    expect(await areKept(typed)).toBe(true);
    const post = (text: string) => ({
      kind: "blog" as const,
      title: "消える投稿",
      document: [{ type: "paragraph" as const, content: [{ type: "text" as const, text }] }],
      status: "published" as const,
      publish_target_type: "public" as const,
    });
    const create = { token, key: crypto.randomUUID(), body: { ...post(words), draft_id, draft_revision: 1 } };
    const { event_id } = (await ask(createEvent, create)).event;
    expect(await areKept(typed), "of a draft that became a post").toBe(false);
    await refused(saveDraft, "not_found", save);
    const change = { token, key: crypto.randomUUID(), params: { event_id }, body: post(later) };
    await ask(updateEvent, change);
    const comment = { token: fan.token, key: crypto.randomUUID(), params: { event_id }, body: { message: said } };
    await ask(createEventComment, comment);
    expect(await Promise.all([words, later, said].map(areKept))).toEqual([true, true, true]);
    await remove(token, event_id);
    expect(await Promise.all([words, later, said].map(areKept))).toEqual([false, false, false]);
    await refused(createEvent, "not_found", create);
    await refused(createEventComment, "not_found", comment);
    expect((await ask(listOwnEvents, { token })).events).toEqual([]);
  });

  test("of a discarded draft are in no stored answer", async () => {
    const [{ token }] = await pair();
    const [draft_id, typed] = [newId(Date.now()), `捨てる${crypto.randomUUID()}`];
    const body = { event_id: null, kind: "blog" as const, fields: { body: typed }, revision: 0 };
    const save = { token, key: crypto.randomUUID(), params: { draft_id }, body };
    await ask(saveDraft, save);
    await ask(deleteDraft, { token, params: { draft_id } });
    expect(await areKept(typed)).toBe(false);
    await refused(saveDraft, "not_found", save);
    expect((await ask(listDrafts, { token })).drafts).toEqual([]);
  });
});

test.each(["x", "1234567", "a".repeat(129), "with space", "semi;colon"])("a key like %j is refused", async (key) => {
  const [fan, artist] = await pair();
  const reply = await send(sendFreeOfuse, { token: fan.token, key, body: letterTo(artist) });
  expect(expectProblem(reply, "validation_failed").errors).toHaveProperty("Idempotency-Key");
  expect(await received(artist)).toEqual([]);
});

test("a thousand parallel requests with one letter create one letter, and all get its answer", async () => {
  const [fan, artist] = await pair();
  const call = { token: fan.token, key: crypto.randomUUID(), body: letterTo(artist) };
  const answers = new Map<string, number>();
  let left = 1000;
  const sender = async () => {
    while (left-- > 0) {
      const { status, json } = await send(sendFreeOfuse, call);
      const { ofuse } = json as { ofuse?: { ofuse_id: string } };
      const seen = `${status} ${ofuse?.ofuse_id}`;
      answers.set(seen, (answers.get(seen) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 100 }, sender));
  const [letter, ...others] = await received(artist);
  expect(others).toEqual([]);
  expect([...answers]).toEqual([[`201 ${letter?.ofuse_id}`, 1000]]);
});
