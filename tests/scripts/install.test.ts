import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

test("Miniflare's buffer doubles: its line in scripts/install.mjs still fits", () => {
  const code = readFileSync(createRequire(import.meta.url).resolve("miniflare"), "utf8");
  expect(code).toContain("Math.max(minSize, srcBuffer.byteLength)");
});
