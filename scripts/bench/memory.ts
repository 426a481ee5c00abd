/**
 * `npm run bench -- memory`: loads a site for half an hour with all kinds of requests (MINUTES in the environment shortens it), and
 * watches the memory of its workerd. Beside it another workerd with one empty worker answers as many requests: what that one has is the
 * runtime's own. Fails when the site's workerd ends with more than {@link MOST_MB}.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { mintSessionCookies } from "../../tests/support/session.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { DEMO_PASSWORD, demoEmail } from "../demo/seed.ts";
import { HOST } from "../local-vars.ts";
import { freePort, startNetwork } from "../network.ts";
import { workerdsOf } from "../processes.ts";
import { atMost } from "./figures.ts";

const MOST_MB = 400;
const MINUTES = Number(process.env.MINUTES || 30);
const AT_ONCE = 6;
const CREATOR = "natsume";

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

interface Answer {
  status: number;
  body: string;
}

function ask(url: string, headers: OutgoingHttpHeaders = {}, method = "GET", body?: string): Promise<Answer> {
  return new Promise((done, failed) => {
    const asked = request(url, { agent, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("end", () => done({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    asked.once("error", failed).end(body);
  });
}

const memoryMb = (pid: number | undefined): number =>
  Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);

const data_dir = mkdtempSync(join(tmpdir(), "ofuse-bench-memory-"));
const port = await freePort();
const empty = new Miniflare(
  convertV4MiniflareOptions({
    host: HOST,
    port: 0,
    cf: false,
    workers: [
      {
        name: "empty",
        compatibilityDate: "2026-10-01",
        modules: [
          { type: "ESModule", path: "index.js", contents: `export default { fetch: () => new Response("hello") };` },
        ],
        unsafeDirectSockets: [{ host: HOST, port }],
      },
    ],
  }),
);
await empty.ready;
const [of_empty] = workerdsOf();
const network = await startNetwork({ data_dir });
try {
  const { url, secrets } = network;
  const of_site = workerdsOf().find(({ pid }) => pid !== of_empty?.pid);

  const visitor = { "accept-encoding": "br" };
  const json = { "content-type": "application/json" };
  const signIn = (link_id: string) =>
    ask(
      `${url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=${secrets.IDENTITY_API_KEY}`,
      json,
      "POST",
      JSON.stringify({ email: demoEmail(link_id), password: DEMO_PASSWORD, returnSecureToken: true }),
    );
  const memberOf = async (link_id: string) => {
    const cookies = await mintSessionCookies(network, { email: demoEmail(link_id), password: DEMO_PASSWORD });
    const { idToken } = JSON.parse((await signIn(link_id)).body) as { idToken: string };
    const cookie = Object.entries(cookies).map((pair) => pair.join("="));
    return {
      pages: { ...visitor, cookie: cookie.join("; ") },
      calls: { ...json, authorization: `Bearer ${idToken}` },
    };
  };
  const [fan, creator] = await Promise.all([memberOf("fan_hana"), memberOf(CREATOR)]);
  const page = (await ask(`${url}/${CREATOR}`)).body;
  const post = /href="(\/natsume\/events\/\w{26})"/.exec(page)?.[1] ?? "";
  const files = [...page.matchAll(/(?:src|content)="(?:https?:\/\/[^/"]+)?(\/(?:media|share)[^"]+)"/g)].map(
    ([, path = ""]) => path.replaceAll("&amp;", "&"),
  );

  const draft_id = newId(Date.now());
  let revision = 0;
  let is_liked = true;
  /** The kinds of requests, each with its share. Two of a hundred write, and one signs in. */
  const kinds: { share: number; send: (n: number) => Promise<Answer> }[] = [
    { share: 40, send: (n) => ask(url + (["/", `/${CREATOR}`, post, "/news"][n % 4] ?? ""), visitor) },
    // A page that is not shared between visitors is rendered.
    { share: 10, send: (n) => ask(`${url}/${CREATOR}`, { ...visitor, cookie: `bench=${n}` }) },
    {
      share: 5,
      send: (n) => ask(`${url}/search?keyword=${encodeURIComponent("あいうえおかきく"[n % 8] ?? "")}`, visitor),
    },
    { share: 10, send: (n) => ask(url + (files[n % files.length] ?? "/"), visitor) },
    {
      share: 18,
      send: (n) => ask(url + (["/", `/${CREATOR}`, post, `${post}.data`, "/my/notifications"][n % 5] ?? ""), fan.pages),
    },
    { share: 10, send: (n) => ask(url + (["/my/box", "/my/posts", "/my/stats", "/"][n % 4] ?? ""), creator.pages) },
    { share: 4, send: () => ask(`${url}/v4/relationships/events`, fan.calls) },
    { share: 1, send: () => signIn(CREATOR) },
    {
      share: 2,
      send: async (n) => {
        if (n % 2 === 0) {
          is_liked = !is_liked;
          return ask(
            `${url}${post.replace(/^\/natsume/, "/v4")}/like`,
            fan.calls,
            "POST",
            JSON.stringify({ is_liked }),
          );
        }
        const fields = { title: `${n}`, body: "書きかけの文章。".repeat(200) };
        const body = JSON.stringify({ kind: "blog", fields, revision });
        const answer = await ask(`${url}/v4/event_drafts/${draft_id}`, creator.calls, "PUT", body);
        if (answer.status === 200) revision += 1;
        return answer;
      },
    },
  ];
  const deck = kinds.flatMap(({ share, send }) => Array.from({ length: share }, () => send));
  const refused = new Map<number, number>();
  let sent = 0;
  const end_ms = Date.now() + MINUTES * 60_000;
  async function sendUntilEnd(): Promise<void> {
    while (Date.now() < end_ms) {
      const n = sent++;
      // A step that has no divisor with 100 mixes the kinds.
      const answer = await (deck[(n * 37) % deck.length] as (typeof deck)[number])(n);
      if (answer.status >= 400) refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1);
      await ask(`http://localhost:${port}/`);
    }
  }
  const rows: Record<string, { requests: number; site_mb: number; empty_mb: number }> = {};
  const sample = (minute: number) => {
    rows[`${minute} min`] = { requests: sent, site_mb: memoryMb(of_site?.pid), empty_mb: memoryMb(of_empty?.pid) };
    console.log(`${minute} min`, rows[`${minute} min`]);
  };
  sample(0);
  let minute = 0;
  const sampling = setInterval(() => sample(++minute), 60_000);
  await Promise.all(Array.from({ length: AT_ONCE }, sendUntilEnd));
  clearInterval(sampling);
  console.table(rows);
  if (refused.size > 0) console.log("answers that were no success, by status:", Object.fromEntries(refused));
  const result = atMost(`MB of workerd after ${MINUTES} minutes`, memoryMb(of_site?.pid), MOST_MB);
  console.log(`${result.name}: ${result.value} (${result.target})`);
  if (!result.is_met) process.exitCode = 1;
} finally {
  agent.destroy();
  await Promise.all([network.stop(), empty.dispose()]);
  rmSync(data_dir, { recursive: true, force: true });
}
