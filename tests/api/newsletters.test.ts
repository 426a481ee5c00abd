import { beforeAll, expect, test } from "vitest";
import { listOwnNewsletters } from "../../workers/api/newsletters/queries.ts";
import { countRemaining } from "../../workers/api/newsletters/rules.ts";
import type { NewsletterListing } from "../../workers/contract/newsletters.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { addUser, contextOf, d1, NOW_MS } from "./support/context.ts";

const inJapan = (time: string) => Date.parse(`${time}+09:00`);

interface Written {
  title?: string;
  status?: string;
  publish_at?: string | null;
  published_at?: string | null;
  fan_scope?: string;
}

/** Inserts a newsletter; the table may refuse it. */
async function insertNewsletter(user_id: string, written: Written): Promise<void> {
  const { title = "題", status = "draft", publish_at = null, published_at = null, fan_scope = "fans" } = written;
  const now = new Date(NOW_MS).toISOString();
  await d1
    .prepare(
      `INSERT INTO newsletters (newsletter_id, user_id, title, body, fan_scope, status, publish_at, published_at,
         created_at, updated_at) VALUES (?1, ?2, ?3, '本文', ?4, ?5, ?6, ?7, ?8, ?8)`,
    )
    .bind(newId(NOW_MS), user_id, title, fan_scope, status, publish_at, published_at, now)
    .run();
}
const insertPublished = (user_id: string, time: string, planned = time) =>
  insertNewsletter(user_id, {
    status: "published",
    publish_at: new Date(inJapan(planned)).toISOString(),
    published_at: new Date(inJapan(time)).toISOString(),
  });

const remainingAt = async (user_id: string, time: string) => {
  const context = contextOf(user_id, { now_ms: inJapan(time) });
  return (await listOwnNewsletters(context, user_id, { page_number: 1, page_size: 1 })).remaining_count;
};

let creator: string;
beforeAll(async () => {
  creator = await addUser("mailing_creator", { is_creator: 1 });
});

test("the limit is four a month, and members who are not creators get none", () => {
  const countLeft = (counted: number) => countRemaining({ is_creator: true, counted });
  expect([0, 1, 4, 5].map(countLeft)).toEqual([4, 3, 0, 0]);
  expect(countRemaining({ is_creator: false, counted: 0 })).toBe(0);
});

test("the limit counts months in Japan, to the millisecond", async () => {
  await insertPublished(creator, "2026-12-01T00:00:00.000");
  await insertPublished(creator, "2026-12-31T23:59:59.999");
  await insertPublished(creator, "2027-01-01T00:00:00.000");
  const left = await Promise.all(
    ["2026-11-30T23:59:59.999", "2026-12-01T00:00:00.000", "2026-12-31T23:59:59.999", "2027-01-01T00:00:00.000"].map(
      (time) => remainingAt(creator, time),
    ),
  );
  expect(left).toEqual([4, 2, 2, 3]);
});

test("a newsletter planned for a month's last minute counts for that month, though it was sent late", async () => {
  const late = await addUser("late_mailer", { is_creator: 1 });
  await insertPublished(late, "2027-03-01T00:00:40.000", "2027-02-28T23:59:00.000");
  expect(await remainingAt(late, "2027-02-28T23:59:30.000")).toBe(3);
  expect(await remainingAt(late, "2027-03-01T00:01:00.000")).toBe(4);
});

test("an unplanned newsletter counts when it was sent", async () => {
  const prompt = await addUser("prompt_mailer", { is_creator: 1 });
  await insertNewsletter(prompt, {
    status: "published",
    published_at: new Date(inJapan("2027-02-10T12:00:00")).toISOString(),
  });
  expect(await remainingAt(prompt, "2027-02-28T00:00:00")).toBe(3);
});

test("the list has what its filters say; with two filters, what matches both", async () => {
  const lister = await addUser("listing_mailer", { is_creator: 1 });
  await insertNewsletter(lister, { title: "下書き" });
  await insertNewsletter(lister, { title: "予約", status: "scheduled", publish_at: moment });
  await insertNewsletter(lister, { title: "配信済み", status: "published", published_at: moment });
  const titlesOf = async (filter: { is_draft?: boolean; listing?: NewsletterListing }) => {
    const { news_letters } = await listOwnNewsletters(contextOf(lister), lister, {
      ...{ page_number: 1, page_size: 20 },
      ...filter,
    });
    return news_letters.map(({ title }) => title).sort();
  };
  const all = ["配信済み", "予約", "下書き"].sort();
  expect(await titlesOf({})).toEqual(all);
  expect(await titlesOf({ listing: "all" })).toEqual(all);
  expect(await titlesOf({ listing: "published" })).toEqual(["配信済み"]);
  expect(await titlesOf({ listing: "scheduled" })).toEqual(["予約"]);
  expect(await titlesOf({ listing: "draft" })).toEqual(["下書き"]);
  expect(await titlesOf({ listing: "all", is_draft: false })).toEqual(["配信済み", "予約"].sort());
  expect(await titlesOf({ listing: "scheduled", is_draft: false })).toEqual(["予約"]);
  expect(await titlesOf({ listing: "published", is_draft: true })).toEqual([]);
  expect(await titlesOf({ listing: "draft", is_draft: false })).toEqual([]);
});

const moment = "2026-11-25T00:00:00.000Z";
test.each<[string, Written]>([
  ["a draft with a planned time", { publish_at: moment }],
  ["a draft that was sent", { published_at: moment }],
  ["a scheduled newsletter without a time", { status: "scheduled" }],
  ["a scheduled newsletter that was sent", { status: "scheduled", publish_at: moment, published_at: moment }],
  ["a published newsletter that was not sent", { status: "published", publish_at: moment }],
  ["a scheduled newsletter without a title", { status: "scheduled", publish_at: moment, title: "" }],
  ["a newsletter for members without a plan", { fan_scope: "memberships" }],
])("the table refuses %s", async (_name, written) => {
  await expect(insertNewsletter(creator, written)).rejects.toThrow(/CHECK/);
});
