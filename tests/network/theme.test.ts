import { describe, expect, test } from "vitest";
import { browser } from "../support/network.ts";

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
