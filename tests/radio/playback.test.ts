import { SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ingest, Sources } from "../../workers/contract/live-engine.ts";
import { encodeChunk, TRACK_NAMES, type TrackName } from "../../workers/contract/sound-chunks.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { tracks } from "../../workers/radio/containers/track.ts";
import { signIngest, signPlayback } from "../../workers/radio/tokens.ts";
import { waitUntil } from "../support/wait.ts";
import { hexOf, readAdts, readBoxes, readFragment } from "./boxes.ts";
import { madeChunk } from "./sender.ts";
import { RADIO_KEY, type RunningRadio, startRadio } from "./support.ts";

let radio: RunningRadio;
beforeAll(async () => {
  radio = await startRadio();
});
afterAll(() => radio.stop());

interface OnAir {
  radio_id: string;
  ingest: Ingest;
  sources: Sources;
}

async function goOnAir(): Promise<OnAir> {
  const radio_id = newId(Date.now());
  const ingest = await radio.engine.open({ radio_id });
  if (!ingest) throw new Error("the radio is finished");
  return { radio_id, ingest, sources: await radio.engine.playback({ radio_id }, { viewer_id: "fan" }) };
}

/** Sends the chunks with these numbers. */
async function sendChunks({ ingest }: OnAir, track: TrackName, from: number, to: number): Promise<Uint8Array[]> {
  const chunks = Array.from({ length: to - from }, (_, index) => madeChunk(track, ingest.epoch, from + index));
  const body = Buffer.concat(chunks.map(encodeChunk));
  const { status } = await radio.fetch(ingest.path, { method: "PUT", body });
  expect(status).toBe(200);
  return chunks.flatMap(({ packets }) => packets);
}

const playlistOf = (sources: Sources, track: TrackName) => (track === "aac" ? sources.hls : sources.opus.playlist);

/** Returns the segments of a playlist that has segments up to a number, read by its own addresses. */
async function readSegments(sources: Sources, track: TrackName, end: number) {
  const address = playlistOf(sources, track);
  const lines = await waitUntil(async () => {
    const found = (await (await radio.fetch(address)).text()).trimEnd().split("\n");
    expect(found.some((line) => line.endsWith(`/${end - 1}.m4s`))).toBe(true);
    return found;
  });
  const segments = lines.filter((line) => !line.startsWith("#"));
  const base = new URL(address, "http://radio.test");
  return Promise.all(
    segments.map(async (segment) => {
      const response = await radio.fetch(new URL(segment, base).pathname);
      expect({ segment, status: response.status }).toEqual({ segment, status: 200 });
      return readFragment(new Uint8Array(await response.arrayBuffer()));
    }),
  );
}

const isSilent = (track: TrackName, packet: Uint8Array) => Buffer.compare(packet, tracks[track].silence) === 0;

