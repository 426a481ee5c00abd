import { defineConfig } from "playwright/test";

// A page that asked for another document is not waited for once more before each step: what a step needs, it looks for itself. Word
// of that asking may come after the other document has, and would be waited upon for ever.
process.env.PLAYWRIGHT_SKIP_NAVIGATION_CHECK = "1";

/**
 * Chromium heeds the last `--disable-features` alone, so the list has what Playwright itself turns off (its
 * chromiumSwitches), and the pages that this Chromium draws its address bar with: two for each context, which nobody sees,
 * took a seventh of all the time.
 */
const unwanted = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/**
 * Every journey runs twice: with JavaScript, and without (but for `*.script.spec.ts`). Without, most need no browser: see
 * docs/tests.md. Each Playwright worker has a network, and a world of its own: a copy of the one made first.
 */
export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/world.ts",
  workers: 2,
  forbidOnly: !!process.env.CI,
  retries: 0,
  // A journey takes seconds. The limits end one that hangs, also on a machine with eight times more work than cores.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [
    ["list"],
    ["./e2e/support/longest-step.ts"],
    // For who counts them (scripts/test.ts).
    ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? ([["json"]] as const) : []),
  ],
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
        `--disable-features=${unwanted}`,
      ],
    },
  },
  // A project has processes of its own: what one has taken along after a hundred journeys burdens none of the others.
  projects: [
    { name: "with JavaScript", testIgnore: "**/*.script.spec.ts", use: { javaScriptEnabled: true } },
    { name: "with JavaScript alone", testMatch: "**/*.script.spec.ts", use: { javaScriptEnabled: true } },
    { name: "without JavaScript", testIgnore: "**/*.script.spec.ts", use: { javaScriptEnabled: false } },
  ],
});
