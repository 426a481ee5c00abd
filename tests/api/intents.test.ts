import { expect, test } from "vitest";
import { createIntent, redeemIntent } from "../../workers/api/intents/commands.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const visitor = contextOf(null);
const MINUTE_MS = 60_000;

async function isFollowing(follower_id: string, following_id: string): Promise<boolean> {
  const row = await d1
    .prepare("SELECT 1 FROM relationships WHERE follower_id = ? AND following_id = ?")
    .bind(follower_id, following_id)
    .first();
  return row !== null;
}

test("an intent follows once, for the first caller with the secret", async () => {
  const [fan, other, creator] = [await addUser("i_fan"), await addUser("i_other"), await addUser("i_creator")];
  const { intent_id, secret } = await createIntent(visitor, { kind: "follow", following_id: creator });
  expect(await isFollowing(fan, creator)).toBe(false);
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, () => redeemIntent(contextOf(fan), intent_id, secret)),
  );
  expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await isFollowing(fan, creator)).toBe(true);
  await expect(redeemIntent(contextOf(other), intent_id, secret)).rejects.toMatchObject({ code: "intent_unusable" });
  expect(await isFollowing(other, creator)).toBe(false);
});

test("an intent to follow needs a member", async () => {
  const creator = await addUser("i_creator6");
  const { intent_id, secret } = await createIntent(visitor, { kind: "follow", following_id: creator });
  await expect(redeemIntent(visitor, intent_id, secret)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("an intent does nothing without its secret, or after half an hour", async () => {
  const [fan, creator] = [await addUser("i_fan2"), await addUser("i_creator2")];
  const { intent_id, secret } = await createIntent(visitor, { kind: "follow", following_id: creator });
  const late = contextOf(fan, { now_ms: NOW_MS + 30 * MINUTE_MS });
  for (const attempt of [
    redeemIntent(contextOf(fan), intent_id, "another-secret"),
    redeemIntent(contextOf(fan), intent_id, ""),
    redeemIntent(late, intent_id, secret),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: "intent_unusable" });
  }
  expect(await isFollowing(fan, creator)).toBe(false);
});

test("the database does not contain the secret itself", async () => {
  const creator = await addUser("i_creator3");
  const { secret } = await createIntent(visitor, { kind: "follow", following_id: creator });
  const { results } = await d1.prepare("SELECT * FROM intents").all();
  expect(JSON.stringify(results)).not.toContain(secret);
});

test("an intent to follow a member who left is refused with not_found", async () => {
  const fan = await addUser("i_fan4");
  const gone = "01m7w8x4djb0f2bjzhah5xzvz6";
  const { intent_id, secret } = await createIntent(visitor, { kind: "follow", following_id: gone });
  await expect(redeemIntent(contextOf(fan), intent_id, secret)).rejects.toMatchObject({ code: "not_found" });
});

test("an intent to follow, made by a visitor who turns out to be that person, is refused", async () => {
  const creator = await addUser("i_creator7");
  const { intent_id, secret } = await createIntent(visitor, { kind: "follow", following_id: creator });
  await expect(redeemIntent(contextOf(creator), intent_id, secret)).rejects.toMatchObject({
    code: "cannot_follow_yourself",
  });
});

test("an intent returns a form's words as typed, however often it is redeemed", async () => {
  const fan = await addUser("i_fan5");
  const fields = { message: "  とても長い手紙\r\n".repeat(100), is_public: "on" };
  const { intent_id, secret } = await createIntent(visitor, { kind: "form", path: "/natsume/ofuse", fields });
  for (const who of [fan, fan, null]) {
    expect(await redeemIntent(contextOf(who), intent_id, secret)).toEqual({
      intent: { kind: "form", path: "/natsume/ofuse", fields },
    });
  }
});

test("one address can keep at most sixty intents at a time", async () => {
  const flooding = { ...contextOf(null), address_hash: "one address" };
  const intent = { kind: "form" as const, path: "/x", fields: {} };
  const kept = await Promise.allSettled(Array.from({ length: 80 }, () => createIntent(flooding, intent)));
  expect(kept.filter(({ status }) => status === "fulfilled")).toHaveLength(60);
  await createIntent({ ...contextOf(null), address_hash: "another address" }, intent);
  await createIntent({ ...flooding, now_ms: NOW_MS + 31 * MINUTE_MS }, intent);
});
