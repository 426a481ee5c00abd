import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BrowserContextOptions,
  test as base,
  expect as baseExpect,
  type Page,
  type Response,
} from "playwright/test";
import { SESSION_COOKIE, SessionKeys } from "../../app/session/session.ts";
import { databaseIds } from "../../scripts/data-folder.ts";
import { DEMO_PASSWORD, demoEmail } from "../../scripts/demo/seed.ts";
import type { Overrides } from "../../scripts/local-vars.ts";
import { startNetwork } from "../../scripts/network.ts";
import { openSql, sqlWorker } from "../../scripts/sql.ts";
import { newVapidKeys } from "../../tests/support/push-receiver.ts";
import { mintOperatorCookie, mintSessionCookies } from "../../tests/support/session.ts";
import "../../tests/support/own-connections.ts";
import { expectPlain, IN_CHROMIUM, PlainLocator, PlainPage } from "./plain-page.ts";

/** Playwright's `expect`, which also accepts pages and locators over HTTP. */
export const expect = new Proxy(baseExpect, {
  apply(called, self, [actual, ...said]: [unknown, ...string[]]) {
    if (actual instanceof PlainPage || actual instanceof PlainLocator) return expectPlain(actual, ...said);
    return Reflect.apply(called, self, [actual, ...said]);
  },
});

type Network = Awaited<ReturnType<typeof startNetwork>>;

/** A person with a browser of their own. */
export class Person {
  readonly page: Page;
  readonly has_script: boolean;
  readonly #network: Network;

  constructor(page: Page, has_script: boolean, network: Network) {
    this.page = page;
    this.has_script = has_script;
    this.#network = network;
  }

  /** Fills the sign-in form on the page, for journeys that test the sign-in. Other journeys call {@link openAs}. */
  async signIn(link_id: string): Promise<void> {
    await this.page.getByLabel("メールアドレス").fill(demoEmail(link_id));
    await this.page.getByLabel("パスワード").fill(DEMO_PASSWORD);
    // Wait for the navigation here: the click's own wait may miss a page that loads fast.
    const button = this.page.getByRole("button", { name: "ログイン", exact: true });
    if (this.page instanceof PlainPage) return button.click();
    const arrived = this.page.waitForEvent("framenavigated");
    await button.click({ noWaitAfter: true });
    await arrived;
  }

  /** Signs this browser in without a form, replacing any other member. Open pages do not notice. */
  async startSession(link_id: string): Promise<void> {
    await this.#addCookies(await this.#mintSession(link_id));
  }

  /** Like {@link startSession}, as an operator with a second factor. */
  async startOperatorSession(link_id: string): Promise<void> {
    const { secrets, miniflare } = this.#network;
    const cookie = (await this.#mintSession(link_id))[SESSION_COOKIE] ?? "";
    const session = await new SessionKeys(secrets.SESSION_KEYS).open(cookie);
    if (!session || session === "expired") throw new Error(`${link_id} has no session`);
    await this.#addCookies(await mintOperatorCookie(await openSql(miniflare, "identity"), secrets, session.token));
  }

  #mintSession(link_id: string): Promise<Record<string, string>> {
    return mintSessionCookies(this.#network, { email: demoEmail(link_id), password: DEMO_PASSWORD });
  }

  async #addCookies(cookies: Record<string, string>): Promise<void> {
    const { url } = this.#network;
    await this.page
      .context()
      .addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url, httpOnly: true })));
  }

  /**
   * Ends the session of this browser, while a page is open. A page that asks for its session after two seconds would
   * learn so before the journey sends its form.
   */
  async loseSession(): Promise<void> {
    if (!(this.page instanceof PlainPage)) await this.page.route("**/session/state.json", (route) => route.abort());
    await this.page.context().clearCookies({ name: /^soziId(Auth|Refresh)$/ });
  }

  /** Opens a page as a member who has signed in before. */
  async openAs(link_id: string, path: string): Promise<void> {
    await this.startSession(link_id);
    await this.page.goto(path);
    await expect(this.page).toHaveURL(path);
  }

  /** Opens a page. With JavaScript, waits until a member's page is hydrated. */
  async open(path: string): Promise<Response | null> {
    const response = await this.page.goto(path);
    await this.waitUntilHydrated();
    return response;
  }

  /**
   * Waits until the page that has just been opened is hydrated, if it is a member's, and its editor loaded, if it has
   * one. Unlike {@link isAlive}, it does not load Playwright's own scripts into the page, which take a tenth of the
   * time of a walk over many pages.
   */
  async waitUntilHydrated(): Promise<void> {
    if (!this.has_script) return;
    await this.page.evaluate(() => {
      const html = document.documentElement;
      if (!document.querySelector("script[nonce]")) return;
      return new Promise<void>((resolve) => {
        const look = () => {
          const is_loaded = !document.querySelector(".body-frame") || document.querySelector(".body-switch");
          if (html.dataset.hydrated === "true" && is_loaded) resolve();
        };
        new MutationObserver(look).observe(html, { attributes: true, subtree: true, childList: true });
        look();
      });
    });
  }

  async isAlive(): Promise<void> {
    if (this.has_script) await expect(this.page.locator("html")).toHaveAttribute("data-hydrated", "true");
  }

  /**
   * Runs a step that must not reload a member's page. Without JavaScript every step loads a document, so this asserts
   * nothing.
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
  /** Opens a new browser without a sign-in. */
  someone: (name?: string) => Promise<Person>;
}

interface WorkerFixtures {
  /** Settings of the network beyond the defaults. */
  overrides: Overrides;
  network: Network;
  /** Opens an empty page in a new browser context. */
  openEmptyPage: (options: BrowserContextOptions) => Promise<Page>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  overrides: [{}, { option: true, scope: "worker" }],
  network: [
    async ({ overrides }, use) => {
      const data_dir = mkdtempSync(join(tmpdir(), "ofuse-e2e-"));
      // world.ts has filled this folder.
      if (process.env.DEMO_WORLD) cpSync(process.env.DEMO_WORLD, data_dir, { recursive: true });
      const limits = {
        SIGN_UPS_PER_ADDRESS_HOUR: "1000",
        MAILS_PER_ADDRESS_HOUR: "1000",
        CODES_PER_ADDRESS_HOUR: "1000",
      };
      const keys = await newVapidKeys();
      const push = {
        WEB_PUSH_PUBLIC_KEY: keys.public_key,
        WEB_PUSH_PRIVATE_KEY: keys.private_key,
        WEB_PUSH_SUBJECT: "mailto:operator@ofuse.example",
        // Nobody listens there: no journey waits for a push notification.
        WEB_PUSH_LOOPBACK: "http://127.0.0.1:9",
      };
      const network = await startNetwork({
        data_dir,
        is_prepared: true,
        overrides: { GATEWAY_TRAFFIC: process.env.GATEWAY_TRAFFIC, ...limits, ...push, ...overrides },
        beside: [sqlWorker(databaseIds)],
      });
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
      const page = await openEmptyPage({
        baseURL: network.url,
        javaScriptEnabled,
        viewport,
        locale,
        // Playwright scrolls to an element before it clicks. In a menu that is still sliding open, it scrolls too far,
        // and the click misses.
        reducedMotion: "reduce",
      });
      pages.push(page);
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        // The browser logs failed requests too, which a journey may provoke on purpose.
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
    // Fail on a hydration mismatch, a thrown error, a missing file or a violation of the page's CSP, even if the person
    // saw nothing.
    expect(complaints).toEqual([]);
  },
});
