import { describe, expect, test } from "vitest";
import { listOfuses, sendFreeOfuse } from "../../workers/contract/ofuses.ts";
import { follow, listRelationships, unfollow } from "../../workers/contract/relationships.ts";
import { createProfile } from "../../workers/contract/users.ts";
import { freshAccount, freshMember, type Member } from "../support/network.ts";
import { ask, expectProblem, refused, send, succeeded } from "./support/calls.ts";

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

  test("gives its answer also after the day's three letters are gone", async () => {
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

  test("for another person in the query is refused", async () => {
    const [fan, artist] = await pair();
    const other = await freshMember("別の作家");
    const call = { token: fan.token, key: crypto.randomUUID() };
    await ask(unfollow, { ...call, query: { following_id: artist.user.user_id } });
    const query = { following_id: other.user.user_id };
    await refused(unfollow, "idempotency_key_reused", { ...call, query });
  });

  test("in another person's hand is another key", async () => {
    const [fan, artist] = await pair();
    const friend = await freshMember("ともだち");
    const call = { key: crypto.randomUUID(), body: letterTo(artist) };
    const mine = await ask(sendFreeOfuse, { ...call, token: fan.token });
    const theirs = await ask(sendFreeOfuse, { ...call, token: friend.token });
    expect(theirs.ofuse.ofuse_id).not.toBe(mine.ofuse.ofuse_id);
    expect(await received(artist)).toHaveLength(2);
  });

  test("at another operation is another key", async () => {
    const [fan, artist] = await pair();
    const call = { token: fan.token, key: crypto.randomUUID() };
    await ask(sendFreeOfuse, { ...call, body: letterTo(artist) });
    await ask(follow, { ...call, body: { following_id: artist.user.user_id } });
    expect((await ask(listRelationships, { token: fan.token })).relationships).toHaveLength(1);
  });

  test("is still good after what it was used for was refused", async () => {
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

test.each(["x", "1234567", "a".repeat(129), "with space", "semi;colon"])("a key like %j is refused", async (key) => {
  const [fan, artist] = await pair();
  const reply = await send(sendFreeOfuse, { token: fan.token, key, body: letterTo(artist) });
  expect(expectProblem(reply, "validation_failed").errors).toHaveProperty("Idempotency-Key");
  expect(await received(artist)).toEqual([]);
});

test("a thousand sendings of one letter at a time make one letter, and all hear of it", async () => {
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
