/** Imports: hostile files, and the steps that make posts of a file. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createImport, deleteImport, startImport } from "../../workers/api/imports/commands.ts";
import { findImport, listImportItems } from "../../workers/api/imports/queries.ts";
import { continueImport } from "../../workers/api/imports/reactions.ts";
import { type ImportedPost, importKey, toImportedNewsletter, toImportedPost } from "../../workers/api/imports/rules.ts";
import { openFeed } from "../../workers/api/imports/sources/feed.ts";
import { openGhost } from "../../workers/api/imports/sources/ghost.ts";
import { documentOfHtml } from "../../workers/api/imports/sources/html-document.ts";
import { parseCsv } from "../../workers/api/imports/sources/members.ts";
import { toTextPost } from "../../workers/api/imports/sources/text-post.ts";
import { collectUploads } from "../../workers/api/uploads/commands.ts";
import { readDirectory, readEntry, ZipFault } from "../../workers/api/zip/reader.ts";
import { writeZip, type ZipEntry } from "../../workers/api/zip/writer.ts";
import { plainText } from "../../workers/contract/document-text.ts";
import { runBatch } from "../../workers/storage/commit.ts";
import { addUser, contextOf, d1, dispatcherOf, NOW_MS, servicesOf } from "./support/context.ts";
import { importWithKills } from "./support/imports.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const fileOf = (bytes: Uint8Array) => ({
  bytes: bytes.byteLength,
  read: async (offset: number, length: number) =>
    new Response(bytes.slice(offset, offset + length)).body as ReadableStream<Uint8Array>,
});

async function zipOf(...entries: [name: string, content: Uint8Array, is_text?: boolean][]): Promise<Uint8Array> {
  async function* all(): AsyncGenerator<ZipEntry> {
    for (const [name, content, is_text = true] of entries)
      yield { name, modified_ms: NOW_MS, is_text, body: [content] };
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of writeZip(all())) pieces.push(piece);
  return new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

async function readAll(bytes: Uint8Array, name: string, max_bytes = 1e6): Promise<string> {
  const file = fileOf(bytes);
  const entry = (await readDirectory(file)).get(name);
  if (!entry) throw new Error(`no ${name}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of readEntry(file, entry, max_bytes)) pieces.push(piece);
  return new Blob(pieces as Uint8Array<ArrayBuffer>[]).text();
}

let people = 0;
const newcomer = () => addUser(`importer_${++people}`, { is_creator: 1 });

async function plan(user_id: string, content: Uint8Array | string, name = "file") {
  const bytes = typeof content === "string" ? encode(content) : content;
  const body = (async function* () {
    yield bytes;
  })();
  return (await createImport(contextOf(user_id), { media: env.MEDIA }, { name, body })).made;
}

/** Runs an import to its end, as the outbox does. */
async function run(user_id: string, import_id: string, restores_status = false) {
  await startImport(contextOf(user_id), import_id, { restores_status, overwrites_profile: false });
  await runBatch(
    d1,
    await continueImport(
      { ...dispatcherOf(), happened_ms: NOW_MS, attempts: 0, outbox_id: "import", tell: () => {} },
      { import_id, round: 1 },
    ),
  );
  const { items } = await listImportItems(contextOf(user_id), import_id, { page_number: 1, page_size: 100 });
  return { items, counts: (await findImport(contextOf(user_id), user_id, import_id))?.counts };
}

const postsOf = async (user_id: string) =>
  (
    await d1
      .prepare(
        "SELECT title, status, publish_target_type, published_at, document, kind FROM events WHERE user_id = ? ORDER BY title",
      )
      .bind(user_id)
      .all<Record<string, string>>()
  ).results;

