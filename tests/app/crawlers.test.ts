import { RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { markRefusal, pageMeta } from "../../app/crawlers/page-meta.ts";
import { jarContext, v4Context } from "../../app/request/context.ts";
import { CookieJar } from "../../app/request/cookies.ts";
import { meta as postMeta } from "../../app/routes/creator/event.tsx";
import { loader as podcast } from "../../app/routes/creator/feed/podcast.ts";
import { podcastXml } from "../../app/routes/creator/feed/podcast-xml.ts";
import { loader as rss } from "../../app/routes/creator/feed/rss.ts";
import { blogPosting } from "../../app/routes/creator/preview.ts";
import { loader as chapters } from "../../app/routes/creator/radio-chapters.ts";
import { loader as oembed } from "../../app/routes/oembed.ts";
import type { V4 } from "../../app/v4/client.ts";

const ORIGIN = "https://ofuse.example";
const id = (n: number) => `01kaf2m8q3v7x1n5r9t4w6y${String(n).padStart(3, "0")}`;
const image = {
  image_id: id(1),
  alt: "海",
  width: 1920,
  height: 1080,
  medium_url: `/media/${id(1)}/medium`,
  srcset: [640, 1280, 1920].map((width) => `/media/${id(1)}/${width} ${width}w`).join(", "),
  placeholder: null,
};
const user = { user_id: id(2), link_id: "natsume", name: "なつめ", bio: "", icon_image: null, cover_image: null };
const event = {
  event_id: id(3),
  user,
  title: "夜明けの海",
  lead: "",
  image,
  status: "published",
  publish_target_type: "public",
  is_locked: false,
  published_at: "2026-11-20T03:00:00.000Z",
};

type Query = { page_number?: number; page_size?: number; publish_target_type?: string };
type Answers = Record<string, (query: Query, is_visitor: boolean) => object>;

/** Calls a loader with an API that has these answers, as a member. */
async function load(loader: (args: never) => Promise<Response>, path: string, answers: Answers, params = {}) {
  const client = (is_visitor: boolean): Partial<V4> => ({
    asVisitor: () => client(true) as V4,
    read: (async ({ id }: { id: string }, { query = {} }: { query?: object }) =>
      answers[id]?.(query, is_visitor)) as V4["read"],
  });
  const context = new RouterContextProvider();
  context.set(v4Context, client(false) as V4);
  const request = new Request(ORIGIN + path);
  context.set(jarContext, new CookieJar(request));
  return loader({ request, url: new URL(request.url), params, context } as never);
}

test("the title of a list's later page has its number, which a screen reader says when the page comes", () => {
  const titlesOf = (loaderData: unknown) => {
    const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
    const meta = pageMeta({ location: { pathname: "/news", search: "" }, matches, loaderData }, { title: "お知らせ" });
    return meta.flatMap((each) =>
      "title" in each ? [each.title] : "property" in each && each.property === "og:title" ? [each.content] : [],
    );
  };
  expect(titlesOf({ page: 2 })).toEqual(["お知らせ（2ページ目）｜ofuse", "お知らせ（2ページ目）"]);
  for (const other of [{ page: 1 }, { page: { id: 2 } }, {}, undefined]) {
    expect(titlesOf(other)).toEqual(["お知らせ｜ofuse", "お知らせ"]);
  }
});

describe("a preview states the size in which other sites get the picture", () => {
  test("on the page", () => {
    const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
    const meta = pageMeta({ location: { pathname: "/natsume", search: "" }, matches }, { title: "海", image });
    const properties = meta.flatMap((each) => ("property" in each ? [[each.property, each.content]] : []));
    expect(properties).toEqual(
      expect.arrayContaining([
        ["og:image", ORIGIN + image.medium_url],
        ["og:image:width", "1280"],
        ["og:image:height", "720"],
      ]),
    );
  });

  test("on the page, unless the picture is too small for the large card", () => {
    const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
    const share_picture = { medium_url: "/drawn", width: 1200, height: 630, alt: "" };
    const shownOf = (width: number, height: number) => {
      const page = { title: "海", image: { ...image, width, height }, share_picture };
      const meta = pageMeta({ location: { pathname: "/natsume", search: "" }, matches }, page);
      return meta.flatMap((each) => ("property" in each && each.property === "og:image" ? [each.content] : []));
    };
    expect([shownOf(299, 400), shownOf(2000, 20), shownOf(300, 157)]).toEqual([
      [`${ORIGIN}/drawn`],
      [`${ORIGIN}/drawn`],
      [ORIGIN + image.medium_url],
    ]);
  });

  test("in oEmbed, which says so of a picture that fits", async () => {
    const page = new URLSearchParams({ url: `${ORIGIN}/natsume/events/${id(3)}`, maxwidth: "1280", maxheight: "720" });
    const answer = await load(oembed, `/oembed?${page}`, { getEvent: () => ({ event }) });
    expect(await answer.json()).toMatchObject({
      thumbnail_url: ORIGIN + image.medium_url,
      thumbnail_width: 1280,
      thumbnail_height: 720,
    });
  });

  test("in a feed", async () => {
    const answers: Answers = {
      getUser: () => ({ user }),
      listUserEvents: () => ({ events: [event], has_next: false }),
    };
    const feed = await load(rss, "/natsume/feed.xml", answers, { link_id: "natsume" });
    expect(await feed.text()).toContain(`url="${ORIGIN}${image.medium_url}" width="1280" height="720"`);
  });
});

test("a feed has the 20 newest public posts, however many newer ones are for members", async () => {
  const posts = [
    ...Array.from({ length: 130 }, (_, n) => ({ ...event, event_id: id(n), publish_target_type: "memberships" })),
    ...Array.from({ length: 30 }, (_, n) => ({ ...event, event_id: id(200 + n), title: `第${n}回` })),
  ];
  const answers: Answers = {
    getUser: () => ({ user }),
    listUserEvents: ({ page_number = 1, page_size = 20, publish_target_type }) => {
      const asked = posts.filter((post) => !publish_target_type || post.publish_target_type === publish_target_type);
      const rest = asked.slice((page_number - 1) * page_size);
      return { events: rest.slice(0, page_size), has_next: rest.length > page_size };
    },
  };
  const feed = await (await load(rss, "/natsume/feed.xml", answers, { link_id: "natsume" })).text();
  expect(feed.match(/<item>/g)).toHaveLength(20);
  expect([feed.includes("第0回"), feed.includes("第19回"), feed.includes("第20回")]).toEqual([true, true, false]);
});

test("a bio with HTML is text in the description of a feed and of a podcast, whose readers parse it as HTML", async () => {
  const answers: Answers = {
    getUser: () => ({ user: { ...user, bio: "<b onmouseover=alert(1)>" } }),
    listUserEvents: () => ({ events: [], has_next: false }),
    listUserRecordings: () => ({ recordings: [], has_next: false }),
  };
  const feeds = [
    [rss, "/natsume/feed.xml"],
    [podcast, "/natsume/podcast.xml"],
  ] as const;
  for (const [loader, path] of feeds) {
    const feed = await (await load(loader, path, answers, { link_id: "natsume" })).text();
    expect(feed).toContain("<description>&amp;lt;b onmouseover=alert(1)&amp;gt;</description>");
  }
});

test("a podcast tells apps its present address, and a private one does not, whose address never ends", async () => {
  const read = { url: new URL(`${ORIGIN}/natsume/podcast.xml`), creator: user, description: "", recordings: [] };
  const own = `<itunes:new-feed-url>${ORIGIN}/natsume/podcast.xml</itunes:new-feed-url>`;
  expect(podcastXml({ ...read, is_private: false })).toContain(own);
  expect(podcastXml({ ...read, is_private: true })).not.toContain("new-feed-url");
});

test("a private podcast, and no other, is kept out of directories, in Apple's own spelling", () => {
  const read = { url: new URL(`${ORIGIN}/natsume/podcast.xml`), creator: user, description: "", recordings: [] };
  expect(podcastXml({ ...read, is_private: true })).toContain("<itunes:block>Yes</itunes:block>");
  expect(podcastXml({ ...read, is_private: false })).not.toContain("itunes:block");
});

test("a podcast has the recordings of four pages, and those for everybody alone", async () => {
  const recording = (n: number) => ({
    radio_id: id(n),
    title: `第${n}回`,
    description: "",
    image: null,
    publish_target_type: n % 10 === 0 ? "fans" : "public",
    finished_at: "2026-11-20T03:00:00.000Z",
    file: { path: "/media/x/recording", bytes: 9, duration_ms: 9000, content_type: "audio/mp4" },
  });
  const answers: Answers = {
    getUser: () => ({ user }),
    listUserRecordings: ({ page_number = 1 }) => ({
      recordings: Array.from({ length: 25 }, (_, n) => recording((page_number - 1) * 25 + n)),
      has_next: page_number < 9,
    }),
  };
  const feed = await (await load(podcast, "/natsume/podcast.xml", answers, { link_id: "natsume" })).text();
  expect(feed.match(/<item>/g)).toHaveLength(90);
  expect([feed.includes("第99回"), feed.includes("第20回"), feed.includes("第101回")]).toEqual([true, false, false]);
});

test.each([
  ["public", "*", "訪問者"],
  ["fans", null, "会員"],
])("any site may read the chapters of a recording only for everybody: %s", async (audience, allowed, reader) => {
  const answers: Answers = {
    getRadio: () => ({
      radio: { status: "finished", recording_publish_target_type: audience, started_at: "2026-11-20T03:00:00.000Z" },
    }),
    getRadioSound: () => ({ sound: { recording: { duration_ms: 60_000 } } }),
    getChatRoom: (_, is_visitor) => ({
      room: {
        pinned_messages: [
          { message_id: id(5), message: is_visitor ? "訪問者" : "会員", pinned_at: "2026-11-20T03:00:05.000Z" },
        ],
      },
    }),
  };
  const radio_id = id(4);
  const answer = await load(chapters, `/natsume/radios/${radio_id}/chapters.json`, answers, { radio_id });
  expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
  expect(await answer.json()).toMatchObject({ chapters: [{ startTime: 5, title: reader }] });
});

test("the title tells that the page's form was refused, and of nothing else", () => {
  const page =
    '<title>投稿を書く｜ofuse</title><meta property="og:title" content="投稿を書く"/><svg><title>図</title></svg>';
  const answer = { statusCode: 422, actionData: { "routes/my/new-post": { result: {} } }, errors: null };
  expect(markRefusal(page, answer)).toBe(page.replace("<title>投稿", "<title>エラー：投稿"));
  // A form that was accepted, a page whose own title tells of its failure, and a page without a form.
  const failure = { "routes/my/new-post": new Error("failed") };
  for (const other of [{ statusCode: 200 }, { errors: failure }, { actionData: null }]) {
    expect(markRefusal(page, { ...answer, ...other })).toBe(page);
  }
});

test("a post without words is described as its creator's, with its readers if they are not everybody", () => {
  const matches = [{ loaderData: { origin: ORIGIN, viewer: null } }];
  const describedAs = (publish_target_type: string) => {
    const loaderData = { event: { ...event, publish_target_type } };
    const meta = postMeta({ location: { pathname: "/", search: "" }, matches, loaderData } as never) ?? [];
    return meta.flatMap((each) => ("name" in each && each.name === "description" ? [each.content] : []));
  };
  expect(describedAs("public")).toEqual(["なつめさんの投稿です。"]);
  expect(describedAs("fans")).toEqual(["なつめさんのフォロワー限定の投稿です。"]);
});

test("a post that was changed before its planned publication was last changed by its publication", () => {
  const changed = { ...event, updated_at: "2026-11-20T02:00:00.000Z" };
  expect(blogPosting(changed as never)?.(ORIGIN)).toMatchObject({ dateModified: event.published_at });
});
