import { afterAll, beforeAll, expect, test } from "vitest";
import { api, type Network, openBrowserAs, startTestNetwork } from "../support/network.ts";
import { waitUntil } from "../support/wait.ts";

const METRICS_KEY = "metrics-key-of-the-tests-0000000000001";
let network: Network;
const lines: string[] = [];
const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  network = await startTestNetwork({ METRICS_KEY }, { onLog: (line) => lines.push(line) });
});
afterAll(() => network.stop());

const readMetrics = (authorization?: string) =>
  api("GET", "/api/metrics", { network, headers: authorization === undefined ? {} : { authorization } });

test("the site is alive and ready", async () => {
  const alive = await api("GET", "/api/health", { network });
  expect([alive.status, alive.json, alive.headers.get("cache-control")]).toEqual([
    200,
    { status: "alive" },
    "no-store",
  ]);
  const checks = { database: "ok", search: "ok", media: "ok", identity: "ok", mails: "ok", radio: "ok" };
  // Each has two seconds, which the first query may take on a busy machine.
  await waitUntil(async () => {
    const ready = await api("GET", "/api/health/ready", { network });
    expect([ready.status, ready.json]).toEqual([200, { status: "ready", checks }]);
  });
});

test.each([undefined, "Bearer wrong", `Bearer ${METRICS_KEY.slice(0, -1)}`, METRICS_KEY, `bearer ${METRICS_KEY}x`])(
  "the metrics answer like an unknown address to %s",
  async (authorization) => {
    const headers = authorization === undefined ? undefined : { authorization };
    const shown = ({ status, headers: answered, json }: Awaited<ReturnType<typeof api>>) => {
      const names = [...answered].filter(([name]) => !/^(date|x-request-id|content-length)$/.test(name));
      return { status, names, json: { ...(json as object), request_id: "" } };
    };
    const unknown = await api("GET", "/api/unknown", { network, headers });
    expect(unknown.status).toBe(404);
    expect(shown(await readMetrics(authorization))).toEqual(shown(unknown));
  },
);

/** Reads the metrics when every worker has answered within its seconds. */
const readAllMetrics = () =>
  waitUntil(async () => {
    const read = await readMetrics(`Bearer ${METRICS_KEY}`);
    expect(read.text.match(/^ofuse_worker_up\{worker="\w+"\} 1$/gm)).toHaveLength(4);
    return read;
  });

const NAME = /[a-z_]+/.source;
const SAMPLE = new RegExp(`^${NAME}(\\{${NAME}="[^"\\n]*"(,${NAME}="[^"\\n]*")*\\})? [0-9.e+-]+$`);
const COMMENT = new RegExp(`^# ((TYPE|UNIT) ${NAME} ${NAME}|HELP ${NAME} .+)$`);

test("the metrics are OpenMetrics, by pattern of the route, and hold no id", async () => {
  const { json } = await api("GET", "/v4/users?link_id=natsume", { network });
  const { user_id } = (json as { user: { user_id: string } }).user;
  await api("GET", "/natsume", { network });
  await api("GET", `/v4/users/${user_id}/events?page_size=1`, { network });
  const { status, headers, text } = await readAllMetrics();
  expect([status, headers.get("content-type")]).toEqual([
    200,
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  ]);
  const [end, ...before] = text.trimEnd().split("\n").reverse();
  expect(end).toBe("# EOF");
  expect(before.filter((line) => !SAMPLE.test(line) && !COMMENT.test(line))).toEqual([]);
  expect(text).toContain('ofuse_requests_total{worker="web",route="/:link_id",status="2xx"} 1\n');
  const called = '{worker="api",route="/v4/users/{user_id}/events"';
  expect(text).toContain(`ofuse_requests_total${called},status="2xx"} 1\n`);
  expect(text).toContain(`ofuse_request_duration_seconds_bucket${called},le="+Inf"} 1\n`);
  expect(text).toContain("\nofuse_ledger_difference_yen 0\n");
  expect(text).toContain('\nofuse_worker_up{worker="mails"} 1\n');
  expect(text).not.toMatch(/natsume|[0-9a-hjkmnp-tv-z]{26}/);
});

test("the metrics tell of each clock when each of its steps last ended", async () => {
  const workers = ["api", "identity", "mails"];
  for (const worker of workers) {
    const outcome = await network.fireClock(`ofuse-${worker}`);
    expect([worker, outcome]).toEqual([worker, "ok"]);
  }
  const { text } = await readAllMetrics();
  const stepsOf = (worker: string) =>
    [...text.matchAll(new RegExp(`^ofuse_clock_step_failed\\{worker="${worker}",step="(\\w+)"\\} 0$`, "gm"))].map(
      ([, step]) => step,
    );
  expect(stepsOf("api").length).toBeGreaterThan(10);
  expect(stepsOf("identity")).toEqual([
    "handOverMails",
    "mendMoments",
    "notifyOfSignOuts",
    "purgeExpired",
    "rotateSigningKeys",
  ]);
  expect(stepsOf("mails")).toEqual(["deliverDue", "forgetContents", "forgetWords", "mendMoments"]);
});

test("each request is one line, which names its route and nobody", async () => {
  const member = await openBrowserAs("fan_hana", network);
  const page = await member.get("/natsume/ofuse?to=somebody%40mail.example");
  const request_id = page.headers.get("x-request-id");
  expect(page.headers.get("x-route")).toBeNull();
  const own = () => logged().filter((line) => line.request_id === request_id && line.message === "request");
  await waitUntil(() => expect(own().map(({ worker }) => worker)).toContain("web"));
  const [line] = own().filter(({ worker }) => worker === "web");
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "info",
    worker: "web",
    message: "request",
    request_id,
    method: "GET",
    route: "/:link_id/ofuse",
    status: 200,
    took_ms: expect.any(Number),
  });
  // The API's line has the same id, and the pattern of the operation.
  await waitUntil(() => expect(own().map(({ route }) => route)).toContain("/v4/batch"));
  expect(lines.join("\n")).not.toMatch(/natsume|fan_hana|somebody/);
  expect(logged().filter(({ time, level, worker }) => !time || !level || !worker)).toEqual([]);
});
