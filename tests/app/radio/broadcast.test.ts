import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Broadcast, startBroadcast } from "../../../app/radio/broadcast.ts";

/** The microphones and screen locks that the page has opened. Each waits until the test hands it over. */
interface Opened {
  device_id: string | undefined;
  is_live: boolean;
  handOver(): void;
}
let microphones: Opened[] = [];
let locks: Opened[] = [];
const liveOf = (opened: readonly Opened[]) => opened.filter(({ is_live }) => is_live);
const settle = () => new Promise(setImmediate);

/** Adds to `list` what a promise brings when the test calls `handOver`. */
function openLater<Handed>(list: Opened[], device_id: string | undefined, toHanded: (stop: () => void) => Handed) {
  return new Promise<Handed>((resolve) => {
    const opened: Opened = {
      device_id,
      is_live: false,
      handOver() {
        opened.is_live = true;
        resolve(
          toHanded(() => {
            opened.is_live = false;
          }),
        );
      },
    };
    list.push(opened);
  });
}

const addTrack = (stop: () => void) => {
  const track = { stop, addEventListener() {}, removeEventListener() {}, getSettings: () => ({}) };
  return { getTracks: () => [track], getAudioTracks: () => [track] };
};

class FakeNode {
  port = { onmessage: null };
  connect = () => this;
}
class FakeContext {
  sampleRate = 48_000;
  audioWorklet = { addModule: async () => {} };
  createMediaStreamSource = () => new FakeNode();
  resume = async () => {};
  close = async () => {};
}
class FakeEncoder {
  static isConfigSupported = async () => ({ supported: true });
  state = "unconfigured";
  configure() {}
  close() {}
}
class FakeSocket {
  send() {}
  close() {}
}

let page: EventTarget;
beforeEach(() => {
  microphones = [];
  locks = [];
  page = new EventTarget();
  vi.stubGlobal("navigator", {
    mediaDevices: {
      getUserMedia: ({ audio }: { audio: { deviceId?: { ideal: string } } }) =>
        openLater(microphones, audio.deviceId?.ideal, addTrack),
    },
    wakeLock: {
      request: () => openLater(locks, undefined, (stop) => ({ release: async () => stop() })),
    },
  });
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
  vi.stubGlobal("location", new URL("https://ofuse.example/my/radio/x"));
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  vi.stubGlobal("AudioContext", FakeContext);
  vi.stubGlobal("AudioWorkletNode", FakeNode);
  vi.stubGlobal("AudioEncoder", FakeEncoder);
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function goOnAir(): Promise<Broadcast> {
  const starting = startBroadcast({
    openIngest: async () => ({ path: "/media/live/token/ingest", epoch: 1 }),
    microphone: { device_id: null, keeps_background: false },
    onState() {},
    onLevel() {},
    onTracks() {},
  });
  await settle();
  microphones[0]?.handOver();
  return starting;
}

const choose = (broadcast: Broadcast, device_id: string) =>
  broadcast.changeMicrophone({ device_id, keeps_background: false });

test("changes that overlap leave the last microphone open alone, and the end closes it", async () => {
  const broadcast = await goOnAir();
  const changes = [choose(broadcast, "first")];
  await settle();
  changes.push(choose(broadcast, "second"), choose(broadcast, "third"));
  await settle();
  expect(microphones.map(({ device_id }) => device_id)).toEqual([undefined, "first"]);
  microphones[1]?.handOver();
  await settle();
  expect(microphones.map(({ device_id }) => device_id)).toEqual([undefined, "first", "third"]);
  expect(liveOf(microphones)).toEqual([]);
  microphones[2]?.handOver();
  await Promise.all(changes);
  expect(liveOf(microphones)).toEqual([microphones[2]]);
  void broadcast.end();
  expect(liveOf(microphones)).toEqual([]);
});

test("a broadcast that ends while its microphone is being changed leaves none open, and opens no other", async () => {
  const broadcast = await goOnAir();
  const changes = [choose(broadcast, "first")];
  await settle();
  changes.push(choose(broadcast, "second"));
  void broadcast.end();
  microphones[1]?.handOver();
  await Promise.all(changes);
  expect(microphones).toHaveLength(2);
  expect(liveOf(microphones)).toEqual([]);
});

test("locks of the screen that were asked for at the same moment are released at the end", async () => {
  const broadcast = await goOnAir();
  page.dispatchEvent(new Event("online"));
  for (const lock of locks) lock.handOver();
  await settle();
  expect(locks).toHaveLength(2);
  expect(liveOf(locks)).toHaveLength(1);
  void broadcast.end();
  await settle();
  expect(liveOf(locks)).toEqual([]);
});
