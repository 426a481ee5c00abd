import type { Recording } from "../contract/live-engine.ts";
import type { StoredChunk, TrackName } from "../contract/sound-chunks.ts";

/** The SQLite storage of one radio. What one turn of the object writes is committed as one. */

const SCHEMA = `
CREATE TABLE IF NOT EXISTS radio (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  radio_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live', 'finishing', 'finished')),
  opened_at INTEGER NOT NULL,
  finished_at INTEGER,
  signal_at INTEGER NOT NULL,
  issued_epoch INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  upload_id TEXT,
  recording TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS start (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  started_at INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
  track TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  captured_ms INTEGER NOT NULL,
  received_ms INTEGER NOT NULL,
  packet_count INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (track, epoch, seq)
) STRICT;
CREATE TABLE IF NOT EXISTS segments (
  track TEXT NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (track, number)
) STRICT;
CREATE TABLE IF NOT EXISTS live_tracks (
  track TEXT PRIMARY KEY,
  next_segment INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  owed_ms INTEGER NOT NULL,
  silent_ms INTEGER NOT NULL,
  pending BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS parts (number INTEGER PRIMARY KEY, etag TEXT NOT NULL) STRICT;
`;

type Row = Record<string, SqlStorageValue>;

export interface RadioRow {
  radio_id: string;
  state: "live" | "finishing" | "finished";
  opened_at: number;
  finished_at: number | null;
  /** When a page last opened the radio or connected. Chunks have times of their own. */
  signal_at: number;
  /** The last epoch that was given out, and the newest one that has sent something. */
  issued_epoch: number;
  epoch: number;
  upload_id: string | null;
  recording: Recording | null;
}

/** Where the live output of a track is, as of its last segment. */
export interface LiveState {
  next_segment: number;
  /** The next chunk to take. */
  epoch: number;
  seq: number;
  end_ms: number;
  owed_ms: number;
  silent_ms: number;
  /** Packets after the last segment, as the body of a chunk. */
  pending: Uint8Array<ArrayBuffer>;
}

export interface KeptChunk extends StoredChunk {
  received_ms: number;
}

/** How much sound of a track is stored. */
export interface Amount {
  chunks: number;
  packets: number;
}

/** How many chunks one read of all chunks takes into memory. */
const CHUNKS_AT_ONCE = 100;

