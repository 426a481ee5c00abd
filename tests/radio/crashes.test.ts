import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type CuttableNetwork,
  compareRecording,
  NumberedBroadcast,
  openNetwork,
  randomNumbers,
  readPacketName,
} from "../../scripts/faults/broadcast.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { waitUntil } from "../support/wait.ts";
import { readSamples } from "./boxes.ts";
import { type RunningRadio, startRadio } from "./support.ts";

/**
 * Kills workerd and cuts the network at moments that a seed decides, while the page's own sender sends numbered packets.
 * `npm run test:sound-faults` does the same for minutes, and kills the runner too.
 */

const SEED = Number(process.env.SOUND_FAULT_SEED || 20261123);
/** Together less than the 30 seconds of sound that a radio takes at once. */
const CHUNKS_OF_A_PAGE = 26;
const CHUNK_MS = 30;
const PATIENCE_MS = 60_000;

let radio: RunningRadio;
let network: CuttableNetwork;
beforeAll(async () => {
  radio = await startRadio();
  network = await openNetwork(() => radio.url("/"));
});
afterAll(async () => {
  network.close();
  await radio.stop();
});

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

async function openPage(radio_id: string): Promise<NumberedBroadcast> {
  const ingest = await waitUntil(() => radio.engine.open({ radio_id }));
  if (!ingest) throw new Error("the radio is finished");
  return new NumberedBroadcast(network.origin, ingest);
}

test(`records every packet that was acknowledged, in order, whatever is killed meanwhile (seed ${SEED})`, async () => {
  const draw = randomNumbers(SEED);
  const radio_id = newId(Date.now());
  const faults = {
    kill: () => radio.kill(),
    async drop() {
      network.cut();
      await pause(200 + draw() * 800);
      network.mend();
    },
    reset: async () => network.reset(),
  };
  const pages: NumberedBroadcast[] = [];
  for (const plan of [
    ["kill", "drop", "kill"],
    ["reset", "kill"],
  ] as const) {
    const page = await openPage(radio_id);
    pages.push(page);
    const moments = plan.map((fault) => ({ at: Math.floor(draw() * CHUNKS_OF_A_PAGE), fault }));
    moments.sort((one, other) => one.at - other.at);
    let failing: Promise<unknown> = Promise.resolve();
    while (page.chunks < CHUNKS_OF_A_PAGE) {
      for (const { fault } of moments.filter(({ at }) => at === page.chunks)) failing = failing.then(faults[fault]);
      page.speak();
      if (draw() < 0.05) page.jump(draw() * 7_200_000 - 3_600_000);
      await pause(draw() * 2 * CHUNK_MS);
    }
    await failing;
    expect(await page.drain(PATIENCE_MS), "chunks that were not acknowledged").toBe(0);
  }

  const of_pages = pages.map((page) => page.listPackets());
  const [first, second] = pages as [NumberedBroadcast, NumberedBroadcast];
  await waitUntil(() => {
    // A page that sends by PUT learns from the next answer that it is superseded. What it says now is not recorded.
    first.speak();
    expect(first.ended).toBe("superseded");
  });
  second.end();
  await radio.engine.finish({ radio_id });
  await radio.kill();
  const key = await waitUntil(async () => {
    const { recording } = await radio.engine.finish({ radio_id });
    expect(recording).not.toBeNull();
    return recording?.key ?? "";
  });
  const file = await radio.readObject(key);
  const recorded = readSamples(file ?? new Uint8Array()).map(readPacketName);
  const packets = recorded.filter((name) => name !== null);
  expect(compareRecording(packets, of_pages)).toEqual([]);
  expect(packets).toHaveLength(of_pages.flatMap(({ sent }) => sent).length);
});
