import { expect, test } from "vitest";
import { readCaptions } from "../../app/routes/my/radio-action.ts";
import type { V4 } from "../../app/v4/client.ts";
import { RADIO_TRANSCRIPT_GRAPHEMES } from "../../workers/contract/bounds.ts";

test("captions that are longer than a transcript are cut between two characters", async () => {
  // The maximum length ends within the last emoji, counted in UTF-16 units.
  const words = `a${"🎨".repeat(RADIO_TRANSCRIPT_GRAPHEMES)}`;
  const v4 = { part: async () => ({ captions: [{ words }], next_page_token: null }) } as unknown as V4;
  const captions = await readCaptions(v4, "radio");
  expect(captions.isWellFormed()).toBe(true);
  expect([...captions]).toHaveLength(RADIO_TRANSCRIPT_GRAPHEMES);
});
