import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demoSite } from "../../scripts/demo-site.ts";
import type { Block } from "../../workers/contract/document.ts";
import type { Delivery, NewsletterMail } from "../../workers/contract/mails.ts";
import { newsletterWords } from "../../workers/mails/words/newsletter.ts";
import { renderMail } from "../../workers/mails/words/render.ts";
import { waitUntil } from "../support/wait.ts";
import { CONTENT_ID, mailsForTests, newsletterTo, paragraph, type RunningMails, signInMail } from "./support.ts";

/** Newsletters in the mails worker: one content for many receivers, after all other mails, each once. */

const { serve, startFor, killWorker } = mailsForTests();

const handOver = async (mails: RunningMails, newsletter: NewsletterMail) =>
  (await mails.fetch("/newsletters", { method: "POST", body: JSON.stringify(newsletter) })).status;
const deliveriesOf = async (mails: RunningMails): Promise<Delivery[]> =>
  ((await (await mails.fetch("/deliveries")).json()) as { deliveries: Delivery[] }).deliveries;
const fans = (number: number) => Array.from({ length: number }, (_, index) => `fan${index}@example.jp`);

test("each receiver gets the content once, with their own link and the headers of one-click", async () => {
  const server = await serve();
  const mails = await startFor(server);
  const recipients = fans(3);
  for (const _ of [1, 2]) expect(await handOver(mails, newsletterTo(recipients))).toBe(204);
  await waitUntil(() => expect(server.received).toHaveLength(3));
  await mails.runScheduled();
  expect(server.received.flatMap(({ to }) => to).sort()).toEqual(recipients);
  for (const { to, raw, mail } of server.received) {
    const link = `https://ofuse.example/unsubscribe/${to[0]?.split("@")[0]}`;
    expect(raw).toContain(`List-Unsubscribe: <${link}>\r\n`);
    expect(raw).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
    expect(mail.subject).toBe("窓辺だより｜なつめさんのニュースレター");
    expect(mail.text).toContain(`配信停止：${link}`);
    expect(mail.html).toContain(`href="${link}"`);
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain(demoSite.notice.address);
      expect(part).not.toContain("{stop");
    }
  }
  expect(await deliveriesOf(mails)).toEqual([
    { content_id: CONTENT_ID, handed_count: 3, sent_count: 3, bounced_count: 0 },
  ]);
});

test("a run of the clock ends before D1 refuses its queries, and the next run continues", async () => {
  const mails = await startFor(await serve(), { ENVIRONMENT: "production" });
  // A mail that is not sent costs a query too, and takes less time than one that is.
  await mails.run("INSERT INTO suppressions VALUES (printf('%064d', 1), 'operator', NULL, '2026-11-20T00:00:00.000Z')");
  await mails.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 950)
      INSERT INTO mails (mail_id, kind, recipient, recipient_hash, subject, text, html, state, next_attempt_at, created_at)
      SELECT 'm' || i, 'receipt', 'a@example.jp', printf('%064d', 1), '', '', '', 'queued', ?1, ?1 FROM n`,
    new Date().toISOString(),
  );
  const countIn = async (state: string) =>
    (await mails.run<{ number: number }>("SELECT COUNT(*) AS number FROM mails WHERE state = ?", state))[0]?.number;
  await mails.runScheduled();
  expect(await countIn("suppressed")).toBeGreaterThan(500);
  expect(await countIn("suppressed")).toBeLessThan(950);
  expect(await countIn("sending")).toBe(0);
  await mails.runScheduled();
  expect(await countIn("suppressed")).toBe(950);
});

test("a mark that its creator types stays as typed: the receiver's link is in the footer alone", async () => {
  const server = await serve();
  const mails = await startFor(server);
  const mark = `{stop ${CONTENT_ID}}`;
  const link: Block = {
    type: "paragraph",
    content: [{ type: "text", text: mark, href: `https://evil.example/?t=${mark}` }],
  };
  const typed = { ...newsletterTo(fans(1), [paragraph(mark), link]), title: mark, creator_name: mark };
  await handOver(mails, typed);
  await waitUntil(() => expect(server.received).toHaveLength(1));
  const { text = "", html = "" } = server.received[0]?.mail ?? {};
  const stop_link = "https://ofuse.example/unsubscribe/fan0";
  for (const part of [text, html]) {
    expect(part.split(stop_link)).toHaveLength(2);
    expect(part).toContain(`https://evil.example/?t=${mark}`);
  }
  expect(text.trimEnd().endsWith(`配信停止：${stop_link}`)).toBe(true);
  expect(html).toContain(`<a href="${stop_link}" style="color:#55646b">配信を停止する`);
});

