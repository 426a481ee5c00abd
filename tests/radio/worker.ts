import { env } from "cloudflare:workers";
import { HOLD_MS } from "../../workers/radio/awaited-segments.ts";
import { RadioSound as BuiltSound } from "../../workers/radio/radio-sound.ts";

/**
 * The radio worker with switches for the tests: a clock that only a test moves, and a bucket that stops the object in
 * the middle of an upload. Everything else is the worker as deployed.
 */

export { default, LiveSound } from "../../workers/radio/index.ts";

/** The clock's fixed time. It is the same after a restart, or the clock would jump by the time of the tests. */
const { CLOCK_MS } = env as unknown as { CLOCK_MS: number };
let ahead_ms = 0;
Date.now = () => CLOCK_MS + ahead_ms;

const realTimeout = globalThis.setTimeout;
/** A held request ends with its segment or its radio, and not because a test is slow. */
globalThis.setTimeout = ((work: () => void, ms = 0, ...given: unknown[]) =>
  ms < HOLD_MS ? realTimeout(work, ms, ...given) : 0) as unknown as typeof setTimeout;

/** What becomes of the upload of a part, by its number. */
const partFaults = new Map<number, "stop" | "fail">();
let completion_fault = false;
const stalled: Response[] = [];

export class RadioSound extends BuiltSound {
  #alarm: Promise<void> = Promise.resolve();
  #awaited = 0;
  #is_hanging = false;

  constructor(context: DurableObjectState, env: RadioEnv) {
    super(context, { ...env, MEDIA: faultyBucket(env.MEDIA, context) });
  }

  moveClock(ms: number): void {
    ahead_ms += ms;
  }

  breakPart(number: number, fault: "stop" | "fail"): void {
    partFaults.set(number, fault);
  }

  breakAfterCompletion(): void {
    completion_fault = true;
  }

  /** Runs the alarm now: the platform's alarms do not know the moved clock. */
  async runAlarm(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.alarm();
  }

  /** The platform runs one alarm after the other. */
  override alarm(): Promise<void> {
    this.#alarm = this.#alarm.catch(() => {}).then(() => super.alarm());
    return this.#alarm;
  }

  override async readSegment(...given: Parameters<BuiltSound["readSegment"]>) {
    this.#awaited++;
    return super.readSegment(...given).finally(() => this.#awaited--);
  }

  /** Returns how many segments are being read. */
  countAwaited(): number {
    return this.#awaited;
  }

  hang(): void {
    this.#is_hanging = true;
  }

  loseTable(): void {
    this.#is_hanging = false;
    this.ctx.storage.sql.exec("DROP TABLE radio");
  }

  override async ping(): Promise<void> {
    if (this.#is_hanging) await new Promise(() => {});
    await super.ping();
  }

  countStored(): number {
    return Number(this.ctx.storage.sql.exec("SELECT COUNT(*) AS count FROM chunks").one().count);
  }

  /** Opens streams that nobody reads. */
  async stall(count: number): Promise<void> {
    for (let listener = 0; listener < count; listener++) {
      stalled.push(await this.fetch(new Request(`https://radio.test/live.aac?listener=stalled-${listener}`)));
    }
  }
}

/** Returns the bucket, whose uploads fail as the faults say, each once. */
function faultyBucket(bucket: R2Bucket, context: DurableObjectState): R2Bucket {
  const wrap = (upload: R2MultipartUpload): R2MultipartUpload => ({
    key: upload.key,
    uploadId: upload.uploadId,
    abort: () => upload.abort(),
    async uploadPart(number, value) {
      const fault = partFaults.get(number);
      partFaults.delete(number);
      if (fault === "stop") context.abort("stopped in an upload");
      if (fault) throw new Error("the bucket did not take the part");
      return upload.uploadPart(number, value);
    },
    async complete(parts) {
      const object = await upload.complete(parts);
      if (!completion_fault) return object;
      completion_fault = false;
      throw new Error("the answer of the bucket was lost");
    },
  });
  return {
    head: (key: string) => bucket.head(key),
    resumeMultipartUpload: (key: string, id: string) => wrap(bucket.resumeMultipartUpload(key, id)),
    createMultipartUpload: async (key: string, options?: R2MultipartOptions) =>
      wrap(await bucket.createMultipartUpload(key, options)),
  } as unknown as R2Bucket;
}
