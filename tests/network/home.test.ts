import { beforeAll, describe, expect, test } from "vitest";
import { listNewestEvents } from "../../workers/contract/events.ts";
import { follow } from "../../workers/contract/relationships.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { Browser, browser, database, freshMember, network } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { ask, userId } from "./support/calls.ts";

const run = async (sql: string, ...values: unknown[]) => {
  await (await database())
    .prepare(sql)
    .bind(...values)
    .run();
};
const home = async () => (await (await browser()).get("/")).text;
/** Returns the text under a heading, up to the next section. */
const section = (text: string, title: string) => text.split(`>${title}</h2>`)[1]?.split("</section>")[0] ?? "";
const titlesIn = (text: string) => [...text.matchAll(/class="card-link"[^>]*>([^<]*)</g)].map(([, title]) => title);

describe("a visitor's first page", () => {
  test("says what the site is, shows its content, and links to more", async () => {
    const text = await home();
    expect(/<h1>(.*?)<\/h1>/.exec(text)?.[1]).toContain("手紙にして届けよう");
    expect(section(text, "手紙が届くまで").match(/<h3>/g)).toHaveLength(3);
    expect(section(text, "新着の投稿").match(/<li/g)).toHaveLength(6);
    expect(section(text, "おすすめのクリエイター").match(/<li/g)).toHaveLength(6);
    expect(text.match(/<b>[\d,]+<\/b>(?:<!-- -->)?(?:通|人|件)/g)).toHaveLength(3);
    expect(section(text, "ジャンルから探す")).toContain('href="/search?genre_id=illustration"');
    expect(section(text, "つくる人へ")).toContain("手数料は10%");
    for (const path of ["/signup", "/search", "/usecases", "/kit", "/help"]) expect(text).toContain(`href="${path}"`);
  });

  test("has pictures with their size, and the text does not wait for them", async () => {
    const images = (await home()).match(/<img [^>]*>/g) ?? [];
    expect(images.length).toBeGreaterThan(5);
    for (const image of images) expect(image).toMatch(/ width="\d+" height="\d+" .*loading="lazy"/);
  });

  test("shows a new post within moments, and hides it when it is locked", async () => {
    const event_id = newId(Date.now());
    await home();
    await run(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
       VALUES (?1, ?2, 'blog', 'できたての投稿', 'できたての書き出し', 'できたての本文', 'published', 'public', ?3, ?3)`,
      event_id,
      await userId("yamato"),
      "2098-01-01T00:00:00.000Z",
    );
    try {
      await waitUntil(async () => expect(titlesIn(section(await home(), "新着の投稿"))[0]).toBe("できたての投稿"));
      expect(await home()).not.toContain("できたての本文");
      await run("UPDATE events SET publish_target_type = 'fans' WHERE event_id = ?", event_id);
      await waitUntil(async () => expect(await home()).not.toContain("できたての"));
    } finally {
      await run("DELETE FROM events WHERE event_id = ?", event_id);
    }
  });

  test("shows several creators, even if one publishes ten posts at a time", async () => {
    const user_id = await userId("hibiki");
    const event_ids = Array.from({ length: 10 }, () => newId(Date.now()));
    for (const [index, event_id] of event_ids.entries()) {
      await run(
        `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, published_at, created_at)
         VALUES (?1, ?2, 'blog', ?3, 'x', 'x', 'published', 'public', ?4, ?4)`,
        event_id,
        user_id,
        `連投${index}`,
        `2097-01-01T00:00:0${index}.000Z`,
      );
    }
    try {
      expect((await ask(listNewestEvents)).events.filter(({ title }) => title.startsWith("連投"))).toHaveLength(6);
      await waitUntil(async () => {
        const titles = titlesIn(section(await home(), "新着の投稿"));
        expect(titles.filter((title) => title?.startsWith("連投"))).toEqual(["連投9", "連投8"]);
        expect(titles).toHaveLength(6);
      });
    } finally {
      for (const event_id of event_ids) await run("DELETE FROM events WHERE event_id = ?", event_id);
    }
  });

  test("has one address: a member's filters redirect to it", async () => {
    const { status, location } = await (await browser()).get("/?page=2");
    expect([status, location]).toEqual([302, "/"]);
  });

  test("comes with its styles in the first round trips: 14,336 bytes", async () => {
    const { url } = await network();
    const { headers } = await fetch(url, { headers: { "accept-encoding": "br" } });
    expect(headers.get("content-encoding")).toBe("br");
    const { port } = await network();
    const { request } = await import("node:http");
    const bytes = await new Promise<number>((done, failed) => {
      request(
        { host: "127.0.0.1", port, path: "/", headers: { host: `localhost:${port}`, "accept-encoding": "br" } },
        (response) => {
          let count = 0;
          response.on("data", (chunk: Buffer) => {
            count += chunk.length;
          });
          response.once("end", () => done(count));
        },
      )
        .once("error", failed)
        .end();
    });
    expect(bytes).toBeLessThanOrEqual(14_336);
  });
});

describe("a member's first page", () => {
  let fan: Browser;
  beforeAll(async () => {
    fan = await browser();
    await fan.signIn("fan_hana");
  });

  test("has posts and activities of followed creators, and recommendations", async () => {
    const { text } = await fan.get("/");
    expect(text).toContain("フォロー中の新着</h2>");
    expect(titlesIn(text.split('class="home-aside')[0] ?? "")).toHaveLength(10);
    expect(section(text, "最近の活動").match(/<li/g)).toHaveLength(8);
    expect(section(text, "おすすめのクリエイター")).toContain("フォローする");
    expect(text).not.toContain("手紙が届くまで");
  });

  test("can be filtered to posts of plans, page by page", async () => {
    const all = await fan.get("/?filter=all");
    const joined = await fan.get("/?filter=subscribing");
    expect(joined.text).toMatch(
      /aria-current="page" href="\/\?filter=subscribing"|href="\/\?filter=subscribing"[^>]*aria-current="page"/,
    );
    const posts = ({ text }: { text: string }) => titlesIn(text.split('class="home-aside')[0] ?? "");
    expect(posts(joined)).toHaveLength(10);
    expect(posts(joined)).not.toEqual(posts(all));
    const second = await fan.get("/?filter=subscribing&page=2");
    expect(second.text).toContain('href="/?filter=subscribing"');
    expect(posts(second).filter((title) => posts(joined).includes(title))).toEqual([]);
    expect((await fan.get("/?filter=nonsense&after=nonsense")).text).toContain("最近の活動");
    for (const page of ["0", "999", "x"]) expect((await fan.get(`/?page=${page}`)).status).toBe(404);
  });

  test("continues the activities on the next page", async () => {
    const first = section((await fan.get("/")).text, "最近の活動");
    const path = /href="(\/\?filter=all&amp;after=\w+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = section((await fan.get(path)).text, "最近の活動");
    const moments = (text: string) =>
      [...text.matchAll(/dateTime="([^"]+)"|datetime="([^"]+)"/gi)].map(([, a, b]) => a ?? b ?? "");
    expect(moments(second).length).toBeGreaterThan(0);
    expect((moments(first).at(-1) ?? "") >= (moments(second)[0] ?? "z")).toBe(true);
  });

  test("says what will be here if nobody is followed, and recommends creators", async () => {
    const member = await freshMember("はじめての人");
    const newcomer = new Browser((await network()).url);
    await newcomer.signIn(member);
    const empty = (await newcomer.get("/")).text;
    expect(empty).toContain("ここに、好きな人の新しい投稿が並びます");
    expect(section(empty, "おすすめのクリエイター").match(/フォローする/g)?.length).toBeGreaterThan(3);
    expect(empty).not.toContain('home-filters"');
    await ask(follow, { token: member.token, body: { following_id: await userId("natsume") } });
    const { text } = await newcomer.get("/");
    expect(text).not.toContain("ここに、好きな人の新しい投稿が並びます");
    // While she is choosing, recommendations come before the posts. The first follow must not move them below ten
    // posts.
    const recommendedAt = (html: string) => [html.indexOf("おすすめのクリエイター"), html.indexOf("フォロー中の新着")];
    for (const html of [empty, text])
      expect(recommendedAt(html)).toEqual(recommendedAt(html).toSorted((a, b) => a - b));
    for (const link_id of ["hibiki", "sumire"]) {
      await ask(follow, { token: member.token, body: { following_id: await userId(link_id) } });
    }
    const settled = (await newcomer.get("/")).text;
    expect(recommendedAt(settled)).toEqual(recommendedAt(settled).toSorted((a, b) => b - a));
    expect((await newcomer.get("/?filter=subscribing")).text).toContain("加入中のプランの投稿はありません");
  });
});