test("a demo's outbox shows such a newsletter as it was sent", async () => {
  const mails = await startFor(await serve(), { MAIL_END: "kept", PROJECT_ID: "demo-ofuse" });
  const mark = `{stop ${CONTENT_ID}}`;
  await handOver(mails, { ...newsletterTo(fans(1), [paragraph(mark)]), title: mark });
  await mails.handOver(signInMail("member@example.jp"));
  const shown = await (await mails.fetch("/kept-mails")).json();
  const stop_link = "https://ofuse.example/unsubscribe/fan0";
  const once = (part: string) => part.split(stop_link).length === 2 && part.includes(mark);
  expect(shown).toEqual({
    mails: [
      expect.objectContaining({ recipient: "member@example.jp", text: expect.stringContaining("/signup/action") }),
      {
        mail_id: expect.any(String),
        kind: "newsletter",
        recipient: "fan0@example.jp",
        created_at: expect.any(String),
        subject: expect.stringContaining(mark),
        text: expect.toSatisfy(once),
        html: expect.toSatisfy(once),
      },
    ],
  });
});

test("counts a refused mailbox as bounced, and lists counts until the API has them", async () => {
  const server = await serve({
    onRcptTo: ({ address }, _session, done) =>
      done(
        address === "gone@example.jp" ? Object.assign(new Error("5.1.1 No such user"), { responseCode: 550 }) : null,
      ),
  });
  const mails = await startFor(server);
  await handOver(mails, newsletterTo(["gone@example.jp", "hana@example.jp"]));
  const counted = { content_id: CONTENT_ID, handed_count: 2, sent_count: 1, bounced_count: 1 };
  await waitUntil(async () => expect(await deliveriesOf(mails)).toEqual([counted]));
  const acknowledge = (deliveries: Delivery[]) =>
    mails.fetch("/deliveries", { method: "DELETE", body: JSON.stringify({ deliveries }) });
  await acknowledge([{ ...counted, sent_count: 0 }]);
  expect(await deliveriesOf(mails)).toHaveLength(1);
  await acknowledge([counted]);
  expect(await deliveriesOf(mails)).toEqual([]);
  expect(await (await mails.fetch("/bounces")).json()).toEqual({ addresses: ["gone@example.jp"] });
});

test("one that is canceled before its first hand-over reaches nobody", async () => {
  const server = await serve();
  const mails = await startFor(server);
  const body = JSON.stringify({ content_ids: [CONTENT_ID] });
  expect((await mails.fetch("/newsletter-cancellations", { method: "POST", body })).status).toBe(204);
  expect(await handOver(mails, newsletterTo(fans(2)))).toBe(204);
  await waitUntil(async () => {
    expect(await mails.run("SELECT DISTINCT state FROM mails")).toEqual([{ state: "suppressed" }]);
  });
  expect(server.received).toEqual([]);
});

test("a link to sign in passes newsletters and notifications that were handed over before it", async () => {
  let isOpen = false;
  const gate = Promise.withResolvers<void>();
  const server = await serve({
    onRcptTo: (_address, _session, done) => void (isOpen ? done() : gate.promise.then(() => done())),
  });
  const mails = await startFor(server, { SMTP_TLS: "starttls" });
  await handOver(mails, newsletterTo(fans(45)));
  const stop_link = "https://ofuse.example/unsubscribe/get_ofuse.x";
  await mails.handOver({
    mail_id: "notification:ofuse_sent:1",
    kind: "notification",
    recipient: "told@example.jp",
    gaps: {
      topic: "get_ofuse",
      message: "たろうさんからofuseが届きました。",
      link: "https://ofuse.example/",
      stop_link,
    },
  });
  await mails.handOver(signInMail("hana@example.jp"));
  isOpen = true;
  gate.resolve();
  // A request's run ends after twenty seconds, and the clock's run sends the rest. Only one run sends at a time.
  await waitUntil(async () => {
    await mails.runScheduled();
    expect(server.received).toHaveLength(47);
  });
  const placeOf = (address: string) => server.received.findIndex(({ to }) => to[0] === address);
  const place = placeOf("hana@example.jp");
  expect(placeOf("told@example.jp")).toBeGreaterThan(place);
  expect(server.received[placeOf("told@example.jp")]?.raw).toContain(`List-Unsubscribe: <${stop_link}>\r\n`);
  // One claim of twenty was under way.
  expect(place).toBeLessThanOrEqual(20);
});

