/** Webhooks that come doubled, reordered, again after they were dropped, three days late, and forged. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { playTold } from "./money.ts";
import { toldStories } from "./stories.ts";
import { effort, playSeeds, takeOverTime } from "./support.ts";

takeOverTime();

const { timeout_ms, ...run } = effort("MODEL_WEBHOOKS", 5);

test(
  "webhooks in any order lead to the state of those in order, and no forged one is taken",
  async () => {
    let [sequences, forged, taken] = [0, 0, 0];
    const property = fc.asyncProperty(toldStories, async (story) => {
      const found = await playTold(story);
      sequences += 1;
      forged += found.forged;
      taken += found.taken;
      expect(found.taken).toBe(0);
    });
    await playSeeds(property, run, () => sequences);
    if (run.is_long) console.log(`${sequences} sequences, ${forged} forgeries, ${taken} taken`);
    if (run.is_short) return;
    expect(forged).toBeGreaterThan(sequences);
  },
  timeout_ms,
);
