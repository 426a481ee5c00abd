import { expect, test } from "vitest";
import { listSitemapFiles } from "../../workers/api/edge/queries.ts";
import { SITEMAP_FILE_SIZE } from "../../workers/contract/edge.ts";
import { addUser, contextOf, d1 } from "./support/context.ts";

const listFiles = () => listSitemapFiles(contextOf(null));
const now = new Date(0).toISOString();

/** Adds people or posts whose ids end in these numbers. */
const addRows = (insert: string, first: number, last: number, ...values: string[]) =>
  d1
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
       ${insert} FROM numbers`,
    )
    .bind(first, last, ...values)
    .run();
const addCreators = (first: number, last: number) =>
  addRows(
    `INSERT INTO users (user_id, identity_id, link_id, name, is_creator, created_at)
     SELECT printf('creator-%05d', n), 'identity ' || n, 'creator_' || n, 'x', 1, ?3`,
    ...([first, last, now] as const),
  );
const addPosts = (first: number, last: number) =>
  addRows(
    `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
     SELECT printf('post-%05d', n), 'creator-00001', 'blog', 'x', 'x', 'x', 'published', 'public', ?3, ?3`,
    ...([first, last, now] as const),
  );

test("the sitemap lists a file only when it has an entry", async () => {
  await addUser("sitemap_fan");
  expect(await listFiles()).toEqual([]);
  await addCreators(1, SITEMAP_FILE_SIZE);
  expect(await listFiles()).toEqual([{ kind: "creators", after: null }]);
  await addPosts(1, SITEMAP_FILE_SIZE);
  expect(await listFiles()).toEqual([
    { kind: "creators", after: null },
    { kind: "events", after: null },
  ]);
  await addCreators(SITEMAP_FILE_SIZE + 1, SITEMAP_FILE_SIZE + 1);
  await addPosts(SITEMAP_FILE_SIZE + 1, SITEMAP_FILE_SIZE + 1);
  expect(await listFiles()).toEqual([
    { kind: "creators", after: null },
    { kind: "creators", after: `creator-${SITEMAP_FILE_SIZE}` },
    { kind: "events", after: null },
    { kind: "events", after: `post-${SITEMAP_FILE_SIZE}` },
  ]);
});