describe("a ZIP of a stranger", () => {
  test("gives back what the writer wrote, deflated or stored", async () => {
    const zip = await zipOf(["a.txt", encode("あ".repeat(5000))], ["b.bin", encode("b"), false], ["empty", encode("")]);
    expect(await readAll(zip, "a.txt")).toBe("あ".repeat(5000));
    expect([await readAll(zip, "b.bin"), await readAll(zip, "empty")]).toEqual(["b", ""]);
  });

  test("that inflates to more than its reader takes, or than it says, is refused before it is inflated", async () => {
    const bomb = await zipOf(["archive.json", new Uint8Array(50_000_000)]);
    expect(bomb.byteLength).toBeLessThan(100_000);
    await expect(readAll(bomb, "archive.json")).rejects.toThrow(ZipFault);
    // The directory says that the same entry has ten bytes.
    const lying = bomb.slice();
    new DataView(lying.buffer).setUint32(bomb.byteLength - 22 - 46 - "archive.json".length + 24, 10, true);
    await expect(readAll(lying, "archive.json")).rejects.toThrow(ZipFault);
  });

  test.each([
    ["is cut off", (zip: Uint8Array) => zip.slice(0, -30)],
    ["has another byte in an entry", (zip: Uint8Array) => zip.map((byte, at) => (at === 38 ? byte ^ 0xff : byte))],
    [
      "begins an entry elsewhere",
      (zip: Uint8Array) => zip.map((byte, at) => (at === zip.length - 22 - 5 - 4 ? 9 : byte)),
    ],
    [
      "says that its directory lies beyond it",
      (zip: Uint8Array) => zip.map((byte, at) => (at === zip.length - 4 ? 0xff : byte)),
    ],
  ])("that %s is refused", async (_, change) => {
    await expect(readAll(change(await zipOf(["a.txt", encode("words words words")])), "a.txt")).rejects.toThrow(
      ZipFault,
    );
  });

  test("cannot name a file outside of it: a name is looked up, and never a path", async () => {
    const user_id = await newcomer();
    const zip = await zipOf(["../../etc/passwd", encode("root")], ["archive.json", encode('{"format":"other"}')]);
    await expect(plan(user_id, zip)).rejects.toMatchObject({ code: "import_file_unreadable" });
    expect((await env.MEDIA.list({ prefix: "../" })).objects).toEqual([]);
  });
});

