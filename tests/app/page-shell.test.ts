import { describe, expect, test } from "vitest";
import { themeCookie } from "../../app/browser/themes.ts";
import { soughtName } from "../../app/shell/failure-view.tsx";
import { documentTheme } from "../../app/shell/layout.ts";
import { patternOf } from "../../app/shell/page-pattern.ts";

describe("a page's pattern contains no name and no id", () => {
  test.each([
    ["/", {}, "/"],
    ["/search", {}, "/search"],
    ["/natsume", { link_id: "natsume" }, "/:link_id"],
    ["/natsume/", { link_id: "natsume" }, "/:link_id"],
    ["/natsume/events/01k7", { link_id: "natsume", event_id: "01k7" }, "/:link_id/events/:event_id"],
    ["/my/box/01k7", { ofuse_id: "01k7" }, "/my/box/:ofuse_id"],
    ["/%E3%81%82", { link_id: "あ" }, "/:link_id"],
    ["/nobody/at/all", { "*": "nobody/at/all" }, "/*"],
    ["/%ff", { link_id: "%ff" }, "/:link_id"],
  ])("%s", (pathname, params, pattern) => {
    expect(patternOf(pathname, params)).toBe(pattern);
  });
});

test("a page may require a theme, and the innermost of nested routes wins", () => {
  const matchesOf = (...handles: unknown[]) => handles.map((handle) => ({ handle }));
  const themeOf = (theme: "light" | "dark" | "system", ...handles: unknown[]) => {
    const document = documentTheme(matchesOf(...handles), theme);
    return [document.theme, document.attributes["data-theme"], document.attributes["data-theme-forced"]];
  };
  expect(themeOf("system", undefined, {}, { layout: "plain" })).toEqual(["system", undefined, undefined]);
  expect(themeOf("dark", undefined)).toEqual(["dark", "dark", undefined]);
  expect(themeOf("light", undefined, { theme: "dark" }, {})).toEqual(["dark", "dark", "dark"]);
  expect(themeOf("system", { theme: "dark" }, { theme: "light" }, undefined)).toEqual(["light", "light", "light"]);
});

test("over https the theme's cookie is not sent to other hosts", () => {
  expect(themeCookie("light", true)).toBe("theme=light; Path=/; Max-Age=34560000; SameSite=Lax; Secure");
  expect(themeCookie("light", false)).not.toContain("Secure");
});

describe("a missing page offers to search for the creator its address names", () => {
  test.each([
    ["/natsumee", "natsumee"],
    ["/@natsumee", "natsumee"],
    ["/natsumee/plans", "natsumee"],
    ["/natsumee/events/01k7", "natsumee"],
    ["/%E3%81%AA%E3%81%A4%E3%82%81", "なつめ"],
    // These addresses name no person.
    ["/", ""],
    ["/404", ""],
    ["/my/unknown", ""],
    ["/wp-login.php", ""],
    ["/%ff", ""],
    ["/<script>", ""],
    [`/${"x".repeat(60)}`, ""],
  ])("%s", (path, name) => {
    expect(soughtName(path)).toBe(name);
  });
});
