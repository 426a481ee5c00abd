/** How much of the stream is in memory. A reader who is further behind has stalled or left, and is dropped. */
const RING_BLOCKS = 30;
/**
 * How many blocks a new reader gets at once: about four seconds. Chromium hands its player whole blocks of 32,768 bytes,
 * and eight blocks of AAC at 64 kbit/s are 34,000.
 */
const FIRST_BLOCKS = 8;

interface Reader {
  listener: string;
  /** The number of the next block. */
  next: number;
  /** Ends the wait for a block. */
  wake: (() => void) | null;
  controller: ReadableStreamDefaultController<Uint8Array> | null;
}

/**
 * An endless stream for many readers, as the last blocks in memory. Each reader pulls the next block when its connection
 * takes it, so a stalled reader costs no memory, and gets no backlog. A reader who left also stops pulling: workerd does
 * not reliably cancel the stream (workerd issue 6832).
 */
export class SoundRing {
  readonly #blocks: Uint8Array[] = [];
  readonly #readers = new Set<Reader>();
  /** The number of the first block in memory. */
  #first = 0;
  #is_closed = false;

  get readers(): number {
    return this.#readers.size;
  }

  /** Returns the listeners with an open stream. */
  listListeners(): string[] {
    return [...this.#readers].map(({ listener }) => listener);
  }

  /** Adds a block, and drops the readers who have fallen out of the ring. */
  push(block: Uint8Array): void {
    this.#blocks.push(block);
    while (this.#blocks.length > RING_BLOCKS) {
      this.#blocks.shift();
      this.#first++;
    }
    for (const reader of this.#readers) {
      if (reader.next < this.#first) this.#drop(reader);
      else reader.wake?.();
    }
  }

  #drop(reader: Reader): void {
    this.#readers.delete(reader);
    // An error would be logged for each listener who goes through a tunnel.
    reader.controller?.close();
    reader.wake?.();
  }

  /** Ends all streams behind the last block. */
  close(): void {
    this.#is_closed = true;
    for (const { wake } of this.#readers) wake?.();
  }

  /** Returns a stream that begins a few seconds ago, and ends after `max_bytes`. */
  open(listener: string, max_bytes: number): ReadableStream<Uint8Array> {
    const end = this.#first + this.#blocks.length;
    const next = Math.max(this.#first, end - FIRST_BLOCKS);
    const reader: Reader = { listener, next, wake: null, controller: null };
    let rest = max_bytes;
    this.#readers.add(reader);
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader.controller = controller;
        },
        pull: async (controller) => {
          const block = await this.#nextBlock(reader);
          // The reader was dropped while it waited.
          if (block && !this.#readers.has(reader)) return;
          if (block) controller.enqueue(block.subarray(0, rest));
          rest -= block?.length ?? 0;
          if (block && rest > 0) return;
          this.#readers.delete(reader);
          controller.close();
        },
        cancel: () => {
          this.#readers.delete(reader);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Waits for the next block. Returns null when the stream has ended. */
  async #nextBlock(reader: Reader): Promise<Uint8Array | null> {
    while (this.#readers.has(reader) && reader.next >= this.#first + this.#blocks.length) {
      if (this.#is_closed) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      reader.wake = resolve;
      await promise;
    }
    reader.wake = null;
    const block = this.#blocks[reader.next - this.#first] ?? new Uint8Array();
    reader.next++;
    return block;
  }
}
