import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContextOptions, test as base, expect, type Page } from "playwright/test";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import type { Overrides } from "../../scripts/local-vars.ts";
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
    // Waited for here: the click's own wait may hear that a page was asked for after that page has come.
    const arrived = this.page.waitForEvent("framenavigated");
    await this.page.getByRole("button", { name: "ログイン", exact: true }).click({ noWaitAfter: true });
    await arrived;
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
  /** Settings of the network, besides those every journey has. */
  overrides: Overrides;
  network: Awaited<ReturnType<typeof startNetwork>>;
  /** An empty page in a browser context of its own. */
  openEmptyPage: (options: BrowserContextOptions) => Promise<Page>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  overrides: [{}, { option: true, scope: "worker" }],
  network: [
    async ({ overrides }, use) => {
      const data_dir = mkdtempSync(join(tmpdir(), "ofuse-e2e-"));
      // Made by world.ts.
      if (process.env.DEMO_WORLD) cpSync(process.env.DEMO_WORLD, data_dir, { recursive: true });
      const limits = {
        SIGN_UPS_PER_ADDRESS_HOUR: "1000",
        MAILS_PER_ADDRESS_HOUR: "1000",
        CODES_PER_ADDRESS_HOUR: "1000",
      };
      const network = await startNetwork({ data_dir, overrides: { ...limits, ...overrides } });
      await use(network);
      await network.stop();
      rmSync(data_dir, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 60_000 },
  ],
  openEmptyPage: [
    ({ browser }, use) => use(async (options) => (await browser.newContext(options)).newPage()),
    { scope: "worker" },
  ],
  baseURL: async ({ network }, use) => use(network.url),
  someone: async ({ openEmptyPage, network, javaScriptEnabled, viewport, locale }, use) => {
    const pages: Page[] = [];
    const complaints: string[] = [];
    await use(async () => {
      const page = await openEmptyPage({ baseURL: network.url, javaScriptEnabled, viewport, locale });
      pages.push(page);
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
    for (const page of pages) await page.context().close();
    // A hydration mismatch, a thrown error, a file that is not there, a breach of the page's own policy: a failure of the journey, whatever the person saw.
    expect(complaints).toEqual([]);
  },
});
