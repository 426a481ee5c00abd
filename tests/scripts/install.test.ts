import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const miniflare = dirname(createRequire(import.meta.url).resolve("miniflare"));

test.each([
  ["index.js", "Math.max(minSize, srcBuffer.byteLength)"],
  ["workers/d1/database.worker.js", "meta.changed_db) ? await this.state.storage.getCurrentBookmark()"],
])("Miniflare's %s has the line of scripts/install.mjs: its version still fits", (file, line) => {
  expect(readFileSync(join(miniflare, file), "utf8")).toContain(line);
});
