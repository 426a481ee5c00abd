import { unfurl } from "unfurl.js";
import { beforeAll, describe, expect, test } from "vitest";
import { browser, database, freshMember, network } from "../support/network.ts";
import { readPng } from "./support/pictures.ts";

// Starting the network takes longer than any test.
beforeAll(async () => void (await network()));

interface Row {
  event_id: string;
  link_id: string;
  title: string;
  body: string;
  lead: string;
  image_id: string | null;
  name: string;
}
const post = async (where: string): Promise<Row> => {
  const row = await (await database())
    .prepare(
      `SELECT event_id, link_id, title, body, lead, image_id, name FROM events JOIN users USING (user_id) WHERE ${where} LIMIT 1`,
    )
    .first<Row>();
  if (!row) throw new Error(`the demo world has no post where ${where}`);
  return row;
};
const open = "status = 'published' AND publish_target_type = 'public'";
const locked = "status = 'published' AND publish_target_type <> 'public'";
const pathOf = ({ link_id, event_id }: Row) => `/${link_id}/events/${event_id}`;
const oembed = async (query: Record<string, string>) => (await browser()).get(`/oembed?${new URLSearchParams(query)}`);

/** Reads a page's link preview as a messenger does: its Open Graph data, the picture, and oEmbed. */
async function scraped(path: string) {
  const { url } = await network();
  // Its connections are kept alive, and a request on one that workerd has just closed would fail.
  const { open_graph, twitter_card, oEmbed } = await unfurl(url + path, { headers: { connection: "close" } });
  expect(twitter_card.card).toBe("summary_large_image");
  expect(open_graph.url).toBe(url + path);
  expect(open_graph.description?.length).toBeGreaterThan(10);
  const [image] = open_graph.images ?? [];
  const response = await fetch(image?.url ?? "");
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
  const { width, height } = await readPng(new Uint8Array(await response.arrayBuffer()));
  expect([Number(image?.width), Number(image?.height)]).toEqual([width, height]);
  expect(image?.alt?.length).toBeGreaterThan(3);
  return { open_graph, image: image?.url ?? "", alt: image?.alt, size: [width, height], oembed: oEmbed };
}

describe("a parser of previews", () => {
  test("reads the first page with the site's own picture", async () => {
    const { url } = await network();
    const { image, size } = await scraped("/");
    expect([image, size]).toEqual([`${url}/share.png`, [1200, 630]]);
  });

  test.each(["/natsume", "/natsume/plans", "/natsume/about", "/natsume/ofuse"])(
    "reads %s with the creator's card",
    async (path) => {
      const { url } = await network();
      const { open_graph, image, alt, size, oembed } = await scraped(path);
      expect(image).toMatch(new RegExp(`^${url}/share-images/natsume/[0-9a-f]{16}\\.png$`));
      expect(size).toEqual([1200, 630]);
      expect(alt).toBe("なつめ（@natsume）");
      if (path === "/natsume") {
        expect(open_graph.type).toBe("profile");
        expect(oembed).toMatchObject({ type: "link", title: "なつめ（@natsume）" });
      }
    },
  );

  test("reads a post with its own picture", async () => {
    const { url } = await network();
    const shown = await post(`${open} AND image_id IS NOT NULL`);
    const { open_graph, image, oembed } = await scraped(pathOf(shown));
    expect(open_graph.type).toBe("article");
    expect(open_graph.title).toContain(shown.title);
    expect(image).toBe(`${url}/media/${shown.image_id}/medium`);
    expect(oembed).toMatchObject({ type: "link", title: shown.title });
  });

  test("reads a post without a picture with its title drawn", async () => {
    const shown = await post(`${open} AND image_id IS NULL`);
    const { image, size } = await scraped(pathOf(shown));
    expect(image).toContain(`/share-images/${shown.link_id}/${shown.event_id}/`);
    expect(size).toEqual([1200, 630]);
  });

  test("reads a locked post's title and audience, and nothing of its body", async () => {
    const shown = await post(`${locked} AND image_id IS NOT NULL`);
    const { open_graph, image, size, oembed } = await scraped(pathOf(shown));
    expect(image).toContain(`/share-images/${shown.link_id}/${shown.event_id}/`);
    expect(size).toEqual([1200, 630]);
    expect(open_graph.description).toMatch(/限定の投稿です。$/);
    const said = JSON.stringify([open_graph, oembed]);
    for (const secret of [shown.lead.slice(0, 20), shown.body.slice(0, 20), shown.image_id]) {
      expect(said).not.toContain(secret);
    }
  });
});

