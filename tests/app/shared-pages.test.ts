import { expect, test } from "vitest";
import { isFromNobody, isSharedPage, sharedAddress } from "../../app/middleware/shared-pages.ts";

const addressOf = (path: string) => sharedAddress(new URL(path, "https://ofuse.example"))?.href.slice(21) ?? null;

test("a cached page has the address our links have, without parameters its page does not read", () => {
  for (const path of ["/", "/kit", "/natsume", "/natsume?page=2", "/natsume/feed.xml", "/sitemap.xml", "/_a-9~.x"]) {
    expect(addressOf(path)).toBe(path);
  }
  expect(addressOf("/natsume?utm_source=x&page=2&fbclid=y&ref=z")).toBe("/natsume?page=2");
  for (const path of ["/kit", "/natsume/about", "/natsume/feed.xml", "/news/2026-11-06-letters", "/robots.txt"]) {
    expect(addressOf(`${path}?page=2&to=/natsume&_routes=root&__proto__=x`)).toBe(path);
  }
  expect(addressOf("/natsume?picture=2"), "only posts read it").toBe("/natsume");
  expect(addressOf("/natsume/embed?name=x&theme=dark"), "the letter form for other sites").toBe(
    "/natsume/embed?theme=dark",
  );
  expect(addressOf("/natsume?theme=dark"), "which alone reads it").toBe("/natsume");
  expect(addressOf("/natsume?p%61ge=2&")).toBe("/natsume?page=2");
  const category = "category=01k7pv3m08xq6ttjqb44twk30e";
  for (const query of [category, `${category}&page=2`]) {
    expect(addressOf(`/natsume?gclid=1&${query}`)).toBe(`/natsume?${query}`);
  }
  const post = "/natsume/events/01k7pv3m08xq6ttjqb44twk30e";
  expect(addressOf(`${post}?gclid=1&picture=20`)).toBe(`${post}?picture=20`);
});

test.each([
  "/kit/",
  "/kit////",
  "/a//b",
  "/KIT",
  "/natsume/FEED.xml",
  "/%6bit",
  "/ねこ",
  "/natsume.data",
  "/natsume?page=0",
  "/natsume?page=01",
  "/natsume?page=+1",
  "/natsume?page=100000",
  "/natsume?page=1e3",
  "/natsume?page=",
  "/natsume?page=2&page=2",
  "/login?to=/natsume",
  "/search?keyword=x&ref=y",
  "/natsume/ofuse?after=01k7pv3m08xq6ttjqb44twk30e",
  "/my/box?x=y",
  "/natsume/ofuse/paid",
  "/checkout/01k7pv3m08xq6ttjqb44twk30e",
  "/login/password",
  "/redirect?to=https://natsume.example/",
  "/natsume?page=2&category=01k7pv3m08xq6ttjqb44twk30e",
  "/natsume?category=01K7PV3M08XQ6TTJQB44TWK30E",
  "/natsume?category=01k7pv3m08xq6ttjqb44twk30",
  "/natsume?category=",
  "/natsume/embed?theme=red",
  "/natsume/embed?theme=light&theme=dark",
  "/natsume/events/01k7pv3m08xq6ttjqb44twk30e?picture=0",
  "/natsume/events/01k7pv3m08xq6ttjqb44twk30e?picture=100",
])("there is no cached page at %s", (path) => {
  expect(addressOf(path)).toBeNull();
});

test("a page number makes another cached page only for paginated content", () => {
  const isShared = (pattern: string, path: string) => isSharedPage(pattern, new URL(path, "https://ofuse.example"));
  expect(isShared("/:link_id", "/natsume?page=2")).toBe(true);
  expect(isShared("/:link_id/events/:event_id", "/natsume/events/1?page=2")).toBe(true);
  const category = "category=01k7pv3m08xq6ttjqb44twk30e";
  expect(isShared("/:link_id", `/natsume?${category}&page=2`)).toBe(true);
  expect(isShared("/:link_id", "/natsume?picture=2")).toBe(false);
  expect(isShared("/:link_id/events/:event_id", `/natsume/events/1?${category}`)).toBe(true);
  expect(isShared("/:link_id/events/:event_id", "/natsume/events/1?picture=2")).toBe(true);
  // A contradictory address would create endless pages.
  expect(isShared("/:link_id/events/:event_id", `/natsume/events/1?${category}&page=2`)).toBe(false);
  expect(isShared("/:link_id/events/:event_id", "/natsume/events/1?page=2&picture=2")).toBe(false);
  expect(isShared("/:link_id/about", `/natsume/about?${category}`)).toBe(false);
  expect(isShared("/kit", "/kit")).toBe(true);
  expect(isShared("/kit", "/kit?page=2")).toBe(false);
  expect(isShared("/:link_id/ofuse", "/natsume/ofuse?page=2")).toBe(false);
  expect(isShared("/:link_id", "/natsume?ref=x")).toBe(false);
  expect(isShared("/my/box", "/my/box")).toBe(false);
});

test("the cookies of guests and of choices make no page private, but any other cookie may", () => {
  const isAnonymous = (cookie: string) => isFromNobody(new Request("https://ofuse.example/", { headers: { cookie } }));
  expect(isAnonymous("theme=dark; __Host-guest=01k.sig")).toBe(true);
  expect(isAnonymous("guest=01k.sig; display=large-reduce; __Host-mailLanguage=en")).toBe(true);
  for (const name of ["soziIdAuth", "flash", "__Host-flash", "sent-letter", "__Host-guests", "unknown"]) {
    expect(isAnonymous(`guest=01k.sig; ${name}=x`)).toBe(false);
  }
});
