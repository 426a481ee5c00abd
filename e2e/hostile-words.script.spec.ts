import { load } from "cheerio";
import type { Page } from "playwright/test";
import { openSql } from "../scripts/sql.ts";
import { pngOf, quarters } from "../tests/support/pictures.ts";
import type { Block, Document } from "../workers/contract/document.ts";
import { newId } from "../workers/kernel/ids.ts";
import { hostileWords } from "./support/hostile-words.ts";
import type { Element } from "./support/plain-dom.ts";
import { test as base, expect } from "./support/test.ts";

/**
 * Fills every field that people can write with five hundred texts that would run as code if a page did not escape them,
 * and opens pages of every kind in a real browser. None runs, and the page's policy reports no attempt. A parser reads
 * the visitor's other pages.
 */

// The fixture gives this file its own network, and fills the network's data with such texts.
const test = base.extend<object, { filled: Filled }>({
  filled: [async ({ network }, use) => use(await fillWorld(openSql(network.miniflare, "api"))), { scope: "worker" }],
});

test.describe.configure({ mode: "parallel" });

const AUTHOR = "natsume";
const READER = "fan_hana";
const POSTS = 40;
const PIXEL = pngOf(quarters(2, 2));

const wordsUpTo = (most: number) => hostileWords.filter((word) => [...word].length <= most);

/** Returns a document with these texts in every place for text. */
function documentOf(words: readonly string[]): Document {
  return words.flatMap((word): Block[] => {
    const content = [{ type: "text" as const, text: word }];
    return [
      { type: "paragraph", content: [{ type: "text", text: word, bold: true }, { type: "break" }, ...content] },
      { type: "heading", level: 2, content },
      { type: "list", is_ordered: false, items: [content] },
      { type: "quote", content },
      { type: "paragraph", content: [{ type: "ruby", text: word, reading: word }] },
      { type: "paragraph", content: [{ type: "text", text: word, href: "https://example.com/?q=%22onmouseover" }] },
    ];
  });
}

/** The data that {@link fillWorld} created. */
interface Filled {
  /** The post with the comments. */
  event_id: string;
  comment_id: string;
  /** The post with the pictures. */
  gallery_id: string;
  /** Paths of the newest posts. */
  posts: string[];
}

