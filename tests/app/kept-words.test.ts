import { expect, test } from "vitest";
import { addressOf } from "../../app/forms/kept-words.ts";

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

test.each([
  ["of two comments", { parent_comment_id: "a" }, { parent_comment_id: "b" }],
  ["of two acts", { act: "hold", payment_id: "a" }, { act: "refund", payment_id: "a" }],
  ["of two payments", { act: "hold", payment_id: "a" }, { act: "hold", payment_id: "b" }],
  ["of two removals", { act: "give_back", removal_id: "a" }, { act: "give_back", removal_id: "b" }],
  ["of two posts to take down", { act: "take_down", subject_id: "a" }, { act: "take_down", subject_id: "b" }],
  ["for a new campaign and of an old one", { act: "open" }, { act: "open", edits: "a" }],
])("the kept words of forms %s have different addresses", (_, one, other) => {
  expect(addressOf("/here", formOf(one))).not.toBe(addressOf("/here", formOf({ ...other, reason: "typed" })));
  expect(addressOf("/here", formOf(one))).toBe(addressOf("/here", formOf({ ...one, reason: "typed" })));
});
