/**
 * `npm run bench`: measures speed as ratios to a minimal worker on the same machine in the same run.
 * Prints a table, ratios first, and writes all figures to bench.json. Fails when a ratio misses its target. `npm run bench -- radio`
 * measures live radio, `npm run bench -- imports` the memory of an import, and `npm run bench -- memory` that of a loaded site.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BareContent, startBareWorkers } from "./bench/bare.ts";
import { atLeast, atMost, type Ratio } from "./bench/figures.ts";
import { measureIdentityTiming, timingRatio } from "./bench/identity-timing.ts";
import { measureLoad } from "./bench/load.ts";
import { launchBrowser, measureMove, measurePages, weighPage } from "./bench/pages.ts";
import { measurePaidLetters } from "./bench/payments.ts";
import { measureReads } from "./bench/reads.ts";
import { benchDataFolder } from "./bench/world.ts";
import { buildIfStale } from "./build.ts";
import { DEMO_PASSWORD, demoEmail } from "./demo/seed.ts";
import { startNetwork } from "./network.ts";
import { reportStep } from "./steps.ts";

if (process.argv[2] === "radio") {
  await import("./bench/radio.ts");
  process.exit();
}
if (process.argv[2] === "imports") {
  await import("./bench/imports.ts");
  process.exit();
}
if (process.argv[2] === "memory") {
  await import("./bench/memory.ts");
  process.exit();
}

const ROUNDS = 3;
const SECONDS = 5;
const VISITS = 7;
const FIRST_PICTURE_BYTES = 40 * 1024;

/** Downloads a file as sent over the wire, still compressed. */
function downloadFile(url: string): Promise<{ bytes: Buffer; headers: Record<string, string> }> {
  return new Promise((done, failed) => {
    request(url, { headers: { "accept-encoding": "br" } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("end", () => {
        const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        done({ bytes: Buffer.concat(parts), headers: Object.fromEntries(headers) });
      });
    })
      .once("error", failed)
      .end();
  });
}

/** Downloads the product's page and its largest picture, for the bare workers to serve. */
async function contentOf(url: string): Promise<BareContent & { text_path: string }> {
  const page = await downloadFile(url);
  const html = await (await fetch(url)).text();
  const [picture = ""] = /<img[^>]*class="creator-cover"[^>]*>/.exec(html) ?? [];
  const attributeOf = (name: string) => new RegExp(` ${name}="([^"]+)"`).exec(picture)?.[1] ?? "";
  const { bytes, headers } = await downloadFile(new URL(attributeOf("src"), url).href);
  const per_answer = new Set(["date", "connection", "keep-alive", "transfer-encoding", "content-length", "age"]);
  return {
    page: {
      bytes: page.bytes,
      headers: Object.fromEntries(Object.entries(page.headers).filter(([name]) => !per_answer.has(name))),
    },
    picture: {
      bytes,
      content_type: headers["content-type"] ?? "",
      width: Number(attributeOf("width")),
      height: Number(attributeOf("height")),
    },
    text_path: `${url}/about`,
  };
}