describe("oEmbed", () => {
  test("describes a creator and a post, in JSON and in XML, for any site", async () => {
    const { url } = await network();
    const json = await oembed({ url: `${url}/natsume` });
    expect(json.headers.get("content-type")).toContain("application/json");
    expect(json.headers.get("access-control-allow-origin")).toBe("*");
    expect(JSON.parse(json.text)).toMatchObject({
      version: "1.0",
      type: "link",
      author_name: "なつめ",
      author_url: `${url}/natsume`,
      provider_name: "ofuse",
      thumbnail_url: expect.stringMatching(new RegExp(`^${url}/share-images/natsume/`)),
      thumbnail_width: 1200,
      thumbnail_height: 630,
    });
    const member = await freshMember("<名前> & \u{1f408}");
    const xml = await oembed({ url: `${url}/${member.user.link_id}/`, format: "xml" });
    expect(xml.headers.get("content-type")).toBe("text/xml; charset=utf-8");
    expect(xml.text).toContain("<author_name>&lt;名前&gt; &amp; \u{1f408}</author_name>");
  });

  test("is linked from a page, and describes that page", async () => {
    const { url } = await network();
    const { text } = await (await browser()).get("/natsume");
    for (const type of ["application/json+oembed", "text/xml+oembed"]) {
      const [, href = ""] =
        new RegExp(`<link rel="alternate" type="${type.replace("+", "\\+")}" href="([^"]+)"`).exec(text) ?? [];
      const answer = await fetch(href.replaceAll("&amp;", "&"));
      expect([answer.status, (await answer.text()).includes(`${url}/natsume`)]).toEqual([200, true]);
    }
  });

  test("gives no picture larger than requested", async () => {
    const { url } = await network();
    const thumbnail = async (bounds: Record<string, string>) =>
      JSON.parse((await oembed({ url: `${url}/natsume`, ...bounds })).text) as Record<string, unknown>;
    const small = await thumbnail({ maxwidth: "400" });
    expect(small.thumbnail_width).toBeLessThanOrEqual(400);
    expect(small.thumbnail_url).toContain("/media/");
    expect(await thumbnail({ maxheight: "16" })).not.toHaveProperty("thumbnail_url");
  });

  test.each<[number, (url: string) => Record<string, string>]>([
    [400, () => ({})],
    [400, (url) => ({ url: `${url}/natsume`, maxwidth: "-1" })],
    [501, (url) => ({ url: `${url}/natsume`, format: "yaml" })],
    [404, () => ({ url: "https://example.com/natsume" })],
    [404, () => ({ url: "natsume" })],
    [404, (url) => ({ url: `${url}/` })],
    [404, (url) => ({ url: `${url}/nobody_at_all` })],
    [404, (url) => ({ url: `${url}/my/box` })],
    [404, (url) => ({ url: `${url}/natsume/events/01hzzzzzzzzzzzzzzzzzzzzzzz` })],
    [404, (url) => ({ url: `${url}/natsume/events/x` })],
  ])("answers %i to an unknown address", async (status, query) => {
    const { url } = await network();
    expect((await oembed(query(url))).status).toBe(status);
  });

  test("refuses to describe an unpublished post, even to its author", async () => {
    const { url } = await network();
    const author = await browser();
    const hidden = await post("status <> 'published'");
    await author.signIn(hidden.link_id);
    const query = new URLSearchParams({ url: url + pathOf(hidden) });
    for (const who of [author, await browser()]) expect((await who.get(`/oembed?${query}`)).status).toBe(404);
  });
});