describe("HTML of a stranger", () => {
  const convert = (html: string, has_plain_lines = false) => documentOfHtml(html, { has_plain_lines }).document;

  test("becomes blocks of ours: headings, lists, quotations, ruby, links and known films", () => {
    const html = `<h1>題</h1><p>一行目<br>二行目 <strong>太く</strong> <a href="https://shop.example/">店</a></p>
      <ul><li>一<ul><li>二</li></ul></li></ul><blockquote><p>引用</p></blockquote><hr>
      <p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby></p>
      <iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe><!--members-only--><p>会員</p>`;
    expect(convert(html)).toEqual([
      { type: "heading", level: 2, content: [{ type: "text", text: "題" }] },
      {
        type: "paragraph",
        content: [
          { type: "text", text: "一行目" },
          { type: "break" },
          { type: "text", text: "二行目 " },
          { type: "text", text: "太く", bold: true },
          { type: "text", text: " " },
          { type: "text", text: "店", href: "https://shop.example/" },
        ],
      },
      { type: "list", is_ordered: false, items: [[{ type: "text", text: "一" }], [{ type: "text", text: "二" }]] },
      { type: "quote", content: [{ type: "text", text: "引用" }] },
      { type: "rule" },
      { type: "paragraph", content: [{ type: "ruby", text: "漢字", reading: "かんじ" }] },
      { type: "embed", url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ" },
      { type: "paywall" },
      { type: "paragraph", content: [{ type: "text", text: "会員" }] },
    ]);
  });

  test("knows no element by the name of a property that every object has", () => {
    const document = convert("<p>一</p><constructor>二</constructor><p>三</p>");
    expect(document.map(({ type }) => type)).toEqual(["paragraph", "paragraph", "paragraph"]);
    expect(plainText(document)).toBe("一\n\n二\n\n三");
  });

  test("leaves no script, no handler, and no address but of the web", () => {
    const html = `<p onclick=a()>文<script>alert(1)</script><style>p{}</style><svg><script>x</script>y</svg></p>
      <a href="javascript:alert(1)">押す</a> <a href=" data:text/html,x">読む</a> <x-y z=1>知らない<br/>もの</x-y>
      <iframe src="file:///etc/passwd"></iframe><img src="http://169.254.169.254/latest" alt='"><script>'>`;
    const document = convert(html);
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/alert|javascript|data:|file:|onclick/);
    expect(plainText(document)).toBe('文\n\n押す 読む 知らない\nもの\n\n埋め込まれていたもの\n\n画像："><script>');
    expect(text).toContain('"href":"http://169.254.169.254/latest"');
  });

  test("keeps the blanks that indent and part Japanese, and no other twice", () => {
    expect(plainText(convert("<p>　字下げ　間 \n\t b&nbsp; c</p>"))).toBe("　字下げ　間 b c");
    expect(plainText(convert("　一\n　二\n\n　三", true))).toBe("　一\n　二\n\n　三");
  });

  test("writes the description of a picture in one line, because no run of text takes two", () => {
    const html = `<img alt="海と\n空" src="https://a.example/a.jpg"><img src="https://a.example/b\nc.jpg">`;
    expect(plainText(convert(html))).toBe("画像：海と 空\n\n画像：b c.jpg");
  });

  test("keeps the lines of WordPress, which writes no paragraphs", () => {
    const text = "一行目\n二行目\n\n次の段落\n\nhttps://youtu.be/dQw4w9WgXcQ";
    expect(convert(text, true).map(({ type }) => type)).toEqual(["paragraph", "paragraph", "embed"]);
    expect(plainText(convert(text, true))).toBe("一行目\n二行目\n\n次の段落");
  });

  test("of a megabyte takes no more than linear time, whatever it repeats", () => {
    expect(() => convert("<b>".repeat(100_000))).toThrow("nested too deep");
    const images = `<img src="${"a?".repeat(250_000)}\n">`;
    const lines = "<p>x</p>".repeat(50_000) + "<!--members-only-->".repeat(50_000);
    for (const html of [images, lines, "\n ".repeat(500_000), "<".repeat(1e6), "&".repeat(1e6)]) {
      expect(convert(html, true).length).toBeLessThan(60_000);
    }
  });
});

const feedOf = (items: string, head = "") => `<?xml version="1.0" encoding="UTF-8"?>${head}
  <rss version="2.0" xmlns:content="c" xmlns:wp="w"><channel><title>ブログ</title>${items}</channel></rss>`;
const wordpressItem = (guid: string, more = "") => `<item><title>題 &amp; ${guid}</title><guid>${guid}</guid>
  <category domain="post_tag">札</category><category domain="category">日記</category><category domain="category">別</category>
  <content:encoded><![CDATA[<!-- wp:paragraph --><p>本文 &lt;b&gt;</p>]]></content:encoded>
  <wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt>${more}</item>`;

