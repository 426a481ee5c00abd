/** Finds a Chromium for the browser tests, fetching one when the machine has none. */
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright";
import { runStep } from "./steps.ts";

const systemNames = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Path of a program on PATH. */
function onPath(name: string): string | undefined {
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

function installedBrowser(): string | undefined {
  const own = chromium.executablePath();
  return existsSync(own) ? own : systemNames.map(onPath).find((path) => path !== undefined);
}

/**
 * Path of a Chromium: Playwright's own, else the system's, else Playwright's downloaded now, else Debian's installed now.
 *
 * @throws when there is none to be had.
 */
export async function findBrowser(): Promise<string> {
  const attempts: (() => Promise<unknown>)[] = [async () => {}];
  attempts.push(() => runStep("download", "playwright", ["install", "chromium"]));
  if (process.getuid?.() === 0 && onPath("apt-get")) {
    attempts.push(async () => {
      const env = { DEBIAN_FRONTEND: "noninteractive" };
      await runStep("apt", "apt-get", ["update"], { env });
      // The fonts: without them Japanese is drawn as empty boxes.
      const packages = ["chromium", "fonts-noto-cjk"];
      await runStep("apt", "apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
    });
  }
  for (const attempt of attempts) {
    await attempt();
    const browser = installedBrowser();
    if (browser) return browser;
  }
  throw new Error("No Chromium was found or could be installed. Install one: npx playwright install chromium");
}
