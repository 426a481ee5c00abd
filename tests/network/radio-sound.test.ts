import { expect, test } from "vitest";
import type { Ingest, Sources } from "../../workers/contract/live-engine.ts";
import { encodeChunk } from "../../workers/contract/sound-chunks.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { signIngest, signPlayback } from "../../workers/radio/tokens.ts";
import { connectSender, madeChunk } from "../radio/sender.ts";
import { network } from "../support/network.ts";

/** The sound of radio through the whole network: edge, web worker, radio worker. tests/radio tests the rest. */

/** Opens a radio as the product API does, with the tokens that the boundary makes. */
async function goOnAir(): Promise<{
  ingest: Pick<Ingest, "path" | "epoch">;
  sources: Pick<Sources, "hls" | "progressive">;
}> {
  const { miniflare, secrets } = await network();
  const radio_id = newId(Date.now());
  const objects = (await miniflare.getDurableObjectNamespace("RADIO_SOUND", "ofuse-radio")) as unknown as {
    get(id: unknown): { open(radio_id: string): Promise<number> };
    idFromName(name: string): unknown;
  };
  const epoch = await objects.get(objects.idFromName(radio_id)).open(radio_id);
  const signing = { key: secrets.RADIO_KEY, now_ms: Date.now() };
  const [sending, listening] = await Promise.all([
    signIngest({ radio_id, epoch }, 600_000, signing),
    signPlayback({ radio_id, listener: "fan" }, 600_000, signing),
  ]);
  return {
    ingest: { path: `/media/live/${sending}/ingest`, epoch },
    sources: { hls: `/media/live/${listening}/aac.m3u8`, progressive: `/media/live/${listening}/live.aac` },
  };
}

test("reaches a listener from a broadcaster's socket and from PUT", async () => {
  const { url } = await network();
  const { ingest, sources } = await goOnAir();
  const stream = await fetch(url + sources.progressive, { headers: { range: "bytes=0-" } });
  expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "audio/aac"]);
  const sender = await connectSender(url + ingest.path);
  await sender.deliver(...[0, 1, 2, 3].map((seq) => madeChunk("aac", ingest.epoch, seq)));
  const body = encodeChunk(madeChunk("aac", ingest.epoch, 4));
  expect((await fetch(url + ingest.path, { method: "PUT", body })).status).toBe(200);
  sender.close();
  const playlist = await (await fetch(url + sources.hls)).text();
  expect(playlist).toContain("aac/3.m4s");
  const segment = await fetch(new URL("aac/3.m4s", url + sources.hls));
  expect([segment.status, segment.headers.get("cache-control")]).toEqual([200, "public, max-age=3600, immutable"]);
  await segment.body?.cancel();
  const first = await stream.body?.getReader().read();
  expect(
    Buffer.from(first?.value ?? [])
      .toString("hex")
      .slice(0, 4),
  ).toBe("fff1");
});

test("answers an address without a valid token as if it did not exist", async () => {
  const { url } = await network();
  const answer = await fetch(`${url}/media/live/a.b.c/aac.m3u8`);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([404, "private, no-store"]);
});