const built = await buildIfStale();
if (built && !built.passed) {
  reportStep(built);
  process.exit(1);
}
const data_dir = mkdtempSync(join(tmpdir(), "ofuse-bench-"));
const network = await startNetwork({ data_dir });
const natsume = `${network.url}/natsume`;
const content = await contentOf(natsume);
const bare = await startBareWorkers(content, data_dir);
const running = [bare, network];
const stopAll = () => Promise.all(running.splice(0).map((each) => each.stop()));
try {
  console.log("loading every address in turn ...");
  const brotli = { "accept-encoding": "br" };
  const load = await measureLoad(
    [
      { name: "hello, raw workerd", url: bare.hello },
      { name: "bare cache worker", url: bare.cache, headers: brotli },
      { name: "bare cache worker behind the edge", url: bare.cache_behind_edge, headers: brotli },
      { name: "/natsume, cached", url: natsume, headers: brotli },
      // A request with any cookie gets a page of its own, not the cached one.
      { name: "/natsume, not cached", url: natsume, headers: { ...brotli, cookie: "bench=1" } },
      { name: "/v4/users?link_id=", url: `${network.url}/v4/users?link_id=natsume`, headers: brotli },
    ],
    ROUNDS,
    SECONDS,
  );
  const rateOf = (name: string) => load.find((figure) => figure.name === name)?.requests_per_s ?? 0;

  console.log("paying for letters, from the form to the receipt ...");
  const payments = await measurePaidLetters(network.url, "natsume");

  console.log("visiting every page in turn on a slow phone ...");
  const browser = await launchBrowser();
  const signing_in = await browser.newPage({ viewport: { width: 375, height: 812 } });
  await signing_in.goto(`${network.url}/login?to=/`);
  await signing_in.getByLabel("メールアドレス").fill(demoEmail("fan_hana"));
  await signing_in.getByLabel("パスワード").fill(DEMO_PASSWORD);
  await signing_in.getByRole("button", { name: "ログイン", exact: true }).click();
  await signing_in.waitForURL(`${network.url}/`);
  const storageState = await signing_in.context().storageState();
  const vitals = await measurePages(
    browser,
    [
      { name: "empty page", url: bare.empty_page },
      { name: "bare page with the same picture", url: bare.picture_page },
      { name: "/natsume", url: natsume },
      { name: "/natsume/about (text)", url: content.text_path },
      { name: "/natsume, member", url: natsume, storageState },
    ],
    VISITS,
  );
  const move_ms = await measureMove(
    browser,
    { name: "move", url: natsume, storageState },
    { link: ".event-card .card-link", shown: "article.event" },
    VISITS,
  );
  const vitalsOf = (name: string) => vitals.find((figure) => figure.name === name);
  const lcpOf = (name: string) => vitalsOf(name)?.lcp_ms ?? 0;
  const fcpOf = (name: string) => vitalsOf(name)?.fcp_ms ?? 0;
  const visitor = await browser.newPage({ viewport: { width: 375, height: 812 } });
  const weights = [await weighPage(visitor, { name: "/natsume, visitor", url: natsume })];
  const member = await browser.newPage({ viewport: { width: 375, height: 812 }, storageState });
  weights.push(await weighPage(member, { name: "/natsume, member", url: natsume }));
  await browser.close();

  // Stop the other workers first: these figures are compared with fixed milliseconds, not with another server's.
  await stopAll();
  console.log("reading the big world ...");
  const { rows: reads, scans } = await measureReads(benchDataFolder());

  console.log("asking for known and unknown addresses ...");
  const timing = await measureIdentityTiming();

  const cls = Math.max(...vitals.map((figure) => figure.cls));
  const ratios: Ratio[] = [
    atLeast(
      "cached page / bare cache worker, both behind the edge",
      rateOf("/natsume, cached") / rateOf("bare cache worker behind the edge"),
      0.8,
    ),
    atLeast("cached page / the same page not cached", rateOf("/natsume, cached") / rateOf("/natsume, not cached"), 4),
    atMost(
      "time of a paid letter / a render of /natsume, both of 16 at once",
      rateOf("/natsume, not cached") / payments.letters_per_s,
      10,
    ),
    atMost(
      "LCP of /natsume / bare page with the same picture",
      lcpOf("/natsume") / lcpOf("bare page with the same picture"),
      1.5,
    ),
    atMost("LCP of a text page / empty page", lcpOf("/natsume/about (text)") / lcpOf("empty page"), 2),
    atMost("first paint of /natsume, member / visitor", fcpOf("/natsume, member") / fcpOf("/natsume"), 1.15),
    atMost(
      "longest task of /natsume after its first paint, member / 50 ms",
      (vitalsOf("/natsume, member")?.task_ms ?? 0) / 50,
      1,
    ),
    atMost("move from /natsume to a post, member / 900 ms", move_ms / 900, 1),
    atMost("CLS, worst of all visits", cls, 0),
    atMost("first picture / 40 kB", content.picture.bytes.length / FIRST_PICTURE_BYTES, 1),
    atMost("p99 of the slowest read of the big world / 20 ms", Math.max(...reads.map(({ p99_ms }) => p99_ms)) / 20, 1),
    timingRatio(timing),
    atMost("reads of the big world that walk a table", Object.keys(scans).length, 0),
  ];
  console.table(Object.fromEntries(ratios.map(({ name, value, target, is_met }) => [name, { value, target, is_met }])));
  console.table(Object.fromEntries(load.map(({ name, ...figure }) => [name, figure])));
  console.table({ "a paid letter": payments });
  console.table(Object.fromEntries(vitals.map(({ name, ...figure }) => [name, figure])));
  console.table(Object.fromEntries(weights.map(({ name, ...figure }) => [name, figure])));
  console.table(Object.fromEntries(reads.map(({ read, ...figure }) => [read, figure])));
  console.table(Object.fromEntries(timing.map(({ road, ...figure }) => [road, figure])));
  const machine = { cores: cpus().length, processor: cpus()[0]?.model, node: process.version };
  const file = resolve(import.meta.dirname, "..", "bench.json");
  writeFileSync(
    file,
    `${JSON.stringify({ measured_at: new Date().toISOString(), machine, ratios, load, payments, vitals, move_ms, weights, reads, scans, timing }, null, 2)}\n`,
  );
  console.log(`all figures: ${file}`);
  process.exitCode = ratios.every(({ is_met }) => is_met) ? 0 : 1;
} finally {
  await stopAll();
  rmSync(data_dir, { recursive: true, force: true });
}