export class SoundStore {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#run(SCHEMA);
  }

  #run<R extends Row>(statement: string, ...values: SqlStorageValue[]): R[] {
    return this.#storage.sql.exec<R>(statement, ...values).toArray();
  }

  readRadio(): RadioRow | null {
    const [row] = this.#run("SELECT * FROM radio");
    if (!row) return null;
    const recording = row.recording === null ? null : (JSON.parse(String(row.recording)) as Recording);
    return { ...(row as unknown as RadioRow), recording };
  }

  writeRadio(radio: RadioRow): void {
    this.#run(
      `INSERT OR REPLACE INTO radio
         (one, radio_id, state, opened_at, finished_at, signal_at, issued_epoch, epoch, upload_id, recording)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      radio.radio_id,
      radio.state,
      radio.opened_at,
      radio.finished_at,
      radio.signal_at,
      radio.issued_epoch,
      radio.epoch,
      radio.upload_id,
      radio.recording && JSON.stringify(radio.recording),
    );
  }

  /** Stores when the radio started. A moment that is stored already stays. */
  keepStart(started_at: number): void {
    this.#run("INSERT OR IGNORE INTO start VALUES (1, ?)", started_at);
  }

  /** Returns when the radio started; null when an older version of the API opened the sound. */
  readStart(): number | null {
    const [row] = this.#run<{ started_at: number }>("SELECT started_at FROM start");
    return row?.started_at ?? null;
  }

  /** Stores a chunk. A chunk that is stored already stays as it is. */
  insertChunk({ track, epoch, seq, captured_ms, received_ms, packet_count, body }: KeptChunk): void {
    this.#run(
      "INSERT OR IGNORE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
      track,
      epoch,
      seq,
      captured_ms,
      received_ms,
      packet_count,
      toBuffer(body),
    );
  }

  hasChunk(track: TrackName, epoch: number, seq: number): boolean {
    const key = [track, epoch, seq];
    return this.#run("SELECT 1 FROM chunks WHERE track = ? AND epoch = ? AND seq = ?", ...key).length > 0;
  }

  findChunk(track: TrackName, epoch: number, seq: number): KeptChunk | null {
    const key = [track, epoch, seq];
    const [row] = this.#run("SELECT * FROM chunks WHERE track = ? AND epoch = ? AND seq = ?", ...key);
    return row ? toChunk(row) : null;
  }

  /** Returns the first chunk at or after a number, within its epoch. */
  findChunkFrom(track: TrackName, epoch: number, seq: number): KeptChunk | null {
    const [row] = this.#run(
      "SELECT * FROM chunks WHERE track = ? AND epoch = ? AND seq >= ? ORDER BY seq LIMIT 1",
      track,
      epoch,
      seq,
    );
    return row ? toChunk(row) : null;
  }

  /** Yields all chunks of a track in order. Other work may run between two chunks. */
  *eachChunk(track: TrackName): Generator<KeptChunk> {
    let after = { epoch: 0, seq: -1 };
    for (;;) {
      const rows = this.#run(
        "SELECT * FROM chunks WHERE track = ? AND (epoch, seq) > (?, ?) ORDER BY epoch, seq LIMIT ?",
        track,
        after.epoch,
        after.seq,
        CHUNKS_AT_ONCE,
      ).map(toChunk);
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < CHUNKS_AT_ONCE) return;
      after = last;
    }
  }

  /** Returns the last chunk of an epoch up to which no chunk is missing; null when the first is missing. */
  lastOfUnbroken(track: TrackName, epoch: number): number | null {
    const [row] = this.#run<{ seq: number | null }>(
      `SELECT MIN(seq) AS seq FROM chunks AS c WHERE track = ?1 AND epoch = ?2
         AND NOT EXISTS (SELECT 1 FROM chunks WHERE track = ?1 AND epoch = ?2 AND seq = c.seq + 1)
         AND EXISTS (SELECT 1 FROM chunks WHERE track = ?1 AND epoch = ?2 AND seq = 0)`,
      track,
      epoch,
    );
    return row?.seq ?? null;
  }

  /**
   * Returns for each epoch how far the server's clock is ahead of the page's: the least delay of any chunk counts as
   * none.
   */
  readClockOffsets(): Map<number, number> {
    const rows = this.#run<{ epoch: number; offset_ms: number }>(
      "SELECT epoch, MIN(received_ms - captured_ms) AS offset_ms FROM chunks GROUP BY epoch",
    );
    return new Map(rows.map(({ epoch, offset_ms }) => [epoch, offset_ms]));
  }

  /** Returns the chunk of an epoch that arrived first. */
  findFirstReceived(epoch: number): Pick<KeptChunk, "captured_ms" | "received_ms"> | null {
    const [row] = this.#run<{ captured_ms: number; received_ms: number }>(
      "SELECT captured_ms, received_ms FROM chunks WHERE epoch = ? ORDER BY rowid LIMIT 1",
      epoch,
    );
    return row ?? null;
  }

  countChunks(track: TrackName): Amount {
    const [row] = this.#run<{ chunks: number; packets: number | null }>(
      "SELECT COUNT(*) AS chunks, SUM(packet_count) AS packets FROM chunks WHERE track = ?",
      track,
    );
    return { chunks: row?.chunks ?? 0, packets: row?.packets ?? 0 };
  }

  lastReceivedAt(): number {
    const [row] = this.#run<{ received_ms: number | null }>("SELECT MAX(received_ms) AS received_ms FROM chunks");
    return row?.received_ms ?? 0;
  }

  insertSegment(track: TrackName, number: number, bytes: Uint8Array): void {
    this.#run("INSERT OR REPLACE INTO segments VALUES (?, ?, ?)", track, number, toBuffer(bytes));
  }

  findSegment(track: TrackName, number: number): Uint8Array<ArrayBuffer> | null {
    const [row] = this.#run("SELECT bytes FROM segments WHERE track = ? AND number = ?", track, number);
    return row ? new Uint8Array(row.bytes as ArrayBuffer) : null;
  }

  deleteSegmentsBefore(track: TrackName, number: number): void {
    this.#run("DELETE FROM segments WHERE track = ? AND number < ?", track, number);
  }

  readLiveState(track: TrackName): LiveState | null {
    const [row] = this.#run("SELECT * FROM live_tracks WHERE track = ?", track);
    return row ? { ...(row as unknown as LiveState), pending: new Uint8Array(row.pending as ArrayBuffer) } : null;
  }

  writeLiveState(track: TrackName, state: LiveState): void {
    const { next_segment, epoch, seq, end_ms, owed_ms, silent_ms, pending } = state;
    this.#run(
      "INSERT OR REPLACE INTO live_tracks VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      track,
      next_segment,
      epoch,
      seq,
      Math.round(end_ms),
      Math.round(owed_ms),
      Math.round(silent_ms),
      toBuffer(pending),
    );
  }

  /** Returns the parts of the recording that the bucket has, in order. */
  readParts(): R2UploadedPart[] {
    const rows = this.#run<{ number: number; etag: string }>("SELECT number, etag FROM parts ORDER BY number");
    return rows.map(({ number, etag }) => ({ partNumber: number, etag }));
  }

  insertPart({ partNumber, etag }: R2UploadedPart): void {
    this.#run("INSERT OR REPLACE INTO parts VALUES (?, ?)", partNumber, etag);
  }

  deleteParts(): void {
    this.#run("DELETE FROM parts");
  }

  /** Deletes the sound of which a recording was written. Live segments stay for the listeners who are still behind. */
  deleteChunks(): void {
    this.#run("DELETE FROM chunks");
    this.#run("DELETE FROM parts");
  }

  deleteLive(): void {
    this.#run("DELETE FROM segments");
    this.#run("DELETE FROM live_tracks");
  }
}

function toChunk(row: Row): KeptChunk {
  return { ...(row as unknown as KeptChunk), body: new Uint8Array(row.body as ArrayBuffer) };
}

/** Returns a copy that holds these bytes alone: SQLite stores the whole buffer. */
function toBuffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
