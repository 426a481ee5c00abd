import { defineConfig } from "vitest/config";
import { bankList } from "../../scripts/bank-list.ts";

/** For `npm run test:model`. The models need no built site. */
export default defineConfig({
  plugins: [bankList()],
  test: { root: new URL("../..", import.meta.url).pathname, include: ["tests/model/*.test.ts"], maxWorkers: 2 },
});
