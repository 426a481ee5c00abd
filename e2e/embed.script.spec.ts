import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "./support/test.ts";

/** Tests the letter form for other sites in a frame of another site, as a browser shows it. */

const WORDS = "窓辺の絵を、毎朝ながめています。";

/**
 * Starts another site, whose pages frame ours of the same path. Its address is no name of ours. Playwright cannot make
 * it up, because Chromium lets no page of the internet frame a page of this machine.
 */
async function startOtherSite(url: string): Promise<{ address: string; stop: () => void }> {
  const server = createServer((request, response) => {
    const page = `<h1>ブログ</h1><iframe name="ours" src="${url}${request.url}"></iframe>`;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}

test("a letter begun on another site arrives in the member's form in a new tab, and the letter page cannot be framed there", async ({
  someone,
  openEmptyPage,
  network,
}) => {
  const { address, stop } = await startOtherSite(network.url);
  const fan = await someone();
  const { page } = fan;
  await fan.startSession("fan_taro");

  const opened =
    await test.step("the form opens our own page in a new tab, with the words and the session", async () => {
      await page.goto(`${address}/natsume/embed`);
      const frame = page.frameLocator("iframe");
      await expect(frame.getByRole("heading", { name: "なつめさんへ" })).toBeVisible();
      await frame.getByLabel("メッセージ").fill(WORDS);
      const popup = page.waitForEvent("popup");
      await frame.getByRole("button", { name: "確認へ進む" }).click();
      const tab = await popup;
      await expect(tab).toHaveURL(`${network.url}/natsume/ofuse`);
      await expect(tab.getByLabel("メッセージ")).toHaveValue(WORDS);
      await expect(tab.getByText("まだ送信していません")).toBeVisible();
      expect(await tab.evaluate(() => window.opener)).toBeNull();
      expect(page.url()).toBe(`${address}/natsume/embed`);
      return tab;
    });

  await test.step("the letter is sent by the press there", async () => {
    await expect(opened.getByText("なつめさんに届けました。")).toHaveCount(0);
    await opened.getByRole("button", { name: "送信する" }).click();
    await expect(opened.getByText("なつめさんに届けました。")).toBeVisible();
  });

  await test.step("the browser shows no other page of ours in a frame", async () => {
    // Its console names the refusal, which the pages of `someone` must not.
    const other = await openEmptyPage({});
    await other.goto(`${address}/natsume/ofuse`);
    await expect.poll(() => other.frame("ours")?.url()).toMatch(/^chrome-error:/);
    await other.context().close();
  });
  stop();
});
