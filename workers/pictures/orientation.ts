import { Bytes } from "./bytes.ts";
import { Refused } from "./refused.ts";

/**
 * Reads the orientation from Exif data: from a JPEG with the prefix `Exif`, from a WebP or PNG without it. Returns null
 * when the data has no orientation or cannot be read.
 */
export function orientationOf(block: Uint8Array): number | null {
  try {
    const starts = String.fromCharCode(...block.subarray(0, 6)) === "Exif\0\0" ? 6 : 0;
    const tiff = new Bytes(block.subarray(starts));
    const order = tiff.text(0, 2);
    if (order !== "II" && order !== "MM") return null;
    const is_little = order === "II";
    const directory = tiff.u32(4, is_little);
    const count = tiff.u16(directory, is_little);
    for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
      if (tiff.u16(entry, is_little) !== 0x0112) continue;
      const value = tiff.u16(entry + 8, is_little);
      return value >= 1 && value <= 8 ? value : null;
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  return null;
}
