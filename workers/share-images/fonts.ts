import emoji from "@expo-google-fonts/noto-emoji/700Bold/NotoEmoji_700Bold.ttf?.bin";
import text from "@expo-google-fonts/noto-sans-jp/700Bold/NotoSansJP_700Bold.ttf?.bin";
import { Typeface } from "./typeface.ts";

/** Noto Sans JP has kanji for names that JIS X 0208 lacks (髙, 𠮷). The emoji font has one colour. */
export const faces = {
  text: new Typeface("Noto Sans JP", new Uint8Array(text)),
  emoji: new Typeface("Noto Emoji", new Uint8Array(emoji)),
};
