/** The page of a creator's statistics, and its CSV. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Browser, browser, database, freshCreator, type Member } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";
import { insertPost } from "./support/posts.ts";

const main = (text: string) => text.split('<main id="main">')[1]?.split("</main>")[0] ?? "";
const words = ({ text }: { text: string }) => main(text).replace(/<[^>]*>/g, " ");

let creator: Member;
let own: Browser;
beforeAll(async () => {
  creator = await freshCreator("統計の人");
  own = await browser();
  await own.signIn(creator);
});

describe("the page of statistics", () => {
  test("tells a new creator what will be here", async () => {
    expect((await own.get("/my")).location).toBe("/my/stats");
    expect(words(await own.get("/my/stats"))).toContain("この期間の数字は、まだありません");
  });

  test("shows what readers did, with a chart, a table and safe names of hosts and posts", async () => {
    const event_id = await insertPost(creator);
    await (await database()).prepare("UPDATE events SET title = ? WHERE event_id = ?").bind("=<b>1+1", event_id).run();
    const reader = await browser();
    for (const [n, referrer] of ["blog.example", "blog.example", "blog.example", "<script>", ""].entries()) {
      const visit_id = `${event_id}-${n}`;
      const { status } = await reader.post(`/${creator.user.link_id}/events/${event_id}/visit`, { visit_id, referrer });
      expect(status).toBe(204);
    }
    await waitUntil(async () => words(await own.get("/my/stats")).includes("5回"));
    const { text } = await own.get("/my/stats");
    expect(main(text)).toMatch(/<svg class="bar-chart"[^>]*role="img"[^>]*><title[^>]*>読まれた数の推移<\/title><desc/);
    expect(main(text).match(/<tr>/g)?.length).toBeGreaterThan(28);
    expect(main(text)).toContain("=&lt;b&gt;1+1");
    const [, referrers = ""] = words({ text }).split("どこから来たか");
    expect(referrers.replace(/\s+/g, " ")).toContain("blog.example 3回 直接 2回");
    const csv = await own.get("/my/stats/figures.csv?table=posts");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.text).toContain("投稿,'=<b>1+1,5,0,0\r\nどこから来たか,blog.example,3,,\r\n");
    const periods = await own.get("/my/stats/figures.csv?table=periods&range=year");
    expect(periods.text.split("\r\n")).toHaveLength(14);
  });

  test("keeps wrong days in the form, and says what is wrong with them", async () => {
    const wrong = "start_date=2026-11-20&end_date=2026-11-01&agg_period=week";
    const page = await own.get(`/my/stats?${wrong}`);
    expect(page.status).toBe(200);
    expect(words(page)).toContain("終わりの日は、始まりの日以後にしてください。");
    expect(main(page.text)).toContain('name="end_date" value="2026-11-01"');
    const [tag] = /<input [^>]*name="end_date"[^>]*>/.exec(main(page.text)) ?? [];
    expect(tag).toContain('aria-invalid="true"');
    expect(tag).toContain('aria-describedby="end_date-error"');
    const empty = words(await own.get("/my/stats?start_date=&end_date=2026-11-01"));
    expect([empty.includes("始まりの日を入力してください。"), empty.includes("start_date")]).toEqual([true, false]);
    expect((await own.get(`/my/stats/figures.csv?table=periods&${wrong}`)).location).toMatch(/^\/my\/stats\?/);
    const weeks = await own.get("/my/stats?start_date=2026-10-01&end_date=2026-11-01&agg_period=week");
    expect(words(weeks)).toContain("2026/10/01〜2026/11/01");
    expect((await own.get("/my/stats/figures.csv?table=x")).status).toBe(404);
  });
});
