import { encode } from "uqr";
import type { QrCode } from "../../workers/contract/share-card.ts";

/** Draws a QR code. */
export function qrCode(text: string): QrCode {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const rows = data.map((row, y) => row.map((is_dark, x) => (is_dark ? `M${x} ${y}h1v1h-1z` : "")).join(""));
  return { size, path: rows.join("") };
}