async function fillWorld(d1: D1Database): Promise<Filled> {
  const person = await d1
    .prepare("SELECT user_id FROM users WHERE link_id = ?")
    .bind(AUTHOR)
    .first<{ user_id: string }>();
  const author = person?.user_id ?? "";
  const now = new Date().toISOString();
  const insertRows = async (table: string, rows: object[]) => {
    const columns = Object.keys(rows[0] ?? {});
    const values = columns.map((column) => `value ->> '${column}'`);
    const insert = d1.prepare(`INSERT INTO ${table} (${columns}) SELECT ${values} FROM json_each(?)`);
    await insert.bind(JSON.stringify(rows)).run();
  };
  const ids = hostileWords.map((_, index) => newId(Date.now() + index));
  const wordAt = (index: number) => hostileWords[index % hostileWords.length] ?? "";
  // People with such a name and bio, who post such texts.
  await insertRows(
    "users",
    ids.map((user_id, index) => ({
      user_id,
      identity_id: `hostile-${index}`,
      link_id: `hostile_${index}`,
      name: wordAt(index),
      default_name: "",
      bio: wordAt(index + 1),
      is_creator: 1,
      created_at: now,
    })),
  );
  await insertRows(
    "event_categories",
    ids.map((event_category_id, index) => ({
      event_category_id,
      user_id: author,
      title: wordAt(index),
      position: 100 + index,
      created_at: now,
    })),
  );
  await insertRows(
    "events",
    ids.map((event_id, index) => ({
      event_id,
      user_id: author,
      event_category_id: event_id,
      kind: "blog",
      title: wordAt(index),
      lead: wordAt(index + 1),
      body: wordAt(index + 2),
      document: JSON.stringify(documentOf(hostileWords.slice(index * 15, index * 15 + 15))),
      status: "published",
      publish_target_type: "public",
      published_at: now,
      created_at: now,
    })),
  );
  const event_id = ids[0] ?? "";
  // Pictures with such descriptions.
  const gallery_id = newId(Date.now() + ids.length);
  const gallery = { event_id: gallery_id, user_id: author, kind: "image", title: wordAt(0), lead: "", body: "" };
  const open = { status: "published", publish_target_type: "public", published_at: now, created_at: now };
  await insertRows("events", [{ ...gallery, ...open }]);
  await insertRows(
    "images",
    ids.map((image_id, index) => ({
      image_id,
      owner_user_id: author,
      access: "event",
      content_type: "image/webp",
      width: 1,
      height: 1,
      alt: wordAt(index),
      processing_status: "completed",
      created_at: now,
    })),
  );
  await insertRows(
    "event_images",
    ids.map((image_id, position) => ({ image_id, event_id: gallery_id, position, is_free: 0 })),
  );
  await insertRows(
    "event_comments",
    ids.map((comment_id, index) => ({
      comment_id,
      event_id,
      user_id: ids[index],
      message: wordAt(index),
      created_at: now,
    })),
  );
  await insertRows(
    "ofuses",
    ids.map((ofuse_id, index) => ({
      ofuse_id,
      sender_user_id: ids[index],
      receiver_user_id: author,
      amount: 0,
      message: wordAt(index),
      is_public: 1,
      reply_message: wordAt(index + 3),
      replied_at: now,
      created_at: now,
    })),
  );
  await insertRows(
    "notifications",
    ids.map((notification_id, index) => ({
      notification_id,
      user_id: author,
      type: "custom",
      actor_user_id: ids[index],
      message: wordAt(index),
      path: "/",
      occasion: `hostile ${index}`,
      created_at: now,
    })),
  );
  const fields = JSON.stringify({ title: wordAt(0), body: hostileWords.join("\n\n"), kind: "blog" });
  await insertRows("event_drafts", [
    { draft_id: event_id, user_id: author, kind: "blog", fields, revision: 1, created_at: now, updated_at: now },
  ]);
  await insertRows("reaction_settings", [
    {
      user_id: author,
      free_ofuse_message: wordAt(0),
      paid_ofuse_message: wordAt(1),
      subscription_message: wordAt(2),
      updated_at: now,
    },
  ]);
  await d1
    .prepare("UPDATE users SET name = ?, bio = ? WHERE user_id = ?")
    .bind(wordsUpTo(50)[3], hostileWords.join(" "), author)
    .run();
  await insertRows(
    "blocks",
    ids.slice(0, 100).map((blocking_id) => ({ blocker_id: author, blocking_id, created_at: now })),
  );
  await insertRows(
    "relationships",
    ids.map((user_id, index) => ({
      follower_id: user_id,
      following_id: author,
      created_at: `${now.slice(0, -4)}${String(index).padStart(3, "0")}Z`,
    })),
  );
  const { results } = await d1
    .prepare("SELECT event_id FROM events WHERE user_id = ? ORDER BY event_id DESC LIMIT ?")
    .bind(author, POSTS)
    .all<{ event_id: string }>();
  const [comment_id = ""] = ids;
  return { event_id, comment_id, gallery_id, posts: results.map((event) => `/${AUTHOR}/events/${event.event_id}`) };
}

