import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ingest } from "../../workers/contract/live-engine.ts";
import { encodeChunk, INGEST_CLOSED, type PutAnswer, type SoundChunk } from "../../workers/contract/sound-chunks.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { connectSender, madeChunk, madePackets } from "./sender.ts";
import { type RunningRadio, startRadio } from "./support.ts";

let radio: RunningRadio;
beforeAll(async () => {
  radio = await startRadio();
});
afterAll(() => radio.stop());

async function openRadio(radio_id: string): Promise<Ingest> {
  const ingest = await radio.engine.open({ radio_id });
  if (!ingest) throw new Error("the radio is finished");
  return ingest;
}

const connect = (path: string) => connectSender(radio.url(path));
const put = (path: string, ...chunks: SoundChunk[]) =>
  radio.fetch(path, { method: "PUT", body: Buffer.concat(chunks.map(encodeChunk)) });
const countStored = (radio_id: string) => radio.control<number>(radio_id, "countStored");
const keyOf = ({ track, epoch, seq }: SoundChunk) => ({ track, epoch, seq });

describe("a chunk", () => {
  test("is acknowledged when it is stored, and is there after workerd was ended", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openRadio(radio_id);
    const sender = await connect(path);
    expect(sender.messages[0]).toEqual({ type: "hello", epoch, stored: { opus: null, aac: null } });
    await sender.deliver(madeChunk("aac", epoch, 0), madeChunk("aac", epoch, 1), madeChunk("opus", epoch, 0));
    await radio.restart();
    const again = await connect(path);
    expect(again.messages[0]).toEqual({ type: "hello", epoch, stored: { opus: 0, aac: 1 } });
    expect(await countStored(radio_id)).toBe(3);
    again.close();
  });

  test("that is sent again is acknowledged again and stored once", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openRadio(radio_id);
    const chunk = madeChunk("opus", epoch, 0);
    const sender = await connect(path);
    await sender.deliver(chunk);
    sender.close();
    const again = await connect(path);
    await again.deliver(chunk, madeChunk("opus", epoch, 1));
    expect(await countStored(radio_id)).toBe(2);
    again.close();
  });

  test("may be sent by PUT with others, in any order", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openRadio(radio_id);
    const chunks = [2, 0, 3].map((seq) => madeChunk("aac", epoch, seq));
    const answer = await put(path, ...chunks);
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    const { acked, path: renewed } = (await answer.json()) as PutAnswer;
    expect(acked).toEqual(chunks.map(keyOf));
    expect((await put(renewed, madeChunk("aac", epoch, 5))).status).toBe(200);
    const sender = await connect(path);
    // The page must send chunk 1 before it forgets the later ones.
    expect(sender.messages[0]).toMatchObject({ stored: { aac: 0 } });
    sender.close();
  });

  test("of another epoch or without its form closes the socket", async () => {
    for (const wrong of [encodeChunk(madeChunk("aac", 9, 0)), Uint8Array.of(1, 2, 3), "hello"]) {
      const radio_id = newId(Date.now());
      const sender = await connect((await openRadio(radio_id)).path);
      sender.sendBytes(wrong);
      expect(await sender.closed).toBe(INGEST_CLOSED.refused);
      expect(await countStored(radio_id)).toBe(0);
    }
  });
});

describe("a newer epoch", () => {
  test("closes the page of the older one, which cannot return", async () => {
    const radio_id = newId(Date.now());
    const older = await openRadio(radio_id);
    const first = await connect(older.path);
    await first.deliver(madeChunk("aac", older.epoch, 0));
    const newer = await openRadio(radio_id);
    expect(newer.epoch).toBe(older.epoch + 1);
    // Only the connection takes over: a page that was opened and left changes nothing.
    await first.deliver(madeChunk("aac", older.epoch, 1));
    const second = await connect(newer.path);
    expect(await first.closed).toBe(INGEST_CLOSED.superseded);
    await second.deliver(madeChunk("aac", newer.epoch, 0));
    await expect(connect(older.path)).rejects.toThrow("refused");
    expect((await put(older.path, madeChunk("aac", older.epoch, 2))).status).toBe(409);
    expect(await countStored(radio_id)).toBe(3);
    second.close();
  });

  test("also takes over by PUT", async () => {
    const radio_id = newId(Date.now());
    const [older, newer] = [await openRadio(radio_id), await openRadio(radio_id)];
    const first = await connect(older.path);
    expect((await put(newer.path, madeChunk("aac", newer.epoch, 0))).status).toBe(200);
    expect(await first.closed).toBe(INGEST_CLOSED.superseded);
    expect((await put(older.path, madeChunk("aac", older.epoch, 0))).status).toBe(409);
  });

  test("is not begun by a second socket of the same page, which replaces the first", async () => {
    const { path, epoch } = await openRadio(newId(Date.now()));
    const first = await connect(path);
    const second = await connect(path);
    expect(await first.closed).toBe(INGEST_CLOSED.superseded);
    await second.deliver(madeChunk("aac", epoch, 0));
    second.close();
  });
});

