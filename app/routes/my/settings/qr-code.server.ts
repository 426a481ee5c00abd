import { encode } from "uqr";

/** Draws a QR code as an SVG path of unit squares. `size` is its width, including the required quiet zone. */
export function qrCode(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const rows = data.map((row, y) => row.map((is_dark, x) => (is_dark ? `M${x} ${y}h1v1h-1z` : "")).join(""));
  return { size, path: rows.join("") };
}
