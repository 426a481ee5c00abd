import { defineConfig } from "vitest/config";

/** The tests of the money rules, which are pure functions: they need no worker, and one run takes a second. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["tests/api/{ledger,money}-rules.test.ts"],
    isolate: false,
    maxWorkers: 1,
    bail: 1,
  },
});
