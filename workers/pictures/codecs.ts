import avif_dec from "@jsquash/avif/codec/dec/avif_dec.js";
import avif_dec_wasm from "@jsquash/avif/codec/dec/avif_dec.wasm";
import avif_enc from "@jsquash/avif/codec/enc/avif_enc.js";
import avif_enc_wasm from "@jsquash/avif/codec/enc/avif_enc.wasm";
import { defaultOptions as avifOptions } from "@jsquash/avif/meta.js";
import mozjpeg_dec from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import mozjpeg_dec_wasm from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";
import mozjpeg_enc from "@jsquash/jpeg/codec/enc/mozjpeg_enc.js";
import mozjpeg_enc_wasm from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm";
import { defaultOptions as jpegOptions } from "@jsquash/jpeg/meta.js";
import webp_dec from "@jsquash/webp/codec/dec/webp_dec.js";
import webp_dec_wasm from "@jsquash/webp/codec/dec/webp_dec.wasm";
import webp_enc from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import webp_enc_wasm from "@jsquash/webp/codec/enc/webp_enc_simd.wasm";
import { defaultOptions as webpOptions } from "@jsquash/webp/meta.js";
import { MAX_DECODER_BYTES } from "./bounds.ts";
import type { Pixels } from "./pixels.ts";
import { Refused } from "./refused.ts";

/** A decoder that finds no `ImageData` defines its own, which would keep the memory of the first decoder for good. */
const globals = globalThis as unknown as { Uint8ClampedArray: unknown; ImageData: unknown };
globals.ImageData ??= class {};

/**
 * Creates a codec. Every file gets a new one: wasm memory never shrinks, and a file that corrupts a decoder must not
 * affect the next file.
 */
type Factory<M> = (options: {
  noInitialRun: boolean;
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): WebAssembly.Exports;
}) => Promise<M>;

/** Opens a codec with a limit on its memory. `isFull` returns true when the codec asked for more. */
async function openCodec<M>(
  factory: Factory<M>,
  wasm: WebAssembly.Module,
  max_bytes: number,
): Promise<{ codec: M; isFull(): boolean }> {
  let is_full = false;
  const codec = await factory({
    noInitialRun: true,
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(wasm, imports);
      const memory = Object.values(instance.exports).find((each) => each instanceof WebAssembly.Memory);
      if (!memory) throw new Error("a codec without memory");
      const grow = memory.grow.bind(memory);
      memory.grow = (pages) => {
        is_full ||= memory.buffer.byteLength + pages * 65_536 > max_bytes;
        if (is_full) throw new RangeError("the decoder asks for too much memory");
        return grow(pages);
      };
      done(instance);
      return instance.exports;
    },
  });
  return { codec, isFull: () => is_full };
}

type Use<T> = (pixels: Pixels) => T;

interface Decoder {
  decode(file: Uint8Array, ...options: (boolean | number)[]): unknown;
}

/** `false`: do not rotate, because the cleaned JPEG has no orientation. `8`: return eight bits a colour. */
const decoders = {
  jpeg: { factory: mozjpeg_dec, wasm: mozjpeg_dec_wasm, options: [false] },
  webp: { factory: webp_dec, wasm: webp_dec_wasm, options: [] },
  avif: { factory: avif_dec, wasm: avif_dec_wasm, options: [8] },
};

/**
 * Decodes a file and passes its pixels to `use`. The pixels exist only while `use` runs.
 *
 * The decoders copy their pixels into a `Uint8ClampedArray` and put it into an `ImageData`, both found by their global
 * names. While decoding, we replace these two globals, so that `use` reads the pixels inside the decoder's memory. A
 * worker has no room for a second copy.
 *
 * @throws Refused `file_broken`, or `image_too_many_pixels` when the memory does not suffice.
 */
export async function decodePicture<T>(kind: keyof typeof decoders, file: Uint8Array, use: Use<T>): Promise<T> {
  const { factory, wasm, options } = decoders[kind];
  const { codec, isFull } = await openCodec(factory as unknown as Factory<Decoder>, wasm, MAX_DECODER_BYTES);
  const { Uint8ClampedArray: array, ImageData: image } = globals;
  let used: { result: T } | undefined;
  let failure: unknown;
  globals.Uint8ClampedArray = class {
    constructor(pixels: Uint8Array) {
      // biome-ignore lint/correctness/noConstructorReturn: the decoder must get back the array that it passed in.
      return pixels;
    }
  };
  globals.ImageData = class {
    constructor(data: Uint8Array, width: number, height: number) {
      globals.Uint8ClampedArray = array;
      try {
        used = { result: use({ data, width, height }) };
      } catch (error) {
        failure = error;
      }
    }
  };
  try {
    codec.decode(file, ...options);
  } catch (error) {
    failure ??= error;
  } finally {
    globals.Uint8ClampedArray = array;
    globals.ImageData = image;
  }
  if (used) return used.result;
  if (failure instanceof Refused) throw failure;
  throw new Refused(isFull() ? "image_too_many_pixels" : "file_broken", failure);
}

type Encode = (data: Uint8Array, width: number, height: number, options: object) => Uint8Array | null;

const encoders = {
  // Measured at 1280 x 960: speed 8 takes 140 ms. Speed 7 takes 470 ms and saves a tenth of the bytes.
  avif: { factory: avif_enc, wasm: avif_enc_wasm, options: { ...avifOptions, quality: 55, speed: 8 } },
  // Measured at 1920 x 1440: method 2 takes 130 ms. Method 4 takes 470 ms and saves 4 % of the bytes.
  webp: { factory: webp_enc, wasm: webp_enc_wasm, options: { ...webpOptions, quality: 80, method: 2 } },
  jpeg: { factory: mozjpeg_enc, wasm: mozjpeg_enc_wasm, options: { ...jpegOptions, quality: 78 } },
};

/** Encodes pixels as a file without metadata. */
export async function encodePicture(
  kind: keyof typeof encoders,
  { data, width, height }: Pixels,
  changed: object = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { factory, wasm, options } = encoders[kind];
  type Encoder = { encode: Encode };
  const { codec } = await openCodec(factory as unknown as Factory<Encoder>, wasm, Number.POSITIVE_INFINITY);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const file = codec.encode(bytes, width, height, { ...options, ...changed });
  if (!file) throw new Error(`a picture of ${width} x ${height} was not encoded as ${kind}`);
  return new Uint8Array(file);
}
