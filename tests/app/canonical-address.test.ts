import { expect, test } from "vitest";
import { pageMeta } from "../../app/crawlers/page-meta.ts";

const ORIGIN = "https://ofuse.example";

test.each([
  ["/", "/"],
  ["/SEARCH/", "/search"],
  ["/Kit", "/kit"],
  ["/NEWS?page=2", "/news?page=2"],
  ["/natsume//", "/natsume"],
  ["/natsume/About?page=1", "/natsume/about"],
])("however a page was linked, it has one canonical address: %s is %s", (asked, path) => {
  const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
  const meta = pageMeta({ location: new URL(asked, ORIGIN), matches }, { title: "x" });
  expect(meta).toContainEqual({ tagName: "link", rel: "canonical", href: ORIGIN + path });
  expect(meta).toContainEqual({ property: "og:url", content: ORIGIN + path });
});

test("an unlisted page keeps the capitals of its token", () => {
  const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
  const location = new URL("/unsubscribe/aBc", ORIGIN);
  const meta = pageMeta({ location, matches }, { title: "x", is_unlisted: true });
  expect(meta).toContainEqual({ tagName: "link", rel: "canonical", href: `${ORIGIN}/unsubscribe/aBc` });
});
