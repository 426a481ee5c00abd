import { expect, test } from "vitest";
import { EdgeStates } from "../../workers/web/edge-state.ts";
import { Maintenance } from "../../workers/web/maintenance.ts";

const connectionTo = (fetch: () => Promise<Response>) => () => ({
  transport: { origin: "http://api.internal", request_id: "request-0001", fetch },
  waitUntil: () => {},
});
const maintenance = { started_at: null, finished_at: null };
const up = connectionTo(async () => Response.json({ version: "site.1", maintenance }));
const down = connectionTo(() => Promise.reject(new Error("down")));

test("the sitemap's version is the hour, and any hour's copy is accepted when the API is down", async () => {
  expect((await new EdgeStates(new Maintenance()).of("/sitemap.xml", up)).version).toMatch(/^hour\.\d+$/);
  expect(await new EdgeStates(new Maintenance()).of("/sitemap.xml", down)).toMatchObject({
    version: null,
    is_current: false,
  });
});

test("a version is cached for a while, for all pages of its creator", async () => {
  const states = new EdgeStates(new Maintenance());
  expect(await states.of("/natsume", up)).toMatchObject({ version: "site.1", is_current: true });
  expect(await states.of("/natsume/about", down)).toMatchObject({ version: "site.1", is_current: true });
});
