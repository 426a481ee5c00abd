import { expect, test, vi } from "vitest";
import { EdgeStates } from "../../workers/web/edge-state.ts";
import { Maintenance } from "../../workers/web/maintenance.ts";
import { stopClock } from "../support/stopped-clock.ts";

const connectionTo = (fetch: () => Promise<Response>) => () => ({
  transport: { origin: "http://api.internal", request_id: "request-0001", fetch },
  waitUntil: () => {},
});
const maintenance = { started_at: null, finished_at: null };
const withVersion = (version: string) => connectionTo(async () => Response.json({ version, maintenance }));
const up = withVersion("site.1");
const down = connectionTo(() => Promise.reject(new Error("down")));

test("the sitemap's version is the hour, and any hour's copy is accepted when the API is down", async () => {
  expect((await new EdgeStates(new Maintenance()).of("/sitemap.xml", up)).version).toMatch(/^hour\.\d+$/);
  expect(await new EdgeStates(new Maintenance()).of("/sitemap.xml", down)).toMatchObject({
    version: null,
    is_current: false,
  });
});

test("a version is cached for a while, for all pages of its creator", async () => {
  stopClock();
  const states = new EdgeStates(new Maintenance());
  expect(await states.of("/natsume", up)).toMatchObject({ version: "site.1", is_current: true });
  vi.setSystemTime(Date.now() + 999);
  expect(await states.of("/natsume/about", down)).toMatchObject({ version: "site.1", is_current: true });
});

test("after a pause no request uses the old version while another request asks", async () => {
  stopClock();
  const states = new EdgeStates(new Maintenance());
  await states.of("/natsume", up);
  vi.setSystemTime(Date.now() + 3 * 60 * 60 * 1000);
  const both = await Promise.all([1, 2].map(() => states.of("/natsume", withVersion("site.2"))));
  expect(both).toMatchObject([{ version: "site.2" }, { version: "site.2" }]);
});

test("without the API, a worker uses the version that any worker here learnt last", async () => {
  stopClock();
  const later: Promise<unknown>[] = [];
  const keeping = (version: string) => () => ({
    ...withVersion(version)(),
    waitUntil: (work: Promise<unknown>) => void later.push(work),
  });
  const [early, late] = [new EdgeStates(new Maintenance()), new EdgeStates(new Maintenance())];
  await early.of("/hibiki", keeping("site.1"));
  vi.setSystemTime(Date.now() + 10_000);
  await late.of("/hibiki", keeping("site.2"));
  await Promise.all(later);
  vi.setSystemTime(Date.now() + 10_000);
  expect(await early.of("/hibiki", down)).toMatchObject({ version: "site.2", is_current: false });
});
