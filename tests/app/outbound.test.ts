import { domainToUnicode } from "node:url";
import { describe, expect, test } from "vitest";
import { SessionKeys } from "../../app/session/session.ts";
import { admissibleUrl, outboundPath, readDestination } from "../../app/site/outbound.ts";

const SECRET = "session-key-of-the-tests-000000000001";
const OTHER = "session-key-of-the-tests-000000000002";
const keys = new SessionKeys(`k1:${SECRET}`);
const SHOP = "https://shop.natsume.jp/本?a=1&b=2#新刊";

const queryOf = (path: string | null) => new URL(path ?? "", "https://ofuse.example").searchParams;
const readLink = (query: URLSearchParams, by = keys) => readDestination(query, by, domainToUnicode);

describe("an outbound link", () => {
  test("is the same each time, and leads to the signed address", async () => {
    const path = await outboundPath(SHOP, keys);
    expect(await outboundPath(SHOP, keys)).toBe(path);
    expect(await readLink(queryOf(path))).toEqual({
      href: new URL(SHOP).href,
      host: "shop.natsume.jp",
      unicode_host: null,
      is_encrypted: true,
    });
  });

  test("survives a change of keys, and ends when its key is removed", async () => {
    const query = queryOf(await outboundPath(SHOP, keys));
    expect(await readLink(query, new SessionKeys(`k2:${OTHER},k1:${SECRET}`))).not.toBeNull();
    expect(await readLink(query, new SessionKeys(`k2:${OTHER}`))).toBeNull();
    expect(await readLink(query, new SessionKeys(`k1:${OTHER}`))).toBeNull();
  });

  test("is refused for another address, when truncated, or with a signature made for another purpose", async () => {
    const query = queryOf(await outboundPath(SHOP, keys));
    const sig = query.get("sig") ?? "";
    const readChanged = (to: string, mark: string) => readLink(new URLSearchParams({ to, sig: mark }));
    expect(await readChanged(SHOP, sig)).not.toBeNull();
    expect(await readChanged("https://shop.natsume.jp.evil.example/", sig)).toBeNull();
    expect(await readChanged(`${SHOP}x`, sig)).toBeNull();
    for (const mark of [
      "",
      ".",
      "k1",
      "k1.",
      `k1.${sig.slice(3, -4)}`,
      sig.replace("k1", "k9"),
      `${sig}AA`,
      "k1.%%%",
    ]) {
      expect([mark, await readChanged(SHOP, mark)]).toEqual([mark, null]);
    }
    expect(await readChanged(SHOP, await keys.mark(SHOP, "something else"))).toBeNull();
    expect(await readChanged(SHOP, await keys.seal({} as never))).toBeNull();
  });

  test("shows an international host as the network knows it and as people read it", async () => {
    const destination = await readLink(queryOf(await outboundPath("https://日本語.example/", keys)));
    expect(destination).toMatchObject({ host: "xn--wgv71a119e.example", unicode_host: "日本語.example" });
  });

  test("over http warns that the connection is not private", async () => {
    const destination = await readLink(queryOf(await outboundPath("http://old.example:8080/", keys)));
    expect(destination).toMatchObject({ host: "old.example:8080", is_encrypted: false });
  });
});

test.each([
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "data:text/html,<b>",
  "ftp://files.example/",
  "//evil.example/",
  "/login",
  "",
  "https://",
  "https://google.com@evil.example/",
  "https://user:secret@evil.example/",
  "https://evil.example\\@good.example/",
  "https://good.example/\nhttps://evil.example/",
  " https://good.example/",
  `https://long.example/${"a".repeat(2000)}`,
])("a redirect to %j is refused, even if signed", async (written) => {
  expect(admissibleUrl(written)).toBeNull();
  expect(await outboundPath(written, keys)).toBeNull();
  const sig = await keys.mark(written, "outbound link");
  expect(await readLink(new URLSearchParams({ to: written, sig }))).toBeNull();
});
