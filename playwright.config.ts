import { defineConfig } from "playwright/test";

/** Every journey runs twice: with JavaScript, and without (but for `*.script.spec.ts`). Each Playwright worker has a network and a world of its own. */
export default defineConfig({
  testDir: "e2e",
  workers: 2,
  forbidOnly: !!process.env.CI,
  retries: 0,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  use: {
    locale: "ja-JP",
    timezoneId: "Asia/Tokyo",
    viewport: { width: 375, height: 812 },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      // A container's Chromium; and none of its own traffic.
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  projects: [
    { name: "with JavaScript", use: { javaScriptEnabled: true } },
    { name: "without JavaScript", testIgnore: "**/*.script.spec.ts", use: { javaScriptEnabled: false } },
  ],
});
