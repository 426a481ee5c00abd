import { describe, expect, test } from "vitest";
import { browser, openBrowserAs } from "../support/network.ts";

const pressed = (text: string) =>
  [...text.matchAll(/<button type="submit" value="(\w+)" aria-pressed="true" name="theme">/g)].map(
    ([, value]) => value,
  );

describe("the theme form", () => {
  test("keeps the choice, for visitors and members, and returns to the page", async () => {
    for (const who of [null, "fan_hana"]) {
      const reader = await browser();
      if (who) await reader.signIn(who);
      expect(pressed((await reader.get("/natsume")).text)).toEqual(["system"]);
      const answer = await reader.post("/theme", { theme: "dark", to: "/natsume?page=2" });
      expect([answer.status, answer.location]).toEqual([303, "/natsume?page=2"]);
      const page = await reader.get("/natsume?page=2");
      expect(page.text).toContain('<html lang="ja" data-theme="dark">');
      expect(page.text).toContain('<meta name="color-scheme" content="dark"/>');
      expect([...page.text.matchAll(/name="theme-color"[^>]* content="(#\w+)"/g)].map(([, colour]) => colour)).toEqual([
        "#12181b",
        "#12181b",
      ]);
      expect(pressed(page.text)).toEqual(["dark"]);
      await reader.post("/theme", { theme: "system", to: "/" });
      const home = await reader.get("/");
      expect(home.text).toContain('<html lang="ja">');
      expect(home.text).toContain('<meta name="color-scheme" content="light dark"/>');
    }
  });

  test("sets a cookie that scripts may read, for the whole site and more than a year", async () => {
    const { headers } = await (await browser()).post("/theme", { theme: "light", to: "/" });
    expect(headers.getSetCookie()).toEqual(["theme=light; Path=/; Max-Age=34560000; SameSite=Lax"]);
  });

  test("stores known themes alone, and redirects only to this site", async () => {
    const reader = await browser();
    for (const fields of [
      { theme: "dark; Domain=evil.example", to: "//evil.example" },
      { to: "https://evil.example/" },
    ]) {
      const answer = await reader.post("/theme", fields as Record<string, string>);
      expect([answer.status, answer.location, answer.headers.getSetCookie()]).toEqual([303, "/", []]);
    }
    expect(reader.cookies.size).toBe(0);
  });

  test("refuses cross-site posts", async () => {
    const reader = await browser();
    const headers = { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" };
    const answer = await reader.send("/theme", { method: "POST", body: "theme=dark&to=/", headers });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  });
});

describe("the form of the display", () => {
  test("keeps the text size and the motion, for visitors and members, and shows them chosen", async () => {
    for (const [who, path] of [
      [null, "/theme"],
      ["fan_hana", "/my/settings/display"],
    ] as const) {
      const reader = who ? await openBrowserAs(who) : await browser();
      const answer = await reader.post("/theme", { text_size: "extra_large", motion: "reduce", to: path });
      expect([answer.status, answer.location]).toEqual([303, path]);
      const page = await reader.get(path);
      expect(page.text).toContain('<html lang="ja" data-text-size="extra_large" data-motion="reduce">');
      const chosen = [...page.text.matchAll(/<input\b[^>]*type="radio"[^>]*>/g)].filter(([tag]) =>
        tag.includes("checked"),
      );
      expect(chosen.map(([tag]) => /value="(\w+)"/.exec(tag)?.[1])).toEqual(["extra_large", "reduce"]);
      expect((await reader.get("/terms")).text).toContain('data-text-size="extra_large"');
    }
  });

  test("leads members to their settings", async () => {
    const { status, location } = await (await openBrowserAs("fan_hana")).get("/theme");
    expect([status, location]).toEqual([302, "/my/settings/display"]);
  });

  test("stores known values alone", async () => {
    const reader = await browser();
    await reader.post("/theme", { text_size: "huge; Domain=evil.example", motion: "spin", to: "/" });
    expect(reader.cookies.get("display")).toBe("standard-system");
  });
});
