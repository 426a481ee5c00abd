import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { demoEmail } from "../../scripts/demo/seed.ts";
import { listUserEvents } from "../../workers/contract/events.ts";
import { getUser } from "../../workers/contract/users.ts";
import { browser, network } from "../support/network.ts";
import { ask, INSIDES, JAPANESE, send, succeeded, userId } from "./support/calls.ts";

/** As it goes over the wire: how many bytes, in which coding, and the text in it. */
async function wire(path: string): Promise<{ bytes: number; coding: string | undefined }> {
  const { port } = await network();
  return new Promise((done, failed) => {
    const headers = { host: `localhost:${port}`, "accept-encoding": "gzip, deflate, br" };
    request({ host: "127.0.0.1", port, path, headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once("end", () => done({ bytes, coding: response.headers["content-encoding"] }));
    })
      .once("error", failed)
      .end();
  });
}

const eventPath = async () => {
  const { events } = await ask(listUserEvents, { params: { user_id: await userId("natsume") } });
  return `/natsume/events/${events[0]?.event_id}`;
};

describe.each([
  "/",
  "/natsume",
  "/natsume?page=2",
  "/natsume/about",
  "/natsume/plans",
  "/natsume/ofuse",
  "an event",
  "/akari",
  "/fan_hana",
  "/login",
  "/signup",
  "/signup/sent",
  "/404",
])("a visitor's %s", (name) => {
  const load = async () => (await browser()).get(name === "an event" ? await eventPath() : name);

  test("is a Japanese page without scripts, cookies or anybody's data", async () => {
    const page = await load();
    expect(page.status).toBe(name === "/404" ? 404 : 200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(page.text).toContain('<html lang="ja"');
    expect(/<title>(.*?)<\/title>/.exec(page.text)?.[1]).toMatch(/[\u3041-\u9fff]/);
    expect(/<h1[^>]*>(.*?)<\/h1>/s.exec(page.text)?.[1]).toMatch(/[\u3041-\u9fff]/);
    expect(page.text.replace(/<[^>]*>/g, "")).toMatch(JAPANESE);
    expect(page.text).not.toMatch(/<script|javascript:|\son\w+=|modulepreload/i);
    expect(page.text).not.toMatch(INSIDES);
    expect(page.text).not.toMatch(/[\w.]+@demo\.example|idempotency_key|undefined|\[object/);
  });

  test("may stand in no frame and is kept by no cache", async () => {
    const { headers } = await load();
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "x-request-id": expect.stringMatching(/^[0-9a-z]{26}$/),
    });
  });
});

test("a creator's page and the styles it waits for come in the first round trips: 14,336 bytes", async () => {
  const { text } = await (await browser()).get("/natsume");
  const styles = [...text.matchAll(/<link[^>]*rel="stylesheet"[^>]*>/g)].map(
    ([link]) => /href="([^"]+)"/.exec(link)?.[1],
  );
  expect(styles.length).toBeGreaterThan(0);
  const parts = await Promise.all(["/natsume", ...styles].map((path) => wire(path ?? "")));
  expect(parts.map(({ coding }) => coding)).toEqual(parts.map(() => "br"));
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(14_336);
});

test("pictures of posts have their size, and all but the first wait until they are seen", async () => {
  const { text } = await (await browser()).get("/natsume");
  const list = /<ul class="event-list">.*?<\/ul>/s.exec(text)?.[0] ?? "";
  const images = [...list.matchAll(/<img [^>]*>/g)].map(([image]) => image);
  expect(images.length).toBeGreaterThan(5);
  for (const [index, image] of images.entries()) {
    expect(image).toMatch(/ width="\d+"/);
    expect(image).toMatch(/ height="\d+"/);
    expect(image).toMatch(/ alt="[^"]+"/);
    expect(image.includes('loading="lazy"')).toBe(index > 0);
  }
});

test("what a page names is there: pictures, styles, its icon", async () => {
  const { text } = await (await browser()).get("/natsume");
  const paths = [...text.matchAll(/(?:src|href)="(\/(?:media|assets|favicon)[^"]*)"/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(5);
  const visitor = await browser();
  for (const path of new Set(paths)) {
    const { status, headers } = await visitor.get(path.replaceAll("&amp;", "&"));
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    if (path.startsWith("/assets/")) expect(headers.get("cache-control")).toContain("immutable");
  }
});

test("a file that is not there is not kept for ever", async () => {
  const { status, headers } = await (await browser()).get("/assets/gone-00000000.js");
  expect({ status, kept: headers.get("cache-control") }).toEqual({ status: 404, kept: "no-store" });
});

test("words of people are words on a page and never markup", async () => {
  const visitor = await browser();
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  for (const [path, fields] of [
    ["/login", { email: evil, password: "x", to: evil }],
    ["/signup", { email: evil, password: "x" }],
  ] as const) {
    const { status, text } = await visitor.post(path, fields);
    expect(status).toBe(422);
    expect(text).not.toContain("<script>");
    expect(text).not.toContain("<img src=x");
  }
  expect((await visitor.get(`/login?to=/${encodeURIComponent(evil)}`)).text).not.toContain("<script>");
});

test("a member's page of somebody else's holds nothing private of theirs", async () => {
  const member = await browser();
  await member.signIn("yamato");
  const { text } = await member.get("/natsume");
  expect(text).toContain("<script");
  expect(text).not.toContain(demoEmail("natsume"));
  const reply = await send(getUser, { query: { link_id: "natsume" } });
  succeeded(getUser, reply);
  expect(reply.text).not.toContain("@demo.example");
});
