import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Typeface } from "../../workers/share-images/typeface.ts";

const readFont = (path: string) =>
  new Uint8Array(readFileSync(join(import.meta.dirname, "../../node_modules/@expo-google-fonts", path)));

/** The fonts of workers/share-images/fonts.ts, read from files instead of modules. */
export const faces = {
  text: new Typeface("Noto Sans JP", readFont("noto-sans-jp/700Bold/NotoSansJP_700Bold.ttf")),
  emoji: new Typeface("Noto Emoji", readFont("noto-emoji/700Bold/NotoEmoji_700Bold.ttf")),
};
