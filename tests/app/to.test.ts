import { describe, expect, test } from "vitest";
import { loginPath, safeTo, toQuery } from "../../app/request/to.ts";
import { foreignAddresses, foreignSamples } from "../support/foreign-addresses.ts";

describe("the redirect target", () => {
  test.each([
    "/",
    "/natsume",
    "/natsume?page=2#posts",
    "/my/box?type=sent&filter=not_replied",
    "/login@evil",
    "/a:b",
    "/%5Cevil.example",
    "/%2F%2Fevil.example",
    "/search?to=//evil.example",
    "/search?to=https://evil.example",
  ])("is %s itself", (to) => expect(safeTo(to)).toBe(to));

  test.each([
    "",
    "natsume",
    "//",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "/\\/evil.example",
    "\\\\evil.example",
    "/a\\b",
    "/./\\/evil",
    "/.//evil.example",
    "/..//evil.example",
    "/a/..//evil.example",
    "/%2e//evil.example",
    "/%2e%2e//evil.example",
    "https://evil.example",
    "HTTPS:evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    " /natsume",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\nSet-Cookie: a=b",
    "/\u0000",
    "/\u007f",
    "@evil.example",
    ".evil.example",
    "?to=/",
    "#x",
  ])("is the first page instead of %j", (to) => {
    expect(safeTo(to)).toBe("/");
    expect(safeTo(to, "/my/box")).toBe("/my/box");
  });

  test("is the first page instead of any of 300 spellings of another origin", () => {
    expect(foreignAddresses.length).toBeGreaterThan(300);
    for (const to of [...foreignAddresses, ...foreignSamples]) {
      expect([to, safeTo(to), safeTo(to, "/my/box")]).toEqual([to, "/", "/my/box"]);
    }
  });

  test("is the first page when the field is missing or a file", () => {
    expect(safeTo(null)).toBe("/");
    expect(safeTo(undefined)).toBe("/");
    expect(safeTo(new File(["x"], "/natsume"))).toBe("/");
  });

  test("is encoded for a header", () => {
    expect(safeTo("/なつめ?q=あ")).toBe("/%E3%81%AA%E3%81%A4%E3%82%81?q=%E3%81%82");
    expect(safeTo("/a/../b")).toBe("/b");
  });
});

test("the sign-in page's URL keeps the page to return to", () => {
  expect(loginPath("/")).toBe("/login");
  expect(loginPath("/my/box?type=sent")).toBe("/login?to=%2Fmy%2Fbox%3Ftype%3Dsent");
});

test("a link that passes on the page to return to leaves out a foreign one", () => {
  const passOn = (search: string) => toQuery(new URL(`https://ofuse.example/natsume/plans/x${search}`));
  expect(passOn("?page=2&to=/natsume/events/y?page=2")).toBe("?to=%2Fnatsume%2Fevents%2Fy%3Fpage%3D2");
  for (const search of ["", "?to=", "?to=//evil.example"]) expect(passOn(search)).toBe("");
});
