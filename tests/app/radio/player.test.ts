import { describe, expect, test, vi } from "vitest";
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
    expect(playlist).toEqual({
      init: "/media/live/a.b.c/opus/init.mp4",
      segment_s: 2,
      is_ended: false,
      segments: [40, 41, 42].map((number) => ({
        number,
        address: `/media/live/a.b.c/opus/${number}.m4s`,
        start_s: number * 2,
      })),
    });
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

/** A feed of a radio whose playlist and failures the test controls. */
function newFeed(text: string) {
  const radio = { text, failing: "" };
  const appended: string[] = [];
  const starts: number[] = [];
  const feed = new LiveFeed({
    playlist: ADDRESS,
    load: async (address) => {
      if (radio.failing && address.includes(radio.failing)) throw new LoadFailure(503);
      return new TextEncoder().encode(address === ADDRESS ? radio.text : address).buffer;
    },
    append: async (bytes) => {
      appended.push(new TextDecoder().decode(bytes).replace("/media/live/a.b.c/opus/", ""));
    },
    onStart: (start_s) => starts.push(start_s),
  });
  return { radio, feed, appended, starts };
}

describe("the feed of a player", () => {
  test("begins two segments before the end, after the initialization", async () => {
    const { feed, appended, starts } = newFeed(playlistOf(10, 20));
    expect(await feed.advance()).toEqual({ appended: 2, is_ended: false });
    expect(starts).toEqual([36]);
    expect(appended).toEqual(["init.mp4", "18.m4s", "19.m4s"]);
    expect(feed.edge_s).toBe(40);
  });

  test("begins three segments before the end on a slow network", async () => {
    const { feed, starts } = newFeed(playlistOf(10, 20));
    let now_ms = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now_ms += 800;
      return now_ms;
    });
    expect(await feed.advance()).toEqual({ appended: 3, is_ended: false });
    expect(starts).toEqual([34]);
    clock.mockRestore();
  });

  test("appends each new segment once", async () => {
    const { radio, feed, appended } = newFeed(playlistOf(0, 2));
    await feed.advance();
    expect(await feed.advance()).toEqual({ appended: 0, is_ended: false });
    radio.text = playlistOf(0, 4, true);
    expect(await feed.advance()).toEqual({ appended: 2, is_ended: true });
    expect(appended.slice(1)).toEqual([0, 1, 2, 3].map((number) => `${number}.m4s`));
  });

  test("goes on with the same segment after an error", async () => {
    const { radio, feed, appended } = newFeed(playlistOf(0, 2));
    await feed.advance();
    radio.text = playlistOf(0, 6);
    radio.failing = "/4.m4s";
    await expect(feed.advance()).rejects.toThrow(LoadFailure);
    radio.failing = "";
    expect(await feed.advance()).toEqual({ appended: 2, is_ended: false });
    expect(appended.slice(1)).toEqual([0, 1, 2, 3, 4, 5].map((number) => `${number}.m4s`));
  });

  test("plays from its first segment although a later one failed", async () => {
    const { radio, feed, starts } = newFeed(playlistOf(0, 2));
    radio.failing = "/1.m4s";
    await expect(feed.advance()).rejects.toThrow(LoadFailure);
    radio.failing = "";
    await feed.advance();
    expect(starts).toEqual([0]);
  });

  test("skips to the present when its next segment has left the playlist", async () => {
    const { radio, feed, appended, starts } = newFeed(playlistOf(0, 2));
    await feed.advance();
    radio.text = playlistOf(50, 60);
    expect(await feed.advance()).toEqual({ appended: 2, is_ended: false });
    expect(starts).toEqual([0, 116]);
    expect(appended.slice(-2)).toEqual(["58.m4s", "59.m4s"]);
  });

  test("skips to the present on demand", async () => {
    const { radio, feed, starts } = newFeed(playlistOf(0, 2));
    await feed.advance();
    radio.text = playlistOf(0, 10);
    feed.skipToLive();
    await feed.advance();
    expect(starts).toEqual([0, 16]);
  });

  test("takes no page of another network for a playlist", async () => {
    const { feed, appended } = newFeed("<!doctype html>");
    await expect(feed.advance()).rejects.toThrow(LoadFailure);
    expect(appended).toEqual([]);
  });
});

describe("the speed of a player", () => {
  test.each([
    [1, 0, 0, { kind: "play", rate: 1 }],
    [4, 0, 0, { kind: "play", rate: 1 }],
    [4.1, 0, 0, { kind: "play", rate: 1.05 }],
    [15, 0, 0, { kind: "play", rate: 1.05 }],
    [15.1, 0, 0, { kind: "skip" }],
    [5.9, 2, 0, { kind: "play", rate: 1 }],
    [6.1, 2, 0, { kind: "play", rate: 1.05 }],
    [6.9, 0, 3, { kind: "play", rate: 1 }],
    [7.1, 0, 3, { kind: "play", rate: 1.05 }],
    [8.1, 100, 0, { kind: "play", rate: 1.05 }],
  ] as const)("%d s behind, after %d interruptions and %d s of loading", (behind_s, interruptions, load_s, move) => {
    expect(nextMove(behind_s, interruptions, load_s)).toEqual(move);
  });

  test("settles at four seconds behind the newest segment, and does not run dry", () => {
    const step_s = 0.1;
    let position_s = 0;
    let [most_s, least_s] = [0, Number.POSITIVE_INFINITY];
    for (let step = 0; step < 3000; step++) {
      // A segment of two seconds arrives every two seconds. The player began six seconds behind.
      const edge_s = 6 + 2 * Math.floor((step * step_s) / 2);
      const behind_s = edge_s - position_s;
      const move = nextMove(behind_s, 0, 0);
      position_s += step_s * (move.kind === "play" ? move.rate : 0);
      if (step < 2000) continue;
      [most_s, least_s] = [Math.max(most_s, behind_s), Math.min(least_s, behind_s)];
    }
    expect(most_s).toBeLessThan(4.2);
    expect(least_s).toBeGreaterThan(1.5);
  });
});

test("a listener reads how far behind the sound is", () => {
  expect(listeningWords({ kind: "playing", latency_s: 3 })).toBe("放送中（約3秒遅れ）");
  expect(listeningWords({ kind: "reconnecting" })).toBe("接続し直しています…");
});
