import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, type Page } from "playwright/test";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import { startNetwork } from "../../scripts/network.ts";

export { expect };

/** Somebody at a browser of their own. */
export class Person {
  readonly page: Page;
  readonly has_script: boolean;

  constructor(page: Page, has_script: boolean) {
    this.page = page;
    this.has_script = has_script;
  }

  /** Fills the sign-in form that is shown. */
  async signIn(link_id: string): Promise<void> {
    await this.page.getByLabel("メールアドレス").fill(demoEmail(link_id));
    await this.page.getByLabel("パスワード").fill(DEMO_PASSWORD);
    await this.page.getByRole("button", { name: "ログイン" }).click();
  }

  /** Opens a member's page; with JavaScript, waits until it is alive. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.isAlive();
  }

  async isAlive(): Promise<void> {
    if (this.has_script) await expect(this.page.locator("html")).toHaveAttribute("data-hydrated", "true");
  }

  /**
   * Does something a member's page must do without being loaded anew. Without JavaScript every step is a new document,
   * and nothing is asserted about that.
   */
  async stayingOnThePage(act: () => Promise<void>): Promise<void> {
    if (!this.has_script) return act();
    await this.isAlive();
    await this.page.evaluate(() => {
      document.documentElement.dataset.document = "the same";
    });
    await act();
    await expect(this.page.locator("html")).toHaveAttribute("data-document", "the same");
  }
}

interface TestFixtures {
  /** A new browser with nobody signed in. */
  someone: (name?: string) => Promise<Person>;
}

interface WorkerFixtures {
  network: Awaited<ReturnType<typeof startNetwork>>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  network: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from this pattern.
    async ({}, use) => {
      const data_dir = mkdtempSync(join(tmpdir(), "ofuse-e2e-"));
      // Made by world.ts.
      if (process.env.DEMO_WORLD) cpSync(process.env.DEMO_WORLD, data_dir, { recursive: true });
      const overrides = {
        SIGN_UPS_PER_ADDRESS_HOUR: "1000",
        MAILS_PER_ADDRESS_HOUR: "1000",
        CODES_PER_ADDRESS_HOUR: "1000",
      };
      const network = await startNetwork({ data_dir, overrides });
      await use(network);
      await network.stop();
      rmSync(data_dir, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ network }, use) => use(network.url),
  someone: async ({ browser, network, javaScriptEnabled, viewport, locale }, use) => {
    const contexts: Awaited<ReturnType<typeof browser.newContext>>[] = [];
    const complaints: string[] = [];
    await use(async () => {
      const context = await browser.newContext({ baseURL: network.url, javaScriptEnabled, viewport, locale });
      contexts.push(context);
      const page = await context.newPage();
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        // What the browser itself says of refusals that a journey means to provoke is no complaint.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          complaints.push(message.text());
        }
      });
      page.on("response", (response) => {
        if (response.status() >= 400 && /\/(assets|media)\//.test(response.url())) complaints.push(response.url());
      });
      return new Person(page, javaScriptEnabled ?? true);
    });
    for (const context of contexts) await context.close();
    // A hydration mismatch, a thrown error, a file that is not there, a breach of the page's own policy: a failure of the journey, whatever the person saw.
    expect(complaints).toEqual([]);
  },
});