describe("the live output", () => {
  test.each(TRACK_NAMES)("of %s begins with three silent segments, then has every packet in order", async (track) => {
    const on_air = await goOnAir();
    const silent = await readSegments(on_air.sources, track, 3);
    expect(silent).toHaveLength(3);
    expect(silent.flatMap(({ packets }) => packets).every((packet) => isSilent(track, packet))).toBe(true);
    const sent = await sendChunks(on_air, track, 0, 13);
    const segments = await readSegments(on_air.sources, track, 6);
    const { segment_packets, packet_samples } = tracks[track];
    expect(segments.map(({ began_at }) => began_at)).toEqual(
      segments.map((_, number) => number * segment_packets * packet_samples),
    );
    const heard = segments.slice(3).flatMap(({ packets }) => packets);
    expect(hexOf(heard)).toEqual(hexOf(sent.slice(0, heard.length)));
  });

  test("waits for a chunk that is missing, and goes on without it after three seconds", async () => {
    const on_air = await goOnAir();
    const [first, late] = [await sendChunks(on_air, "opus", 0, 1), await sendChunks(on_air, "opus", 2, 8)];
    expect((await readSegments(on_air.sources, "opus", 3)).length).toBe(3);
    await radio.moveClock(3500);
    const heard = (await readSegments(on_air.sources, "opus", 4)).slice(3).flatMap(({ packets }) => packets);
    const sounding = heard.filter((packet) => !isSilent("opus", packet));
    expect(hexOf(sounding)).toEqual(hexOf([...first, ...late].slice(0, sounding.length)));
    expect(sounding.length).toBeGreaterThan(25);
  });

  test("is silent while nothing arrives, for a minute at most, and skips what arrives too late", async () => {
    const on_air = await goOnAir();
    const { sources } = on_air;
    await radio.moveClock(4000);
    const heard = new Set(hexOf(await sendChunks(on_air, "opus", 0, 8)));
    await readSegments(sources, "opus", 7);
    // The broadcaster's page captures, but cannot send for eight seconds.
    await radio.moveClock(8000);
    const during = (await readSegments(sources, "opus", 12)).at(-1);
    expect(during?.packets.every((packet) => isSilent("opus", packet))).toBe(true);
    const backlog = await sendChunks(on_air, "opus", 8, 24);
    const sounds = (await readSegments(sources, "opus", 15))
      .flatMap(({ packets }) => packets.filter((packet) => !isSilent("opus", packet)))
      .filter((packet) => !heard.has(hexOf([packet])[0] as string));
    // The oldest of the backlog is skipped, and the rest follows without a hole.
    const skipped = backlog.findIndex((packet) => Buffer.compare(packet, sounds[0] ?? packet) === 0);
    expect(skipped).toBe(250);
    expect(hexOf(sounds)).toEqual(hexOf(backlog.slice(skipped, skipped + sounds.length)));
    await radio.moveClock(2 * 60_000);
    await waitUntil(async () => {
      const [last = ""] = (await (await radio.fetch(sources.opus.playlist)).text()).match(/\d+(?=\.m4s\n$)/) ?? [];
      // A minute has 60 segments.
      expect(last).toBe("74");
    });
  });

  test("continues with the next epoch, and after workerd was ended", async () => {
    const on_air = await goOnAir();
    const first = await sendChunks(on_air, "opus", 0, 5);
    const reloaded = { ...on_air, ingest: (await radio.engine.open(on_air)) ?? on_air.ingest };
    const second = await sendChunks(reloaded, "opus", 0, 2);
    await radio.restart();
    const third = await sendChunks(reloaded, "opus", 2, 6);
    const heard = (await readSegments(on_air.sources, "opus", 5)).slice(3).flatMap(({ packets }) => packets);
    const sounding = heard.filter((packet) => !isSilent("opus", packet));
    expect(hexOf(sounding)).toEqual(hexOf([...first, ...second, ...third].slice(0, sounding.length)));
    expect(sounding.length).toBeGreaterThan(150);
  });

  test("ends with the last words, and stays for two minutes", async () => {
    const on_air = await goOnAir();
    const { radio_id, sources } = on_air;
    const sent = await sendChunks(on_air, "aac", 0, 6);
    await radio.engine.finish(on_air);
    await radio.control(radio_id, "runAlarm");
    const heard = (await readSegments(sources, "aac", 5)).slice(3).flatMap(({ packets }) => packets);
    expect(hexOf(heard.filter((packet) => !isSilent("aac", packet)))).toEqual(hexOf(sent));
    expect(await (await radio.fetch(sources.hls)).text()).toMatch(/#EXT-X-ENDLIST\n$/);
    expect((await radio.fetch(sources.progressive)).status).toBe(404);
    await radio.moveClock(2 * 60_000);
    await radio.control(radio_id, "runAlarm");
    await waitUntil(async () => expect((await radio.fetch(sources.hls)).status).toBe(404));
  });
});

describe("a segment that does not exist yet", () => {
  const segmentOf = ({ sources }: OnAir, number: number) => sources.opus.playlist.replace(/\.m3u8$/, `/${number}.m4s`);

  test("is answered to everybody who waits for it when it is cut, from one read of the object", async () => {
    const on_air = await goOnAir();
    const answers = Promise.all([3, 3, 3, 4].map((number) => radio.fetch(segmentOf(on_air, number))));
    await waitUntil(async () => expect(await radio.control(on_air.radio_id, "countAwaited")).toBe(2));
    const sent = await sendChunks(on_air, "opus", 0, 4);
    const heard = await Promise.all(
      (await answers).map(async (answer) => readFragment(new Uint8Array(await answer.arrayBuffer())).packets),
    );
    const [third, fourth] = [sent.slice(0, 50), sent.slice(50)];
    expect(heard.map(hexOf)).toEqual([third, third, third, fourth].map(hexOf));
    expect(await radio.control(on_air.radio_id, "countAwaited")).toBe(0);
  });

  test("is answered with silence while nothing arrives, and with nothing when the radio ends", async () => {
    const on_air = await goOnAir();
    const silence = radio.fetch(segmentOf(on_air, 3));
    await waitUntil(async () => expect(await radio.control(on_air.radio_id, "countAwaited")).toBe(1));
    await radio.moveClock(4500);
    const { packets } = readFragment(new Uint8Array(await (await silence).arrayBuffer()));
    expect(packets.every((packet) => isSilent("opus", packet))).toBe(true);
    const next = radio.fetch(segmentOf(on_air, 5));
    await waitUntil(async () => expect(await radio.control(on_air.radio_id, "countAwaited")).toBe(1));
    await radio.engine.finish(on_air);
    expect([(await next).status, (await next).headers.get("cache-control")]).toEqual([204, "no-store"]);
  });
});

describe("what caches may keep", () => {
  test("is the file and not the refusal", async () => {
    const { sources } = await goOnAir();
    const caching = async (path: string) => {
      const response = await radio.fetch(path);
      await response.arrayBuffer();
      return [response.status, response.headers.get("content-type"), response.headers.get("cache-control")];
    };
    const base = playlistOf(sources, "aac").replace(/\.m3u8$/, "");
    expect(await caching(`${base}.m3u8`)).toEqual([200, "application/vnd.apple.mpegurl", "public, max-age=1"]);
    expect(await caching(`${base}/0.m4s`)).toEqual([200, "audio/mp4", "public, max-age=3600, immutable"]);
    // The second answer comes from the cache, and says the same.
    expect(await caching(`${base}/0.m4s`)).toEqual([200, "audio/mp4", "public, max-age=3600, immutable"]);
    expect(await caching(`${base}/init.mp4`)).toEqual([200, "audio/mp4", "public, max-age=86400"]);
    expect(await caching(`${base}/9.m4s`)).toEqual([404, "application/problem+json", "private, no-store"]);
    const head = await radio.fetch(sources.progressive, { method: "HEAD" });
    expect([head.status, head.headers.get("cache-control")]).toEqual([200, "no-store"]);
  });

  test("does not keep that a segment did not exist", async () => {
    const on_air = await goOnAir();
    const segment = on_air.sources.opus.playlist.replace(/\.m3u8$/, "/5.m4s");
    expect((await radio.fetch(segment)).status).toBe(404);
    await sendChunks(on_air, "opus", 0, 6);
    expect((await radio.fetch(segment)).status).toBe(200);
  });
});

describe("the endless stream", () => {
  test("begins at once, and gets each packet as it arrives", async () => {
    const on_air = await goOnAir();
    const response = await radio.fetch(on_air.sources.progressive, { headers: { range: "bytes=0-" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("audio/aac");
    expect(await radio.engine.status(on_air)).toMatchObject({ listeners: 1 });
    const sent = await sendChunks(on_air, "aac", 0, 4);
    const reader = response.body?.getReader();
    let bytes = new Uint8Array();
    let heard: Uint8Array[] = [];
    while (heard.length < sent.length) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended after ${heard.length} packets`);
      bytes = Buffer.concat([bytes, value ?? new Uint8Array()]);
      heard = readAdts(bytes).filter((packet) => !isSilent("aac", packet));
    }
    expect(hexOf(heard)).toEqual(hexOf(sent));
    await reader?.cancel();
  });

  test("answers the two bytes that a player asks for to try it", async () => {
    const { sources } = await goOnAir();
    const headers = { range: "bytes=0-1" };
    const head = await radio.fetch(sources.progressive, { method: "HEAD", headers });
    expect([head.status, head.headers.get("content-range")], "a range is for GET alone").toEqual([200, null]);
    const response = await radio.fetch(sources.progressive, { headers });
    expect(response.headers.get("content-range")).toBe("bytes 0-1/9007199254740000");
    expect(Buffer.from(await response.arrayBuffer()).toString("hex")).toBe("fff1");
  });

  test("drops fifty readers who stall, and counts them no more", async () => {
    const on_air = await goOnAir();
    const { radio_id } = on_air;
    await radio.control(radio_id, "stall", 50);
    expect(await radio.engine.status(on_air)).toMatchObject({ listeners: 50 });
    await radio.moveClock(20_000);
    await sendChunks(on_air, "aac", 0, 60);
    expect(await radio.engine.status(on_air)).toMatchObject({ listeners: 0 });
  });
});

describe("the listeners", () => {
  test("count once each, for thirty seconds after their last request", async () => {
    const { radio_id, sources } = await goOnAir();
    const another = await radio.engine.playback({ radio_id }, { viewer_id: "another fan" });
    const again = await radio.engine.playback({ radio_id }, { viewer_id: "fan" });
    const [visitor, stranger] = await Promise.all([
      radio.engine.playback({ radio_id }, { viewer_id: null }),
      radio.engine.playback({ radio_id }, { viewer_id: null }),
    ]);
    for (const { hls } of [sources, another, again, visitor, stranger]) {
      // Each isolate reports every ten seconds.
      await radio.moveClock(11_000 / 5);
      await radio.fetch(hls);
    }
    await radio.moveClock(11_000);
    await radio.fetch(sources.hls);
    await waitUntil(async () => expect(await radio.engine.status({ radio_id })).toMatchObject({ listeners: 4 }));
    await radio.moveClock(31_000);
    expect(await radio.engine.status({ radio_id })).toMatchObject({ listeners: 0 });
  });
});

describe("a token", () => {
  const HOUR_MS = 60 * 60_000;
  const FILES = [
    "opus.m3u8",
    "aac.m3u8",
    "aac/init.mp4",
    "opus/init.mp4",
    "aac/0.m4s",
    "opus/0.m4s",
    "live.aac",
    "ingest",
  ];

  /** Every file by this token is refused as if it did not exist, without a byte of sound. */
  async function expectRefused(token: string, files = FILES): Promise<void> {
    for (const file of files) {
      const response = await radio.fetch(`/media/live/${token}/${file}`);
      const body = (await response.json()) as { code: string };
      expect([file, response.status, body.code]).toEqual([file, 404, "not_found"]);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
    }
  }

  const tokenOf = (path: string) => path.split("/")[3] ?? "";

  test("that is expired, forged, unsigned or missing opens nothing", async () => {
    const { radio_id, sources } = await goOnAir();
    const grant = { radio_id, listener: "somebody" };
    // The worker's clock is the tests' own.
    const now_ms = Date.parse(sources.expires_at) - 190 * 60_000;
    const now_s = Math.floor(now_ms / 1000);
    const valid = tokenOf(sources.hls);
    const [head = "", , signature = ""] = valid.split(".");
    const payload = Buffer.from(
      JSON.stringify({ sub: radio_id, listener: "x", exp: now_s + 3600, iat: now_s }),
    ).toString("base64url");
    const unsigned = new UnsecuredJWT({ listener: "x" })
      .setSubject(radio_id)
      .setIssuedAt(now_s)
      .setExpirationTime(now_s + 3600);
    const foreign = new SignJWT({ listener: "x" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer("ofuse-radio")
      .setAudience("another-use")
      .setSubject(radio_id)
      .setIssuedAt(now_s)
      .setExpirationTime(now_s + 3600);
    const lasting = new SignJWT({ listener: "x" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer("ofuse-radio")
      .setAudience("radio-playback")
      .setSubject(radio_id)
      .setIssuedAt(now_s);
    const key = new TextEncoder().encode(RADIO_KEY);
    for (const token of [
      await signPlayback(grant, 30_000, { key: RADIO_KEY, now_ms: now_ms - 60_000 }),
      await signPlayback(grant, HOUR_MS, { key: RADIO_KEY.replace("1", "2"), now_ms }),
      `${head}.${payload}.${signature}`,
      valid.slice(0, -1),
      unsigned.encode(),
      await foreign.sign(key),
      await lasting.sign(key),
      "a.b.c",
      "none",
    ]) {
      await expectRefused(token);
    }
    expect((await radio.fetch("/media/live/aac.m3u8")).status).toBe(404);
    // The same grant with the right signature opens the file.
    const signed = await signPlayback(grant, HOUR_MS, { key: RADIO_KEY, now_ms });
    expect((await radio.fetch(`/media/live/${signed}/aac.m3u8`)).status).toBe(200);
  });

  test("expires", async () => {
    const { sources } = await goOnAir();
    await radio.moveClock(191 * 60_000);
    await expectRefused(tokenOf(sources.hls));
  });

  test("to listen does not let send, and one to send does not let listen", async () => {
    const { radio_id, ingest, sources } = await goOnAir();
    await expectRefused(tokenOf(sources.hls), ["ingest"]);
    await expectRefused(tokenOf(ingest.path), FILES.slice(0, -1));
    const chunk = encodeChunk(madeChunk("aac", ingest.epoch, 0));
    const sent = await radio.fetch(sources.hls.replace("aac.m3u8", "ingest"), { method: "PUT", body: chunk });
    expect(sent.status).toBe(404);
    // An epoch that was never given out.
    const ahead = await signIngest({ radio_id, epoch: 99 }, HOUR_MS, {
      key: RADIO_KEY,
      now_ms: Date.parse(ingest.expires_at),
    });
    expect((await radio.fetch(`/media/live/${ahead}/ingest`, { method: "PUT", body: chunk })).status).toBe(404);
  });

  test("is for one radio: another radio's sound is never behind it", async () => {
    const [quiet, loud] = [await goOnAir(), await goOnAir()];
    await sendChunks(loud, "aac", 0, 16);
    expect((await readSegments(loud.sources, "aac", 6)).length).toBeGreaterThan(5);
    expect((await radio.fetch(quiet.sources.hls.replace(".m3u8", "/5.m4s"))).status).toBe(404);
    const silent = await readSegments(quiet.sources, "aac", 3);
    expect(silent.flatMap(({ packets }) => packets).every((packet) => isSilent("aac", packet))).toBe(true);
  });

  test("opens no other method and no other name", async () => {
    const { sources } = await goOnAir();
    expect((await radio.fetch(sources.hls, { method: "POST" })).status).toBe(405);
    for (const name of ["mp3.m3u8", "aac/-1.m4s", "aac/00.m4s", "aac/../opus.m3u8.", "live.mp3", "aac"]) {
      expect((await radio.fetch(sources.hls.replace("aac.m3u8", name))).status).toBe(404);
    }
  });
});

test("the health of the sound is that of the storage of an object, in time", async () => {
  const readHealth = async () => (await radio.fetch("/dependencies")).json();
  // A busy machine may be silent at first.
  await waitUntil(async () => expect(await readHealth()).toEqual({ sound: "ok" }));
  await radio.control("ping", "hang");
  expect(await readHealth()).toEqual({ sound: "silent" });
  await radio.control("ping", "loseTable");
  await waitUntil(async () => expect(await readHealth()).toEqual({ sound: "failed" }));
});

test("the initialization segment is served whole", async () => {
  const { sources } = await goOnAir();
  const response = await radio.fetch(sources.opus.playlist.replace(".m3u8", "/init.mp4"));
  const boxes = readBoxes(new Uint8Array(await response.arrayBuffer()));
  expect(boxes.map(({ type }) => type)).toEqual(["ftyp", "moov"]);
});
