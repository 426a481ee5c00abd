import type { Recording } from "../contract/live-engine.ts";
import { durationOf, readPackets, SAMPLE_RATE, type TrackName } from "../contract/sound-chunks.ts";
import { CaptureClock } from "./capture-clock.ts";
import { join } from "./containers/box.ts";
import { recordingHead } from "./containers/recording-file.ts";
import { packetsOf, tracks } from "./containers/track.ts";
import type { KeptChunk, SoundStore } from "./store.ts";

/** The size of a part in the bucket. R2 requires 5 MiB at least, and one size for all parts but the last. */
const PART_BYTES = 8 * 1024 * 1024;
const CONTENT_TYPE = "audio/mp4";
/** Tracks of the same sound differ by less: a page that crashes loses a part of a chunk of each. */
const TRACK_JITTER_MS = 2000;

/** What the file of a recording holds. The same chunks always give the same plan, so an upload can be continued. */
interface RecordingPlan {
  track: TrackName;
  /** The size of each packet in the file, silence included. */
  sizes: Uint16Array;
  /** The packets that the broadcaster sent. */
  packets: number;
}

/** Returns the key of a radio's recording in the bucket. */
export function recordingKey(radio_id: string): string {
  return `radios/${radio_id}.m4a`;
}

/**
 * Writes the recording of the stored chunks into the bucket, and continues an upload that was interrupted. Returns null
 * when there is no sound.
 *
 * @param upload the id of the upload, which the caller keeps with the chunks.
 */
export async function writeRecording(
  store: SoundStore,
  bucket: R2Bucket,
  key: string,
  upload: { read(): string | null; keep(id: string | null): void },
): Promise<Recording | null> {
  const plan = planRecording(store);
  if (!plan) return null;
  const head = recordingHead(tracks[plan.track], plan.sizes);
  const recording: Recording = {
    key,
    content_type: CONTENT_TYPE,
    bytes: plan.sizes.reduce((sum, bytes) => sum + bytes, head.length),
    duration_ms: Math.round((plan.sizes.length * tracks[plan.track].packet_samples * 1000) / SAMPLE_RATE),
    packets: plan.packets,
  };
  // The object was stopped between the end of the upload and its own record of it.
  const written = upload.read() !== null && (await bucket.head(key));
  if (written && written.size === recording.bytes) return recording;
  const uploading = await continueUpload(store, bucket, key, upload);
  const done = store.readParts().length;
  let number = 0;
  for (const part of partsOf(recordingPieces(store, plan, head), done)) {
    number++;
    if (part) store.insertPart(await uploading.uploadPart(number, part));
  }
  await uploading.complete(store.readParts());
  return recording;
}

async function continueUpload(
  store: SoundStore,
  bucket: R2Bucket,
  key: string,
  upload: { read(): string | null; keep(id: string | null): void },
): Promise<R2MultipartUpload> {
  const id = upload.read();
  if (id !== null) return bucket.resumeMultipartUpload(key, id);
  const httpMetadata = { contentType: CONTENT_TYPE, cacheControl: "private" };
  const begun = await bucket.createMultipartUpload(key, { httpMetadata });
  store.deleteParts();
  upload.keep(begun.uploadId);
  return begun;
}

/**
 * Chooses the track of the recording: AAC, which every player knows, unless sound was sent as Opus alone, for example by
 * a first page whose browser had no encoder of AAC. Returns null when there is no sound.
 */
function chooseTrack(store: SoundStore): TrackName | null {
  const lengthOf = (track: TrackName) => durationOf(track, store.countChunks(track).packets);
  const [aac_ms, opus_ms] = [lengthOf("aac"), lengthOf("opus")];
  if (opus_ms - aac_ms > TRACK_JITTER_MS) return "opus";
  if (aac_ms > 0) return "aac";
  return opus_ms > 0 ? "opus" : null;
}

/** Reads the sizes of all packets. */
function planRecording(store: SoundStore): RecordingPlan | null {
  const track = chooseTrack(store);
  if (!track) return null;
  const sizes: number[] = [];
  let packets = 0;
  for (const { silence, chunk } of eachWithSilence(store, track)) {
    for (let added = 0; added < silence; added++) sizes.push(tracks[track].silence.length);
    for (const packet of readPackets(chunk.body)) sizes.push(packet.length);
    packets += chunk.packet_count;
  }
  return { track, sizes: Uint16Array.from(sizes), packets };
}

/** Yields the chunks of a track with the number of silent packets that fill the gap before each. */
function* eachWithSilence(store: SoundStore, track: TrackName): Generator<{ silence: number; chunk: KeptChunk }> {
  const offsets = store.readClockOffsets();
  const clock = new CaptureClock(store.readStart());
  for (const chunk of store.eachChunk(track)) {
    const at_ms = chunk.captured_ms + (offsets.get(chunk.epoch) ?? 0);
    const silence_ms = clock.addChunk(at_ms, durationOf(track, chunk.packet_count));
    yield { silence: packetsOf(tracks[track], silence_ms), chunk };
  }
}

/** Yields the bytes of the file in pieces. */
function* recordingPieces(store: SoundStore, { track }: RecordingPlan, head: Uint8Array): Generator<Uint8Array> {
  yield head;
  for (const { silence, chunk } of eachWithSilence(store, track)) {
    yield join([...Array.from({ length: silence }, () => tracks[track].silence), ...readPackets(chunk.body)]);
  }
}

/** Yields the bytes in parts of one size, the last perhaps smaller. Yields null for the parts that are done. */
function* partsOf(pieces: Iterable<Uint8Array>, done: number): Generator<Uint8Array<ArrayBuffer> | null> {
  let part = new Uint8Array(PART_BYTES);
  let length = 0;
  let number = 0;
  for (const piece of pieces) {
    for (let offset = 0; offset < piece.length; ) {
      const taken = piece.subarray(offset, offset + PART_BYTES - length);
      if (number >= done) part.set(taken, length);
      length += taken.length;
      offset += taken.length;
      if (length < PART_BYTES) continue;
      yield number >= done ? part : null;
      part = new Uint8Array(PART_BYTES);
      length = 0;
      number++;
    }
  }
  if (length > 0) yield number >= done ? part.subarray(0, length) : null;
}
