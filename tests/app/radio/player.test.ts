import { afterEach, describe, expect, test, vi } from "vitest";
import { listeningWords } from "../../../app/radio/listening-state.ts";
import { LiveFeed, LoadFailure } from "../../../app/radio/live-feed.ts";
import { nextMove } from "../../../app/radio/live-position.ts";
import { readPlaylist } from "../../../app/radio/playlist.ts";
import { livePlaylist } from "../../../workers/radio/containers/playlist.ts";
import { tracks } from "../../../workers/radio/containers/track.ts";

const ADDRESS = "/media/live/a.b.c/opus.m3u8";
const playlistOf = (first: number, end: number, is_ended = false) =>
  livePlaylist(tracks.opus, { first, end, is_ended });

describe("a playlist of the server", () => {
  test("gives each segment its number, its time and an address with the token", () => {
    const playlist = readPlaylist(playlistOf(40, 43), ADDRESS);
    expect(playlist).toMatchObject({
      init: "/media/live/a.b.c/opus/init.mp4",
      segment_s: 1,
      is_ended: false,
      first: 40,
      end: 43,
    });
    expect(playlist?.addressOf(43)).toBe("/media/live/a.b.c/opus/43.m4s");
  });

  test("says whether the radio has ended", () => {
    expect(readPlaylist(playlistOf(0, 3, true), ADDRESS)?.is_ended).toBe(true);
  });

  test.each([
    ["a page of the station's network", "<!doctype html><title>Wi-Fi</title>"],
    ["an empty answer", ""],
    ["a playlist of playlists", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=32000\nopus.m3u8\n"],
    ["a playlist without segments", "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n"],
  ])("is not %s", (_, text) => {
    expect(readPlaylist(text, ADDRESS)).toBeNull();
  });
});

/** A feed of a radio whose segments and failures the test controls. A segment before `first` is gone, and one at `end` is awaited. */
function newFeed(first: number, end: number) {
  const radio = { first, end, is_ended: false, failing: "", asked: [] as string[] };
  const waiting: (() => void)[] = [];
  const appended: string[] = [];
  const starts: number[] = [];
  const bytesOf = (text: string) => new TextEncoder().encode(text).buffer;
  const feed = new LiveFeed({
    playlist: ADDRESS,
    load: async (address) => {
      const name = address.replace("/media/live/a.b.c/", "");
      radio.asked.push(name);
      if (radio.failing && address.includes(radio.failing)) throw new LoadFailure(503);
      if (address === ADDRESS) return bytesOf(playlistOf(radio.first, radio.end, radio.is_ended));
      const number = Number(/(\d+)\.m4s$/.exec(address)?.[1] ?? radio.first);
      while (number >= radio.end && !radio.is_ended) await new Promise<void>((wake) => waiting.push(wake));
      if (number >= radio.end) return new ArrayBuffer();
      if (number < radio.first) throw new LoadFailure(404);
      return bytesOf(name);
    },
    append: async (bytes) => {
      appended.push(new TextDecoder().decode(bytes).replace("opus/", ""));
    },
    onStart: (start_s) => starts.push(start_s),
  });
  return {
    ...{ radio, feed, appended, starts },
    /** Appends what exists, and nothing that is awaited. */
    async follow() {
      while (Number.parseInt(appended.at(-1) ?? "", 10) + 1 !== radio.end) await feed.advance();
    },
    change(now: Partial<typeof radio>) {
      Object.assign(radio, now);
      for (const wake of waiting.splice(0)) wake();
    },
  };
}

afterEach(() => void vi.restoreAllMocks());

/** A clock that the test moves. */
function stopClock() {
  const clock = { now_ms: 0 };
  vi.spyOn(performance, "now").mockImplementation(() => clock.now_ms);
  return clock;
}

describe("the feed of a player", () => {
  test("begins two segments before the end, after the initialization", async () => {
    const { appended, starts, follow } = newFeed(10, 20);
    await follow();
    expect(starts).toEqual([18]);
    expect(appended).toEqual(["init.mp4", "18.m4s", "19.m4s"]);
  });

  test("begins four segments before the end on a slow network", async () => {
    const { feed, radio, starts } = newFeed(10, 20);
    const clock = stopClock();
    const began = feed.advance();
    clock.now_ms = 800;
    await began;
    expect([starts, feed.network_s]).toEqual([[16], 0.8]);
    // All that exist are loaded together.
    expect(radio.asked.slice(2)).toEqual([16, 17, 18, 19].map((number) => `opus/${number}.m4s`));
  });

  test("asks for two segments before they exist, and reads the playlist once", async () => {
    const { radio, feed, appended, follow, change } = newFeed(0, 2);
    await follow();
    const next = feed.advance();
    await vi.waitFor(() => expect(radio.asked.slice(-2)).toEqual(["opus/2.m4s", "opus/3.m4s"]));
    change({ end: 3 });
    expect(await next).toBe("appended");
    expect(appended.at(-1)).toBe("2.m4s");
    expect(radio.asked.filter((name) => name.endsWith("m3u8"))).toHaveLength(1);
  });

  test("ends behind the last segment", async () => {
    const { radio, feed, appended } = newFeed(0, 3);
    radio.is_ended = true;
    expect([await feed.advance(), await feed.advance(), await feed.advance()]).toEqual([
      "appended",
      "appended",
      "ended",
    ]);
    expect(appended.slice(1)).toEqual(["1.m4s", "2.m4s"]);
  });

  test("tries the same segment again after an error", async () => {
    const { appended, follow, change } = newFeed(0, 2);
    await follow();
    change({ end: 6, failing: "/4.m4s" });
    await expect(follow()).rejects.toThrow(LoadFailure);
    change({ failing: "" });
    await follow();
    expect(appended.slice(1)).toEqual([0, 1, 2, 3, 4, 5].map((number) => `${number}.m4s`));
  });

  test("skips to the present when its next segment is gone", async () => {
    const clock = stopClock();
    const { feed, starts, follow, change } = newFeed(0, 3);
    await follow();
    // A pause of a minute.
    clock.now_ms = 60_000;
    change({ first: 50, end: 60 });
    await follow();
    expect(starts).toEqual([1, 58]);
    expect(feed.live_s).toBe(60);
    clock.now_ms = 60_400;
    expect(feed.live_s).toBe(60.4);
  });

  test("reads the playlist again when a segment does not come", async () => {
    const { feed, follow, change } = newFeed(0, 3);
    await follow();
    const next = feed.advance();
    change({ is_ended: true });
    expect(await next).toBe("missing");
    expect(await feed.advance()).toBe("ended");
  });

  test("skips to the present on demand", async () => {
    const { radio, feed, starts, follow } = newFeed(0, 2);
    await follow();
    radio.end = 10;
    feed.skipToLive();
    await feed.advance();
    expect(starts).toEqual([0, 8]);
  });

  test("takes no page of another network for a playlist", async () => {
    const appended: ArrayBuffer[] = [];
    const feed = new LiveFeed({
      playlist: ADDRESS,
      load: async () => new TextEncoder().encode("<!doctype html>").buffer,
      append: async (bytes) => void appended.push(bytes),
      onStart: () => {},
    });
    await expect(feed.advance()).rejects.toThrow(LoadFailure);
    expect(appended).toEqual([]);
  });
});

describe("the speed of a player", () => {
  test.each([
    [1, 0, 0, { kind: "play", rate: 1 }],
    [2, 0, 0, { kind: "play", rate: 1 }],
    [2.1, 0, 0, { kind: "play", rate: 1.05 }],
    [15, 0, 0, { kind: "play", rate: 1.05 }],
    [15.1, 0, 0, { kind: "skip" }],
    [3.9, 2, 0, { kind: "play", rate: 1 }],
    [4.1, 2, 0, { kind: "play", rate: 1.05 }],
    [4.9, 0, 3, { kind: "play", rate: 1 }],
    [5.1, 0, 3, { kind: "play", rate: 1.05 }],
    [8.1, 100, 0, { kind: "play", rate: 1.05 }],
  ] as const)(
    "%d s behind, after %d interruptions, with a playlist in %d s",
    (behind_s, interruptions, network_s, move) => {
      expect(nextMove(behind_s, interruptions, network_s)).toEqual(move);
    },
  );

  test("settles at two seconds behind the newest sound, and keeps one in store", () => {
    const step_s = 0.1;
    let position_s = 0;
    let behind_s = 0;
    let least_stored_s = Number.POSITIVE_INFINITY;
    for (let step = 0; step < 3000; step++) {
      // A segment of a second arrives every second. The player began four seconds behind.
      const arrived_s = 4 + Math.floor(step * step_s);
      behind_s = 4 + step * step_s - position_s;
      const move = nextMove(behind_s, 0, 0);
      position_s += step_s * (move.kind === "play" ? move.rate : 0);
      if (step >= 2000) least_stored_s = Math.min(least_stored_s, arrived_s - position_s);
    }
    expect(behind_s).toBeCloseTo(2, 1);
    expect(least_stored_s).toBeGreaterThan(0.9);
  });
});

test("a listener reads how far behind the sound is", () => {
  expect(listeningWords({ kind: "playing", latency_s: 3 })).toBe("放送中（約3秒遅れ）");
  expect(listeningWords({ kind: "reconnecting" })).toBe("接続し直しています…");
});
