/** Tests a site with creators and without a payment gateway: nobody is led to a payment that cannot be made. */
import { load } from "cheerio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, type Network, openBrowserAs, startTestNetwork } from "../support/network.ts";

let network: Network;
let fan: Browser;
let creator: Browser;
beforeAll(async () => {
  // Only a demo project has the embedded gateway.
  network = await startTestNetwork({ PROJECT_ID: "ofuse-site", MONEY: "off", MAIL_END: "" });
  [fan, creator] = await Promise.all([openBrowserAs("fan_taro", network), openBrowserAs("natsume", network)]);
});
afterAll(() => network.stop());

const OFF = "いまお金のやりとりを受け付けていません";
const UNAVAILABLE = "いまお支払いを受け付けていません";

/** Returns the first link of a page that matches. */
async function findLink(page: string, selector: string): Promise<string> {
  const href = load((await fan.get(page)).text)(selector)
    .first()
    .attr("href");
  if (!href) throw new Error(`${page} has no ${selector}`);
  return href;
}

test("says so wherever somebody would pay", async () => {
  const [event, plan] = await Promise.all([
    findLink("/natsume", ".event-card a[href*='/events/']"),
    findLink("/natsume/plans", ".plan-title a"),
  ]);
  const membership_id = plan.split("/").at(-1);
  const said = {
    "/natsume/ofuse": "いま有料のofuseを受け付けていません",
    "/natsume/ofuse/paid": OFF,
    "/natsume/plans": "いまプランに加入できません",
    [plan]: "いまプランに加入できません",
    [`${event}/paid-comments`]: OFF,
    [`/my/subscriptions/join/${membership_id}`]: UNAVAILABLE,
    "/my/settings/payments": UNAVAILABLE,
    "/signup/monetize": OFF,
    "/transactions": OFF,
  };
  for (const [path, sentence] of Object.entries(said)) {
    const page = await fan.get(path);
    const document = load(page.text);
    expect({ path, status: page.status, text: document("main").text() }).toEqual({
      path,
      status: 200,
      text: expect.stringContaining(sentence),
    });
    const ways = document("main").find(
      "a[href$='/ofuse/paid'], [name=paid], a[href*='/subscriptions/join/'], [name=price], [name=do][value=add]",
    );
    expect(ways.length, `${path} offers a payment`).toBe(0);
  }
});

test("says so where a creator would be paid", async () => {
  for (const path of ["/my/transactions", "/my/transactions/payout", "/signup/monetize"]) {
    const { text } = await creator.get(path);
    expect(text).toContain(OFF);
    expect(load(text)("main a[href$='/payout'], main form [name=amount], main [name=account_type]").length, path).toBe(
      0,
    );
  }
});

test("keeps the words of a form that was opened before, and delivers free letters", async () => {
  const message = "何度も書き直した大切な言葉";
  const refused = await fan.post("/natsume/ofuse/paid", { message, price: "550" });
  expect(refused.status).toBe(503);
  expect(load(refused.text)("[name=message]").val()).toBe(message);
  expect(refused.text).toContain(UNAVAILABLE);
  expect(await fan.post("/natsume/ofuse", { message })).toMatchObject({ status: 303, location: "/natsume/ofuse" });
});
