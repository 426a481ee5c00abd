import { PACKET_SAMPLES, SAMPLE_RATE } from "../../workers/contract/sound-chunks.ts";

/** The names of the module's imports and exports. Emscripten shortens them to letters. */
export interface AacNames {
  /** The long name of each import, by its short name. */
  imports: Readonly<Record<string, string>>;
  /** The short name of each export, by its long name. */
  exports: Readonly<Record<string, string>>;
}

const BIT_RATE = 64_000;
const CHANNELS = 1;
const FRAME = PACKET_SAMPLES.aac;
const PAGE_BYTES = 65_536;
/** "Not supported" in WASI: the answer to calls of an operating system. The encoder needs none. */
const ENOSYS = 52;

/**
 * FFmpeg's AAC encoder: AAC-LC, 64 kbit/s, mono, 48 kHz. Its first packet holds 1024 samples of silence, the delay of
 * the encoder. scripts/aac-module.ts makes the module.
 */
export class AacEncoder {
  /** AudioSpecificConfig. */
  readonly description: Uint8Array;
  readonly #names: AacNames;
  readonly #exports: WebAssembly.Exports;
  readonly #encoder: number;
  readonly #input: number;
  readonly #frame = new Float32Array(FRAME);
  /** The samples in the frame that is not full yet. */
  #filled = 0;
  #next_sample = 0;

  /** Throws when the module is not the encoder. */
  constructor(module: WebAssembly.Module, names: AacNames) {
    this.#names = names;
    const functions = Object.entries(names.imports).map(([name, long]) => [name, this.#systemCall(long)]);
    this.#exports = new WebAssembly.Instance(module, { a: Object.fromEntries(functions) }).exports;
    this.#call("initialize");
    this.#encoder = this.#call("_init_encoder", CHANNELS, SAMPLE_RATE, BIT_RATE);
    this.#input = this.#call("_get_encode_input_ptr", this.#encoder, this.#frame.byteLength);
    if (this.#encoder === 0 || this.#input === 0) throw new Error("the encoder has no memory");
    if (this.#call("_get_encoder_frame_size", this.#encoder) !== FRAME)
      throw new Error("a frame is not of 1024 samples");
    const bytes = this.#call("_get_encoder_extradata_size", this.#encoder);
    this.description = this.#read(this.#call("_get_encoder_extradata", this.#encoder), bytes);
  }

  /** Returns the packets that are complete with these samples. */
  encode(samples: Float32Array): Uint8Array<ArrayBuffer>[] {
    const packets: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < samples.length; ) {
      const taken = samples.subarray(at, at + FRAME - this.#filled);
      this.#frame.set(taken, this.#filled);
      this.#filled += taken.length;
      at += taken.length;
      if (this.#filled === FRAME) packets.push(...this.#encodeFrame());
    }
    return packets;
  }

  /** Returns the last packets, with silence behind the last sample. The encoder takes nothing more. */
  finish(): Uint8Array<ArrayBuffer>[] {
    const packets = this.#filled > 0 ? this.encode(new Float32Array(FRAME - this.#filled)) : [];
    this.#call("_flush_encoder_start", this.#encoder);
    return [...packets, ...this.#takePackets()];
  }

  #encodeFrame(): Uint8Array<ArrayBuffer>[] {
    new Float32Array(this.#memory, this.#input, FRAME).set(this.#frame);
    const error = this.#call("_send_frame", this.#encoder, BigInt(this.#next_sample));
    if (error < 0) throw new Error(`FFmpeg's error ${error}`);
    this.#filled = 0;
    this.#next_sample += FRAME;
    return this.#takePackets();
  }

  #takePackets(): Uint8Array<ArrayBuffer>[] {
    const packets: Uint8Array<ArrayBuffer>[] = [];
    for (;;) {
      const bytes = this.#call("_receive_packet", this.#encoder);
      if (bytes < 0) throw new Error(`FFmpeg's error ${bytes}`);
      if (bytes === 0) return packets;
      packets.push(this.#read(this.#call("_get_encoded_data", this.#encoder), bytes));
    }
  }

  #call(name: string, ...values: (number | bigint)[]): number {
    const run = this.#exports[this.#names.exports[name] ?? ""] as (...values: (number | bigint)[]) => number;
    return run(...values);
  }

  /** The memory. It is another buffer after each growth. */
  get #memory(): ArrayBuffer {
    return (this.#exports[this.#names.exports.wasmMemory ?? ""] as WebAssembly.Memory).buffer;
  }

  #read(at: number, bytes: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory.slice(at, at + bytes));
  }

  /** Returns an import of the module: more memory, the end of the program, or an operating system that has nothing. */
  #systemCall(name: string): (...values: number[]) => number {
    if (name === "_emscripten_resize_heap") return (bytes = 0) => this.#grow(bytes);
    if (name !== "__abort_js" && name !== "_proc_exit") return () => ENOSYS;
    return () => {
      throw new Error("the encoder stopped");
    };
  }

  /** Returns whether there is room for so many bytes now. */
  #grow(bytes: number): number {
    const memory = this.#exports[this.#names.exports.wasmMemory ?? ""] as WebAssembly.Memory;
    try {
      // A number above 2 GiB arrives as a negative one.
      memory.grow(Math.ceil(((bytes >>> 0) - memory.buffer.byteLength) / PAGE_BYTES));
      return 1;
    } catch {
      return 0;
    }
  }
}