/** Returns a list, to which the page adds each text that runs and each violation of its policy. */
async function watchDangers(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.exposeFunction("told", (what: string) => {
    if (what) found.push(`${page.url()}: ${what}`);
  });
  await page.addInitScript(() => {
    const window_ = window as unknown as { executed: (n: number) => void; told: (what: string) => void };
    window_.executed = (n) => window_.told(`word ${n} ran`);
    document.addEventListener("securitypolicyviolation", (event) =>
      window_.told(`${event.effectiveDirective} forbade ${event.blockedURI} ${event.sample}`),
    );
  });
  page.on("dialog", (dialog) => {
    found.push(`${page.url()}: a dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  return found;
}

test("there are more than five hundred hostile texts", () => {
  expect(new Set(hostileWords).size).toBeGreaterThan(500);
});

/** Returns the addresses of the first pages of a list. */
const pagesOf = (path: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    index === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}page=${index + 1}`,
  );

const EVERY = Math.ceil(hostileWords.length / 20);

/** Returns the elements of the HTML, besides our own, that can run or load code. */
function findDangers(html: string): string[] {
  const $ = load(html);
  const own =
    'head style, script[src^="/assets/"], script[type="application/ld+json"], script[type="speculationrules"]';
  const dangerous =
    "script, iframe, object, embed, base, style, frame, applet, math, [srcdoc], [http-equiv], body link, body meta";
  return $("*")
    .toArray()
    .filter((element) => {
      const { attribs } = element as unknown as Element;
      if (Object.keys(attribs).some((name) => name.startsWith("on"))) return true;
      const addresses = ["href", "src", "action", "formaction", "xlink:href", "data", "poster"].map(
        (name) => attribs[name],
      );
      if (addresses.some((address) => address && !/^(https?:|mailto:|[/#?])/.test(address))) return true;
      return $(element).is(dangerous) && !$(element).is(own);
    })
    .map((element) => $.html(element).slice(0, 160));
}

test("no hostile text is an element or an attribute of a visitor's page", async ({ filled, network }) => {
  const found = hostileWords.filter((word) => findDangers(`<p title="${word}">${word}</p>`).length > 0);
  expect(found.length, "unescaped, they are found").toBeGreaterThan(500);
  const { event_id, posts } = filled;
  const paths = [...pagesOf(`/${AUTHOR}`, EVERY), ...pagesOf(`/${AUTHOR}/events/${event_id}`, EVERY), ...posts];
  for (const path of paths) {
    const response = await fetch(network.url + path);
    expect(response.status, path).toBe(200);
    expect(findDangers(await response.text()), path).toEqual([]);
  }
});

const walks: { title: string; link_id: string | null; paths: (filled: Filled) => string[] }[] = [
  {
    title: "a visitor",
    link_id: null,
    paths: ({ event_id, gallery_id, posts }) => [
      ...pagesOf(`/${AUTHOR}`, 3),
      ...pagesOf(`/${AUTHOR}/events/${event_id}`, 3),
      ...posts.slice(0, 6),
      `/${AUTHOR}/events/${gallery_id}`,
      `/${AUTHOR}/events/${gallery_id}?picture=2`,
      `/${AUTHOR}/about`,
      `/${AUTHOR}/ofuse`,
      "/",
      "/search?keyword=script",
      ...hostileWords.slice(0, 6).map((word) => `/search?keyword=${encodeURIComponent(word)}`),
      ...Array.from({ length: 3 }, (_, index) => `/hostile_${index}`),
    ],
  },
  {
    title: "a fan",
    link_id: READER,
    paths: ({ event_id, comment_id }) => [
      ...pagesOf(`/${AUTHOR}/events/${event_id}`, 4),
      ...pagesOf(`/${AUTHOR}`, 2),
      `/${AUTHOR}/events/${event_id}/report`,
      `/${AUTHOR}/events/${event_id}/comments/${comment_id}/report`,
      "/",
    ],
  },
  {
    title: "the creator to whom they were written",
    link_id: AUTHOR,
    paths: ({ event_id, posts }) => [
      ...pagesOf("/my/posts", 2),
      "/my/posts?status=draft",
      draftPath(event_id),
      `/my/posts/drafts/${event_id}/preview`,
      `/my/posts/${event_id}/edit`,
      "/my/posts/categories",
      ...pagesOf("/my/comments", 4),
      ...pagesOf("/my/notifications", 2),
      ...pagesOf("/my/box", 2),
      "/my/members",
      "/my/settings/email",
      "/my/settings/providers",
      "/my/settings/sessions",
      "/my/settings/blocks",
      "/my/settings/reactions",
      ...posts.slice(0, 4),
    ],
  },
];

const draftPath = (event_id: string) => `/my/posts/new?draft_id=${event_id}`;

for (const { title, link_id, paths } of walks) {
  test(`no hostile text runs before ${title}`, async ({ filled, someone }) => {
    test.setTimeout(240_000);
    const person = await someone();
    const found = await watchDangers(person.page);
    // The gallery's pictures have rows but no bytes.
    await person.page.route("**/media/**", (route) => route.fulfill({ contentType: "image/png", body: PIXEL }));
    if (link_id) await person.startSession(link_id);
    for (const path of paths(filled)) {
      const response = await person.open(path);
      expect(response?.status(), path).toBeLessThan(400);
      if (path === draftPath(filled.event_id)) {
        await expect(person.page.locator("textarea[name=body]")).toHaveValue(hostileWords.join("\n\n"));
      }
      // Hover over and focus every element, to trigger handlers that wait for it.
      await person.page.evaluate(() => {
        for (const each of document.querySelectorAll("main *")) {
          each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
          if (each instanceof HTMLElement && each.matches("[autofocus], [tabindex]")) each.focus();
        }
        // When this is answered, the list has everything that the page sent before.
        return (window as unknown as { told: (what: string) => Promise<void> }).told("");
      });
      expect(found, path).toEqual([]);
    }
  });
}
