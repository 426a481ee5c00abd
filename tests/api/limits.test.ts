import { expect, test } from "vitest";
import { sendFreeOfuse } from "../../workers/api/ofuses/commands.ts";
import { startOfJapaneseDay } from "../../workers/kernel/clock.ts";
import { addUser, contextOf } from "./support/context.ts";

const letter = (receiver_user_id: string) => ({ receiver_user_id, message: "応援しています", is_public: false });

test("twenty letters sent at once to one creator: three arrive", async () => {
  const [fan, creator] = [await addUser("eager_fan"), await addUser("eager_creator")];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => sendFreeOfuse(contextOf(fan), letter(creator))),
  );
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "free_ofuse_limit_reached" });
  }
});

test("the day that counts is Japan's", async () => {
  const [fan, creator] = [await addUser("late_fan"), await addUser("late_creator")];
  const midnight = Date.UTC(2026, 10, 20, 15, 0, 0);
  expect(startOfJapaneseDay(midnight)).toBe(midnight);
  const before = contextOf(fan, { now_ms: midnight - 1000 });
  for (let sent = 0; sent < 3; sent++) await sendFreeOfuse(before, letter(creator));
  await expect(sendFreeOfuse(before, letter(creator))).rejects.toMatchObject({
    code: "free_ofuse_limit_reached",
    retry_after_s: 1,
  });
  await sendFreeOfuse(contextOf(fan, { now_ms: midnight }), letter(creator));
});