test("a kill in the middle sends none twice that the server has acknowledged and the worker recorded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "newsletters-"));
  try {
    const server = await serve();
    const first = await startFor(server, { MAILS_PER_SECOND: "100" }, { folder });
    const recipients = fans(30);
    await handOver(first, newsletterTo(recipients));
    await waitUntil(() => expect(server.received.length).toBeGreaterThan(5));
    await killWorker(first);
    const second = await startFor(server, {}, { folder });
    const recorded = await second.run<{ recipient: string }>("SELECT recipient FROM mails WHERE state = 'sent'");
    // The killed run's right to deliver ends by itself after half a minute.
    await second.run("UPDATE delivery SET leased_until = ''");
    await handOver(second, newsletterTo(recipients));
    await waitUntil(async () => {
      await second.runScheduled();
      expect((await deliveriesOf(second))[0]).toMatchObject({ sent_count: 30 });
    });
    const received = server.received.flatMap(({ to }) => to);
    const countOf = (recipient: string) => received.filter((to) => to === recipient).length;
    expect(recipients.every((recipient) => countOf(recipient) >= 1)).toBe(true);
    expect(recorded.length).toBeGreaterThan(0);
    for (const { recipient } of recorded) expect(countOf(recipient), recipient).toBe(1);
    // At most the one mail whose answer was not recorded came twice.
    expect(received.length).toBeLessThanOrEqual(31);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the words of a newsletter", () => {
  const sender = {
    origin: "https://ofuse.example",
    company_name: demoSite.company_name,
    address: demoSite.notice.address,
    contact_email: demoSite.notice.email,
    contact_phone: demoSite.notice.phone,
  };
  const render = (document: Block[], pictures: NewsletterMail["pictures"] = []) => {
    const { content_id: _, receivers: __, ...newsletter } = newsletterTo([], document, pictures);
    return renderMail(newsletterWords({ ...newsletter, stop_link: "https://ofuse.example/unsubscribe/x" }), sender);
  };

  test.each([
    ["one paragraph", [paragraph("字".repeat(50_000))]],
    ["markup", [paragraph("<&>\"'".repeat(10_000))]],
    ["many lines", Array.from({ length: 3000 }, () => paragraph("こんにちは。"))],
  ])("of 50,000 characters in %s stay within 100 kB, and lead to the rest", (_, document) => {
    const { html, text } = render(document);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(100_000);
    expect(html).toContain("続きを読む");
    expect(text).toContain("https://ofuse.example/my/news_letters/1");
  });

  const said = (words: string) => ({ type: "text" as const, text: words });
  const broken = { type: "break" as const };
  const lines = [
    said("一行目"),
    broken,
    { ...said("店"), bold: true, href: "https://shop.example/" },
    broken,
    { type: "ruby" as const, text: "漢字", reading: "かんじ" },
    broken,
  ];
  const family = "👨‍👩‍👧‍👦";
  test.each<[string, Block[]]>([
    ["a paragraph", [{ type: "paragraph", content: [...lines, said(family.repeat(5000))] }]],
    [
      "a quote below a heading",
      [
        { type: "heading", level: 2, content: [said("見出し")] },
        { type: "quote", content: [...lines, said(family.repeat(5000))] },
      ],
    ],
    ["a list", [{ type: "list", is_ordered: false, items: [lines, [said(family.repeat(5000))]] }]],
    [
      "a link",
      [{ type: "paragraph", content: [...lines, { ...said(family.repeat(5000)), href: "https://shop.example/" }] }],
    ],
  ])("keep lines, links and bold words of %s that is too long, and end it between two characters", (_, document) => {
    const { html, text } = render(document);
    expect(html).toMatch(/一行目<br><a [^>]*><strong>店<\/strong><\/a><br>漢字（かんじ）<br>/);
    expect(text).toContain("一行目\n店（ https://shop.example/ ）\n漢字（かんじ）\n");
    const [, families = ""] = /(\p{RGI_Emoji}+)(?:<\/a>)?…/v.exec(html) ?? [];
    expect(families).toBe(family.repeat(families.length / family.length));
    // All of the room is used.
    expect(Buffer.byteLength(html)).toBeGreaterThan(90_000);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(100_000);
    expect(html).toContain("続きを読む");
  });

  test("show every block as text and as HTML, and nothing typed as markup", () => {
    const { html, text } = render([
      { type: "heading", level: 2, content: [{ type: "text", text: "<b>見出し</b>" }] },
      {
        type: "paragraph",
        content: [
          { type: "ruby", text: "漢字", reading: "かんじ" },
          { type: "break" },
          { type: "text", text: "店", bold: true, href: 'https://shop.example/?a=1&b="' },
        ],
      },
      {
        type: "list",
        is_ordered: true,
        items: [[{ type: "text", text: "りんご" }], [{ type: "text", text: "みかん" }]],
      },
      { type: "list", is_ordered: false, items: [[{ type: "text", text: "なし" }]] },
      { type: "quote", content: [{ type: "text", text: "引用" }] },
      { type: "rule" },
    ]);
    expect(html).not.toContain("<b>見出し");
    expect(html).toContain('href="https://shop.example/?a=1&#38;b=&#34;"');
    expect(html).toMatch(/漢字（かんじ）<br>.*<ol[^>]*><li[^>]*>りんご<\/li><li[^>]*>みかん<\/li><\/ol>/s);
    expect(text).toContain('店（ https://shop.example/?a=1&b=" ）');
    expect(text).toContain("1. りんご\n2. みかん\n\n・なし");
  });

  test("have a blank or the end of the line after each address, where mail programs end the link", () => {
    const href = "https://shop.example/";
    const bare = { type: "text" as const, text: href, href };
    const { text } = render([
      {
        type: "paragraph",
        content: [said("店は"), bare, said("です。"), bare, { type: "ruby", text: "皆", reading: "みな" }],
      },
      { type: "list", is_ordered: false, items: [[{ ...bare, text: "店" }, said("へ")], [bare, said(" へ")], [bare]] },
      { type: "quote", content: [bare, { type: "break" }, said("店")] },
    ]);
    expect(text).toContain(
      [
        `店は${href} です。${href} 皆（みな）\n`,
        `・店（ ${href} ）へ\n・${href} へ\n・${href}\n`,
        `${href}\n店\n`,
      ].join("\n"),
    );
  });

  const url = "https://ofuse.example/media/sea/medium";
  const sea = { image_id: "sea", url, alt: "夜明けの海", width: 1280, height: 720 };
  const imageOf = (image_id: string): Block => ({ type: "image", image_id });
  const tagsIn = (html: string) => html.match(/<img[^>]*>/g) ?? [];

  test("show each picture no wider than the card, with its description, and its address in the text", () => {
    const icon = { ...sea, image_id: "icon", url: `${url}?a=1&b="><script>`, alt: "", width: 300, height: 301 };
    const hostile = { ...sea, image_id: "hostile", alt: '"><img src=x onerror=alert(1)>&' };
    const gone = imageOf("gone");
    const document = [imageOf("sea"), gone, paragraph("あと"), imageOf("icon"), imageOf("hostile")];
    const { html, text } = render(document, [sea, icon, hostile]);
    const tags = tagsIn(html);
    expect(tags).toHaveLength(3);
    expect(tags[0]).toContain(`src="${url}" width="552" height="311" alt="夜明けの海"`);
    expect(tags[0]).toMatch(/style="display:block;max-width:100%;height:auto;/);
    expect(tags[1]).toContain(`src="${url}?a=1&#38;b=&#34;&#62;&#60;script&#62;" width="300" height="301" alt=""`);
    expect(tags[2]).toContain('alt="&#34;&#62;&#60;img src=x onerror=alert(1)&#62;&#38;"');
    expect(text).toContain(`［画像：夜明けの海］\n${url}\n\nあと\n\n［画像］\n${icon.url}\n\n`);
    expect(html + text).not.toContain("gone");
  });

  test("with many pictures stay within 100 kB, and lead to the rest", () => {
    const pictures = Array.from({ length: 100 }, (_, n) => ({ ...sea, image_id: `${n}`, alt: "<".repeat(200) }));
    const { html, text } = render(
      pictures.map(({ image_id }) => imageOf(image_id)),
      pictures,
    );
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(100_000);
    expect(html).toContain("続きを読む");
    const shown = tagsIn(html).length;
    expect(shown).toBeGreaterThan(50);
    expect(text.match(/［画像：/g)).toHaveLength(shown);
  });
});
