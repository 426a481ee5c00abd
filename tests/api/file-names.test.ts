import { expect, test } from "vitest";
import { toFileName } from "../../workers/api/uploads/rules.ts";

/** The names that uploaded files keep. */

const family = "👨‍👩‍👧‍👦";

test.each([
  ["the last part of a path", "C:\\Users\\はな\\海/夜明け.mp3", "夜明け.mp3"],
  ["one line", " 海\r\nの\u2028音\u0000.mp3 ", "海の音.mp3"],
  ["without turns of direction and what nobody sees", "絵\u202e3pm.\u200bexe\ufeff", "絵3pm.exe"],
  ["with emoji, flags and variants of kanji", `${family}❤️‍🔥🏴󠁧󠁢󠁥󠁮󠁧󠁿渡邉\u{e0100}.mp4`, `${family}❤️‍🔥🏴󠁧󠁢󠁥󠁮󠁧󠁿渡邉\u{e0100}.mp4`],
  ["of letters alone, where half a character came", "海\ud83d.mp3", "海\ufffd.mp3"],
])("a file's name is %s", (_, given, kept) => {
  expect(toFileName(given)).toBe(kept);
});

test("a file's name that is too long is cut between characters, and keeps its ending", () => {
  expect(toFileName(`${"あ".repeat(120)}.mp3`)).toBe(`${"あ".repeat(96)}.mp3`);
  expect(toFileName(`${"あ".repeat(95)}${family}.mp3`)).toBe(`${"あ".repeat(95)}.mp3`);
  expect(toFileName(`${"あ".repeat(99)}😀`)).toBe("あ".repeat(99));
  expect(toFileName(`${"あ".repeat(100)}. つづき`)).toBe("あ".repeat(100));
});
