import { expect, test } from "vitest";
import { network, openBrowserAs } from "../support/network.ts";

/** What a member's browser must load before it paints a page. */

const PRELOAD = /<link rel="modulepreload"/;
const SHEET = /<link [^>]*rel="stylesheet"/;

async function partsOf(path: string) {
  const member = await openBrowserAs("fan_hana", await network());
  const [head = "", body = ""] = (await member.get(path)).text.split("</head>");
  return { head, body };
}

test.each(["/", "/natsume", "/natsume/about"])(
  "%s is painted without a style sheet and before its scripts",
  async (path) => {
    const { head, body } = await partsOf(path);
    expect(head.split("<style>")[1]).toContain(".user-button");
    expect(head).not.toMatch(SHEET);
    expect(head).not.toMatch(PRELOAD);
    const [content = "", end = ""] = body.split("</footer>");
    expect(content).not.toMatch(SHEET);
    expect(end).toMatch(SHEET);
    expect(end).toMatch(PRELOAD);
  },
);

test("a page that inlines no styles waits for the style sheet, not for its scripts", async () => {
  const { head, body } = await partsOf("/my/settings");
  expect(head).toMatch(SHEET);
  expect(head).not.toMatch(PRELOAD);
  expect(body).toMatch(PRELOAD);
});
