import { defineConfig } from "playwright/test";
import { makeServersCheap } from "./tests/support/fast-environment.ts";

// Playwright's workers read this file too, and inherit what the first process set.
if (process.env.TEST_WORKER_INDEX === undefined) makeServersCheap();

// Playwright would wait before each step for a navigation that a page has begun. Our steps wait for what they need
// themselves. The notice of such a navigation may arrive after it ended, and Playwright would then wait forever.
process.env.PLAYWRIGHT_SKIP_NAVIGATION_CHECK = "1";

/**
 * Chromium obeys only the last `--disable-features`. So the list repeats the features that Playwright disables (its
 * chromiumSwitches). It adds the WebUI pages of this Chromium's address bar, two per context, which took a seventh of
 * all the time, and the process that Chromium starts ahead for each site, which took a tenth.
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
  "SpareRendererForSitePerProcess",
];

/**
 * Every journey runs twice, with JavaScript and without, except `*.script.spec.ts`. Without JavaScript most need no browser:
 * see docs/tests.md. Each Playwright worker has a network of its own, with a copy of the demo world.
 */
export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/world.ts",
  workers: 3,
  forbidOnly: !!process.env.CI,
  retries: 0,
  // A journey takes seconds. The limits end one that hangs, also on a machine with eight times more work than cores.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [
    ["list"],
    ["./e2e/support/longest-step.ts"],
    // scripts/test.ts counts the tests from this report.
    ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? ([["json"]] as const) : []),
  ],
  use: {
    locale: "ja-JP",
    timezoneId: "Asia/Tokyo",
    viewport: { width: 375, height: 812 },
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      // Flags for a container, and no background traffic of Chromium's own.
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // A microphone that beeps, which pages may use unless their policy forbids it.
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        `--disable-features=${unwanted}`,
      ],
    },
  },
  // Each project has processes of its own, so a process that has grown over a hundred journeys does not slow another
  // project.
  projects: [
    { name: "with JavaScript", testIgnore: "**/*.script.spec.ts", use: { javaScriptEnabled: true } },
    { name: "with JavaScript alone", testMatch: "**/*.script.spec.ts", use: { javaScriptEnabled: true } },
    { name: "without JavaScript", testIgnore: "**/*.script.spec.ts", use: { javaScriptEnabled: false } },
  ],
});
