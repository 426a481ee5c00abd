/** Titles of categories that are written at the same moment. */
import { expect, test } from "vitest";
import { createCategory, updateCategory } from "../../workers/api/categories/commands.ts";
import { listCategories } from "../../workers/api/categories/queries.ts";
import { addUser, contextOf } from "./support/context.ts";

let people = 0;
const addCreator = () => addUser(`sorter_${++people}`);
const titlesOf = async (user_id: string) =>
  (await listCategories(contextOf(user_id), user_id, false)).map(({ title }) => title);
const outcomesOf = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((each) => (each.status === "fulfilled" ? "done" : each.reason.code));

test.each([
  ["wide letters", ["ＡＢＣ", "ａｂｃ", "Ａｂｃ"]],
  ["letters with an accent", ["Étude", "étude", "ÉTUDE"]],
])("a title in several cases of %s, sent at once, makes one category", async (_, titles) => {
  const user_id = await addCreator();
  const outcomes = await outcomesOf(titles.map((title) => createCategory(contextOf(user_id), { title })));
  expect(outcomes.toSorted()).toEqual(["category_title_taken", "category_title_taken", "done"]);
  expect(await titlesOf(user_id)).toHaveLength(1);
});

test("two categories get the same title only once when both are renamed at once", async () => {
  const user_id = await addCreator();
  const made = [];
  for (const title of ["一", "二"]) made.push(await createCategory(contextOf(user_id), { title }));
  const titles = ["Été", "ÉTÉ"];
  const outcomes = await outcomesOf(
    made.map((each, at) => updateCategory(contextOf(user_id), each.event_category_id, { title: titles[at] ?? "" })),
  );
  expect(outcomes.toSorted()).toEqual(["category_title_taken", "done"]);
});

test("different titles sent at once all make their category", async () => {
  const user_id = await addCreator();
  const titles = Array.from({ length: 8 }, (_, at) => `分類${at}`);
  await Promise.all(titles.map((title) => createCategory(contextOf(user_id), { title })));
  expect((await titlesOf(user_id)).toSorted()).toEqual(titles);
});