describe("a feed", () => {
  test("of WordPress becomes private posts with their dates and their category", async () => {
    const user_id = await newcomer();
    const attachment = "<item><title>絵</title><guid>x</guid><wp:post_type>attachment</wp:post_type></item>";
    const made = await plan(user_id, feedOf(wordpressItem("g1") + attachment), "wordpress.xml");
    expect(made).toMatchObject({
      kind: "wxr",
      status: "ready",
      counts: { post: { planned: 1 }, category: { planned: 1 } },
    });
    expect(await postsOf(user_id)).toEqual([]);
    const { items } = await run(user_id, made.import_id, true);
    expect(items).toMatchObject([
      { kind: "category", title: "日記", state: "done" },
      { kind: "post", state: "done" },
    ]);
    expect(await postsOf(user_id)).toMatchObject([
      { title: "題 & g1", status: "private", published_at: "2020-01-02T03:04:05.000Z", publish_target_type: "public" },
    ]);
    expect(JSON.parse((await postsOf(user_id))[0]?.document ?? "")).toEqual([
      { type: "paragraph", content: [{ type: "text", text: "本文 <b>" }] },
    ]);
  });

  const atomOf = (entries: string) =>
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>ブログ</title><id>blog</id>${entries}</feed>`;
  const postsOfFeed = async (text: string) => {
    const source = openFeed(text);
    const { posts } = await source.contents();
    return Promise.all(posts.map(async ({ key, title }) => ({ listed: title, ...(await source.readPost(key)) })));
  };

  test("of Atom keeps the body of each type of text: plain, HTML and XHTML", async () => {
    const xhtml = `<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">題 <em>A&amp;B</em></div></title>
      <summary>短く</summary><content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>一 &lt;行&gt;<x:br/>二行
      <x:strong>太く</x:strong></x:p><x:p><x:a href="https://a.example/?a=1&amp;b=2">店</x:a></x:p></x:div></content>`;
    const html = `<title type="html">題 &lt;b&gt;二&lt;/b&gt; &amp;amp;</title><content type="html">&lt;p&gt;本文&lt;/p&gt;</content>`;
    const plain = `<title>a &lt;b&gt;</title><content src="https://a.example/"/><summary>1 &lt; 2\n&lt;b&gt;</summary>`;
    const entries = [xhtml, html, plain].map((words, at) => `<entry><id>${at}</id>${words}</entry>`);
    const [first, second, third] = await postsOfFeed(atomOf(entries.join("")));
    expect(first).toMatchObject({ listed: "題 A&B", title: "題 A&B" });
    expect(first?.document).toEqual([
      {
        type: "paragraph",
        content: [
          { type: "text", text: "一 <行>" },
          { type: "break" },
          { type: "text", text: "二行 " },
          { type: "text", text: "太く", bold: true },
        ],
      },
      { type: "paragraph", content: [{ type: "text", text: "店", href: "https://a.example/?a=1&b=2" }] },
    ]);
    expect([second?.title, plainText(second?.document ?? [])]).toEqual(["題 二 &", "本文"]);
    expect([third?.title, plainText(third?.document ?? [])]).toEqual(["a <b>", "1 < 2\n<b>"]);
  });

  const kind = (name: string) =>
    `<category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#${name}"/>`;
  const words = (
    id: string,
  ) => `<id>${id}</id><published>2020-01-02T03:04:05Z</published><title type="text">${id}</title>
    <content type="html">&lt;p&gt;本文&lt;/p&gt;</content>`;
  const draft = `<app:control xmlns:app="http://purl.org/atom/app#"><app:draft>yes</app:draft></app:control>`;
  const label = `<category scheme="http://www.blogger.com/atom/ns#" term="日記"/><category term="別"/>`;
  const reply = `<thr:in-reply-to xmlns:thr="http://purl.org/syndication/thread/1.0" ref="post"/>`;
  const states = (type: string, status: string) =>
    `<author><name>人</name><blogger:type>BLOG</blogger:type></author><blogger:type>${type}</blogger:type><blogger:status>${status}</blogger:status>`;

  test.each([
    [
      "an older export",
      [
        `${words("post")}${kind("post")}${label}`,
        `${words("page")}${kind("page")}`,
        `${words("draft")}${kind("post")}${draft}`,
        ...["template", "settings", "comment"].map((name) => words(name) + kind(name)),
        `${words("reply")}${reply}`,
      ],
    ],
    [
      "a newer export",
      [
        `${words("post")}${states("POST", "LIVE")}${label}`,
        `${words("page")}${states("PAGE", "LIVE")}`,
        `${words("draft")}${states("POST", "DRAFT")}`,
        `${words("trashed")}${states("POST", "SOFT_TRASHED")}`,
        `${words("comment")}${states("COMMENT", "LIVE")}`,
      ],
    ],
  ])("of Blogger (%s) has its posts and pages alone, with their labels and drafts", async (_, entries) => {
    const feed = atomOf(entries.map((entry) => `<entry>${entry}</entry>`).join(""));
    const posts = await postsOfFeed(feed);
    expect(
      posts.map(({ title, status, event_category_id, published_at }) => [
        title,
        status,
        event_category_id,
        published_at,
      ]),
    ).toEqual([
      ["post", "published", "日記", "2020-01-02T03:04:05.000Z"],
      ["page", "published", null, "2020-01-02T03:04:05.000Z"],
      ["draft", "private", null, null],
    ]);
    expect((await openFeed(feed).contents()).categories).toEqual([{ key: "日記", title: "日記" }]);
  });

  test("of WordPress has no post that its writer deleted or never saved", async () => {
    const items = ["publish", "trash", "auto-draft", "inherit", "draft"].map((status) =>
      wordpressItem(status).replace("<wp:status>publish", `<wp:status>${status}`),
    );
    expect((await postsOfFeed(feedOf(items.join("")))).map(({ title, status }) => [title, status])).toEqual([
      ["題 & publish", "published"],
      ["題 & draft", "private"],
    ]);
  });

  test.each([
    [
      "declares entities",
      feedOf(wordpressItem("&c;"), '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>'),
    ],
    [
      "names a file of the server",
      feedOf(wordpressItem("&x;"), '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    ],
    ["is no feed", "<html><body>なにか</body></html>"],
    ["is nested too deep", feedOf(`<item>${"<a>".repeat(10_000)}</item>`)],
    ["ends early", feedOf(wordpressItem("g")).slice(0, -40)],
  ])("that %s is refused", async (_, text) => {
    const user_id = await newcomer();
    await expect(plan(user_id, text)).rejects.toMatchObject({ code: "import_file_unreadable" });
    const left = await d1.prepare("SELECT COUNT(*) AS n FROM imports WHERE user_id = ?").bind(user_id).first("n");
    expect(left).toBe(0);
  });
});

describe("an import that is deleted while its file arrives", () => {
  const listKeys = async () => (await env.MEDIA.list({ prefix: "imports/" })).objects.map(({ key }) => key);

  test.each([
    ["a ZIP", () => zipOf(["x.txt", new Uint8Array(5000), false]), "import_file_unreadable"],
    ["a feed", async () => encode(feedOf(wordpressItem("x".repeat(5000)))), "unavailable"],
  ])("is refused, and %s does not stay in the bucket", async (_, makeFile, code) => {
    const user_id = await newcomer();
    await collectUploads(servicesOf());
    const before = await listKeys();
    const file = await makeFile();
    const body = (async function* () {
      yield file.subarray(0, 4200);
      const row = await d1.prepare("SELECT import_id FROM imports WHERE user_id = ?").bind(user_id).first();
      await deleteImport(contextOf(user_id), String(row?.import_id));
      await collectUploads(servicesOf());
      yield file.subarray(4200);
    })();
    const sent = createImport(contextOf(user_id), { media: env.MEDIA }, { name: "x", body });
    await expect(sent).rejects.toMatchObject({ code });
    await collectUploads(servicesOf());
    expect(await listKeys()).toEqual(before);
  });
});

describe("an export of Ghost", () => {
  const ghost = JSON.stringify({
    db: [
      {
        data: {
          posts: [
            {
              id: "1",
              uuid: "u1",
              title: "公開",
              html: "<p>はじめ</p>",
              status: "published",
              visibility: "public",
              published_at: "2021-05-06T07:08:09.000Z",
            },
            {
              id: "2",
              uuid: "u2",
              title: "有料",
              html: "<p>一</p><!--members-only--><p>二</p>",
              status: "published",
              visibility: "paid",
            },
            {
              id: "3",
              uuid: "u3",
              title: "",
              html: null,
              plaintext: "一\n二",
              status: "draft",
              feature_image: "__GHOST_URL__/content/images/a.png",
            },
            { id: "4", uuid: "u4", title: "から", html: "", status: "draft" },
          ],
          tags: [
            { id: "t", name: "日記" },
            { id: "h", name: "#hidden" },
          ],
          posts_tags: [
            { post_id: "1", tag_id: "h", sort_order: 0 },
            { post_id: "1", tag_id: "t", sort_order: 1 },
          ],
        },
      },
    ],
  });

  test("keeps dates and audiences, says what is lost, and gives the reason for each post that cannot come", async () => {
    const user_id = await newcomer();
    const made = await plan(user_id, ghost, "ghost.json");
    const { items } = await run(user_id, made.import_id);
    expect(items.map(({ title, state, reason }) => [title, state, reason])).toEqual([
      ["日記", "done", null],
      ["公開", "done", null],
      ["有料", "done", expect.stringContaining("プランがないため")],
      ["", "done", expect.stringContaining("画像1枚は、もとの場所へのリンクにしました。")],
      ["から", "refused", "本文を入力してください。"],
    ]);
    const posts = await postsOf(user_id);
    expect(posts.map(({ title, publish_target_type, status }) => [title, publish_target_type, status])).toEqual([
      ["公開", "public", "private"],
      ["有料", "fans", "private"],
      ["（無題）", "public", "private"],
    ]);
    expect(posts[0]?.published_at).toBe("2021-05-06T07:08:09.000Z");
  });

  test("with an audience that Ghost does not have is for members of plans", async () => {
    const posts = Object.getOwnPropertyNames(Object.prototype).map((visibility, id) => ({ id, title: "", visibility }));
    const source = openGhost(JSON.stringify({ data: { posts } }));
    const audiences = posts.map(async ({ id }) => (await source.readPost(String(id))).publish_target_type);
    expect(new Set(await Promise.all(audiences))).toEqual(new Set(["memberships"]));
  });

  test("imported again changes nothing, also at the same time, and a deleted post may come again", async () => {
    const user_id = await newcomer();
    const [first, twin] = [await plan(user_id, ghost), await plan(user_id, ghost)];
    await Promise.all([run(user_id, first.import_id), run(user_id, twin.import_id)]);
    expect(await postsOf(user_id)).toHaveLength(3);
    const again = await plan(user_id, ghost);
    expect(again.counts.post).toEqual({ planned: 1, done: 0, skipped: 3, refused: 0 });
    await d1.prepare("DELETE FROM events WHERE user_id = ? AND title = '公開'").bind(user_id).run();
    const { counts } = await run(user_id, (await plan(user_id, ghost)).import_id);
    expect(counts?.post).toEqual({ planned: 0, done: 1, skipped: 2, refused: 1 });
  });

  test("continues after a kill between any two statements, and makes each post once", async () => {
    const user_id = await newcomer();
    const { import_id } = await plan(user_id, ghost);
    await startImport(contextOf(user_id), import_id, { restores_status: false, overwrites_profile: false });
    await importWithKills(import_id);
    expect(await postsOf(user_id)).toHaveLength(3);
    expect(await findImport(contextOf(user_id), user_id, import_id)).toMatchObject({ status: "completed" });
    expect(
      await d1.prepare("SELECT 1 FROM removed_media WHERE key_prefix = ?").bind(`imports/${import_id}/`).first(),
    ).not.toBeNull();
  });
});

describe("labels that a form refuses", () => {
  const families = (count: number) => "👨‍👩‍👧‍👦".repeat(count);
  test.each([
    ["invisible characters", "見えな\u200bい\u00ad字\u200e", "見えない字"],
    ["a line break of Unicode", "二\u2028行", "二 行"],
    ["none of those that belong to a character", "のこる葛󠄀と❤️と👩‍🚀と\ufeff点", "のこる葛󠄀と❤️と👩‍🚀と点"],
    ["what is over the bound in bytes", families(90), `${families(40)}…`],
    ["what is over the bound in characters", "長".repeat(101), `${"長".repeat(99)}…`],
    ["a character with more marks than any has", `崩${"\u0301".repeat(2000)}`, "（無題）"],
    ["everything when nothing is visible", "\u200b\u2800", "（無題）"],
  ])("lose in posts: %s", (_, given, mended) => {
    const now_ms = NOW_MS;
    const source = {
      title: given,
      html: "<p>文</p>",
      has_plain_lines: false,
      category: null,
      status: "private",
    } as const;
    const dates = { created_at: null, published_at: null };
    const post = toTextPost({ ...source, ...dates, publish_target_type: "public" });
    const { body, notes } = toImportedPost(post, { ids: new Map(), restores_status: false, now_ms }) as ImportedPost;
    expect(body.title).toBe(mended);
    expect(notes).toEqual(["タイトルを、使える形に直しました。"]);
  });

  test("lose invisible characters in newsletters, whose drafts need no title", () => {
    const source = { fan_scope: "fans", membership_id: null, publish_at: null } as const;
    const importedAs = (title: string) =>
      toImportedNewsletter(
        { ...source, document: [], images: [], title, created_at: "" },
        { ids: new Map(), now_ms: NOW_MS },
      );
    const notes = ["タイトルを、使える形に直しました。"];
    expect(importedAs("見えな\u200bい字")).toMatchObject({ body: { title: "見えない字" }, notes });
    expect(importedAs("")).toMatchObject({ body: { title: "" }, notes: [] });
  });

  test("stay as they are when the form takes them", async () => {
    const user_id = await newcomer();
    const title = `${families(30)}`;
    const items = `<item><title>全角　の　間</title><guid>1</guid><category>${title}</category><description>文</description></item>`;
    await run(user_id, (await plan(user_id, feedOf(items))).import_id);
    expect(await postsOf(user_id)).toMatchObject([{ title: "全角　の　間" }]);
    const { results } = await d1.prepare("SELECT title FROM event_categories WHERE user_id = ?").bind(user_id).all();
    expect(results).toEqual([{ title }]);
  });

  test("are mended in categories and plans, with a note, and each comes once", async () => {
    const user_id = await newcomer();
    const items = ["日\u200b記", "日記", "分類".repeat(20)].map(
      (category, at) =>
        `<item><title>題</title><guid>${at}</guid><category>${category}</category><description>文</description></item>`,
    );
    const feed = await run(user_id, (await plan(user_id, feedOf(items.join("")))).import_id);
    expect(feed.items.filter(({ kind }) => kind === "category").map(({ state, reason }) => [state, reason])).toEqual([
      ["done", "カテゴリー名を、使える形に直しました。"],
      ["skipped", "すでにあります。"],
      ["done", "カテゴリー名を、使える形に直しました。"],
    ]);
    const list = await run(user_id, (await plan(user_id, `プラン\n500円\u200b${families(50)}\n`, "a.csv")).import_id);
    expect(list.items).toMatchObject([{ state: "done", reason: "プランの名前を、使える形に直しました。" }]);
    const titles = await d1
      .prepare(
        `SELECT title FROM event_categories WHERE user_id = ?1 UNION ALL SELECT title FROM memberships WHERE user_id = ?1`,
      )
      .bind(user_id)
      .all();
    expect(titles.results).toEqual([
      { title: "日記" },
      { title: `${"分類".repeat(14)}分…` },
      { title: `500円${families(40)}…` },
    ]);
  });
});

describe("a list of members", () => {
  const list =
    '\ufeffユーザー名,メールアドレス,プラン,加入日\r\n"=cmd()",a@mail.example,500円プラン,2024/01/01\r\n二人目,b@mail.example,500円プラン,2024/01/01\r\n三人目,c@mail.example,なぞのプラン,\r\n';

  test("makes drafts of its plans, and keeps nobody's name or address", async () => {
    const user_id = await newcomer();
    const made = await plan(user_id, list, "members.csv");
    expect(made).toMatchObject({ kind: "members", counts: { plan: { planned: 1, refused: 1 } } });
    expect(await env.MEDIA.head(importKey(made.import_id))).toBeNull();
    const { items } = await run(user_id, made.import_id);
    expect(items).toMatchObject([
      { title: "500円プラン（2人）", state: "done" },
      { title: "なぞのプラン（1人）", state: "refused", reason: expect.stringContaining("月額がわからない") },
    ]);
    const { results } = await d1.prepare("SELECT * FROM memberships WHERE user_id = ?").bind(user_id).all();
    expect(results).toMatchObject([
      { title: "500円プラン", amount: 500, active_state: "inactive", published_at: null },
    ]);
    const rows = await d1.prepare("SELECT * FROM import_items WHERE import_id = ?").bind(made.import_id).all();
    expect(JSON.stringify(rows.results)).not.toMatch(/mail\.example|二人目|cmd/);
  });

  test("tells before the import which prices are unknown and which are not possible", async () => {
    const user_id = await newcomer();
    const prices = 'プラン,月額\r\n無料,0\r\n最低,100\r\n最高,"10,000円"\r\n高い,10001\r\n不明,\r\n';
    const { import_id, counts } = await plan(user_id, prices, "members.csv");
    expect(counts.plan).toEqual({ planned: 2, done: 0, skipped: 0, refused: 3 });
    const outOfBounds = { state: "refused", reason: expect.stringMatching(/^月額は100円から10,000円までです。/) };
    const refused = [
      { title: "無料（1人）", ...outOfBounds },
      { title: "高い（1人）", ...outOfBounds },
      { title: "不明（1人）", state: "refused", reason: expect.stringMatching(/^月額がわからないため/) },
    ];
    const listed = await listImportItems(contextOf(user_id), import_id, { page_number: 1, page_size: 20 });
    expect(listed.items.filter(({ state }) => state === "refused")).toMatchObject(refused);
    const { items } = await run(user_id, import_id);
    expect(items.filter(({ state }) => state === "refused")).toMatchObject(refused);
    expect(items.filter(({ state }) => state === "done").map(({ title }) => title)).toEqual([
      "最低（1人）",
      "最高（1人）",
    ]);
  });

  test("makes a plan once, though the list writes its title in decomposed kana", async () => {
    const user_id = await newcomer();
    const decomposed = "プラン\r\n500円のか\u3099くや\r\n";
    const first = await run(user_id, (await plan(user_id, decomposed, "members.csv")).import_id);
    expect(first.items).toMatchObject([{ state: "done" }]);
    const again = await run(user_id, (await plan(user_id, decomposed, "members.csv")).import_id);
    expect(again.items).toMatchObject([{ state: "skipped" }]);
    const { results } = await d1.prepare("SELECT title FROM memberships WHERE user_id = ?").bind(user_id).all();
    expect(results).toEqual([{ title: "500円の\u304cくや" }]);
  });

  test("does not cut an emoji of a plan's title in two", async () => {
    const user_id = await newcomer();
    // Twenty families are twenty characters, and more than 200 UTF-16 units.
    const title = `500円${"👨‍👩‍👧‍👦".repeat(20)}`;
    const { items } = await run(user_id, (await plan(user_id, `プラン\r\n${title}\r\n`, "members.csv")).import_id);
    expect(items).toMatchObject([{ state: "done" }]);
    const { results } = await d1.prepare("SELECT title FROM memberships WHERE user_id = ?").bind(user_id).all();
    expect(results).toEqual([{ title }]);
  });

  test("is parsed as RFC 4180 says, whatever its cells begin with", () => {
    expect(parseCsv('a,"b ""x"", c\r\nd"\n=1+1,\n')).toEqual([
      ["a", 'b "x", c\r\nd'],
      ["=1+1", ""],
    ]);
    expect(parseCsv("a\r\rb,")).toEqual([["a"], [""], ["b", ""]]);
    for (const broken of ['a,"b', 'a,"b"c']) expect(() => parseCsv(broken)).toThrow();
    // A pattern would overflow the stack at these.
    for (const cell of ['a""'.repeat(1e6), "a".repeat(5e6)]) expect(parseCsv(`"${cell}"\n`)).toHaveLength(1);
  });
});