describe("the bounds", () => {
  test("refuse more sound than time has passed", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openRadio(radio_id);
    const seconds = Array.from({ length: 40 }, (_, seq) =>
      madeChunk("opus", epoch, seq, { packets: madePackets("opus", 50, seq).map(() => Uint8Array.of(1)) }),
    );
    expect((await put(path, ...seconds.slice(0, 29))).status).toBe(200);
    expect((await put(path, ...seconds)).status).toBe(400);
    expect(await countStored(radio_id)).toBeLessThan(40);
  });

  test("refuse more chunks than a page makes", async () => {
    const { path, epoch } = await openRadio(newId(Date.now()));
    const tiny = Array.from({ length: 400 }, (_, seq) =>
      madeChunk("opus", epoch, seq, { packets: [Uint8Array.of(1)] }),
    );
    expect((await put(path, ...tiny)).status).toBe(400);
  });

  test("refuse a body above one megabyte, and other methods", async () => {
    const { path } = await openRadio(newId(Date.now()));
    const large = await radio.fetch(path, { method: "PUT", body: new Uint8Array(1024 * 1024 + 1) });
    expect(large.status).toBe(413);
    expect((await radio.fetch(path, { method: "POST", body: "x" })).status).toBe(405);
  });
});

describe("the end", () => {
  test("comes five minutes after the last signal", async () => {
    const radio_id = newId(Date.now());
    const { path, epoch } = await openRadio(radio_id);
    const sender = await connect(path);
    await radio.moveClock(4 * 60_000);
    await sender.deliver(madeChunk("aac", epoch, 0));
    await radio.moveClock(4 * 60_000);
    expect(await radio.engine.status({ radio_id })).toMatchObject({ state: "live", elapsed_ms: expect.any(Number) });
    await radio.moveClock(61_000);
    await radio.control(radio_id, "runAlarm");
    expect(await sender.closed).toBe(INGEST_CLOSED.finished);
    expect(await radio.engine.status({ radio_id })).toMatchObject({ state: "finished", recording: { packets: 24 } });
    expect(await radio.engine.open({ radio_id })).toBeNull();
    await expect(connect(path)).rejects.toThrow("refused");
  });

  test("comes after 180 minutes, whatever is sent, also when the alarm is late", async () => {
    const radio_id = newId(Date.now());
    const { epoch } = await openRadio(radio_id);
    for (let minutes = 0; minutes < 176; minutes += 4) {
      await radio.moveClock(4 * 60_000);
      const ingest = await openRadio(radio_id);
      await put(ingest.path, madeChunk("aac", ingest.epoch, 0));
    }
    expect(epoch).toBe(1);
    await radio.moveClock(4 * 60_000);
    expect(await radio.engine.open({ radio_id })).toBeNull();
    expect(["finishing", "finished"]).toContain((await radio.engine.status({ radio_id })).state);
  });

  test("of a radio that was never opened leaves no recording, and it cannot be opened", async () => {
    const radio_id = newId(Date.now());
    expect(await radio.engine.status({ radio_id })).toMatchObject({ state: "waiting", opened_at: null, elapsed_ms: 0 });
    expect(await radio.engine.finish({ radio_id })).toEqual({ is_complete: true, recording: null });
    expect(await radio.engine.open({ radio_id })).toBeNull();
  });
});

test("the socket renews the token before it expires", async () => {
  const radio_id = newId(Date.now());
  const { path, epoch } = await openRadio(radio_id);
  const sender = await connect(path);
  await radio.moveClock(4.5 * 60_000);
  await sender.deliver(madeChunk("aac", epoch, 0));
  expect(sender.messages.filter(({ type }) => type === "renewed")).toEqual([]);
  await radio.moveClock(4.5 * 60_000);
  await sender.deliver(madeChunk("aac", epoch, 1), madeChunk("aac", epoch, 2));
  const [renewed] = sender.messages.filter((message) => message.type === "renewed");
  await radio.moveClock(4.5 * 60_000);
  await sender.deliver(madeChunk("aac", epoch, 3));
  await radio.moveClock(4.5 * 60_000);
  await sender.deliver(madeChunk("aac", epoch, 4));
  // The first token has expired by now.
  await expect(connect(path)).rejects.toThrow("refused");
  const again = await connect(renewed?.path ?? "");
  expect(again.messages[0]).toMatchObject({ stored: { aac: 4 } });
  again.close();
});
