/** Finds a Chromium for the browser tests, and installs one when the machine has none. */
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright";
import { findHeadlessShell } from "./headless-shell.ts";
import { runStep } from "./steps.ts";

const systemNames = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Returns the path of a program on PATH, or undefined. */
function findOnPath(name: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

async function findInstalledBrowser(): Promise<string | undefined> {
  const own = chromium.executablePath();
  if (existsSync(own)) return own;
  return (await findHeadlessShell()) ?? systemNames.map(findOnPath).find((path) => path !== undefined);
}

/**
 * Returns the path of a Chromium: Playwright's own if installed, else the system's (on Debian its headless shell), else one
 * that Playwright downloads now, else Debian's package, installed now.
 *
 * @throws when none can be installed.
 */
export async function findBrowser(): Promise<string> {
  const attempts: (() => Promise<unknown>)[] = [async () => {}];
  attempts.push(() => runStep("download", "playwright", ["install", "chromium"]));
  if (process.getuid?.() === 0 && findOnPath("apt-get")) {
    attempts.push(async () => {
      const env = { DEBIAN_FRONTEND: "noninteractive" };
      await runStep("apt", "apt-get", ["update"], { env });
      // Without these fonts Japanese text is drawn as empty boxes.
      const packages = ["chromium", "fonts-noto-cjk"];
      await runStep("apt", "apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
    });
  }
  for (const attempt of attempts) {
    await attempt();
    const browser = await findInstalledBrowser();
    if (browser) return browser;
  }
  throw new Error("No Chromium was found or could be installed. Install one: npx playwright install chromium");
}
