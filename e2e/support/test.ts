import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContextOptions, test as base, expect as baseExpect, type Page } from "playwright/test";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import type { Overrides } from "../../scripts/local-vars.ts";
import { startNetwork } from "../../scripts/network.ts";
import { mintSessionCookies } from "../../tests/support/session.ts";
import { expectPlain, IN_CHROMIUM, PlainLocator, PlainPage } from "./plain-page.ts";

/** Playwright's own, which knows pages and locators over HTTP besides. */
export const expect = new Proxy(baseExpect, {
  apply(called, self, [actual, ...said]: [unknown, ...string[]]) {
    if (actual instanceof PlainPage || actual instanceof PlainLocator) return expectPlain(actual, ...said);
    return Reflect.apply(called, self, [actual, ...said]);
  },
});

type Network = Awaited<ReturnType<typeof startNetwork>>;

/** Somebody at a browser of their own. */
export class Person {
  readonly page: Page;
  readonly has_script: boolean;
  readonly #network: Network;

  constructor(page: Page, has_script: boolean, network: Network) {
    this.page = page;
    this.has_script = has_script;
    this.#network = network;
  }

  /** Fills the sign-in form that is shown: for journeys that lead over the sign-in. Others call {@link openAs}. */
  async signIn(link_id: string): Promise<void> {
    await this.page.getByLabel("メールアドレス").fill(demoEmail(link_id));
    await this.page.getByLabel("パスワード").fill(DEMO_PASSWORD);
    // Waited for here: the click's own wait may hear that a page was asked for after that page has come.
    const button = this.page.getByRole("button", { name: "ログイン", exact: true });
    if (this.page instanceof PlainPage) return button.click();
    const arrived = this.page.waitForEvent("framenavigated");
    await button.click({ noWaitAfter: true });
    await arrived;
  }

  /** Signs this browser in without a form, in place of whoever was signed in. Pages that are open are not told. */
  async startSession(link_id: string): Promise<void> {
    const cookies = await mintSessionCookies(this.#network, { email: demoEmail(link_id), password: DEMO_PASSWORD });
    const { url } = this.#network;
    await this.page
      .context()
      .addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url, httpOnly: true })));
  }

  /** Opens a page as a member who has signed in before. */
  async openAs(link_id: string, path: string): Promise<void> {
    await this.startSession(link_id);
    await this.page.goto(path);
    await expect(this.page).toHaveURL(path);
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
  network: Network;
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
      const network = await startNetwork({ data_dir, is_prepared: true, overrides: { ...limits, ...overrides } });
      await use(network);
      await network.stop();
      rmSync(data_dir, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 180_000 },
  ],
  openEmptyPage: [
    ({ browser }, use) => use(async (options) => (await browser.newContext(options)).newPage()),
    { scope: "worker" },
  ],
  baseURL: async ({ network }, use) => use(network.url),
  someone: async ({ openEmptyPage, network, javaScriptEnabled, viewport, locale }, use, { tags }) => {
    const pages: Page[] = [];
    const complaints: string[] = [];
    const is_over_http = !javaScriptEnabled && !tags.includes(IN_CHROMIUM);
    await use(async () => {
      if (is_over_http) return new Person(new PlainPage(network.url) as unknown as Page, false, network);
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
      return new Person(page, javaScriptEnabled ?? true, network);
    });
    for (const page of pages) await page.context().close();
    // A hydration mismatch, a thrown error, a file that is not there, a breach of the page's own policy: a failure of the journey, whatever the person saw.
    expect(complaints).toEqual([]);
  },
});
