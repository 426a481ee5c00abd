import { expect, test } from "vitest";
import { isSameOrigin } from "../../workers/web/same-origin.ts";

const HERE = "https://ofuse.test";
const cases: [method: string, origin: string | null, site: string | null, admitted: boolean][] = [
  ["GET", null, null, true],
  ["GET", "https://evil.example", "cross-site", true],
  ["HEAD", null, "cross-site", true],
  ["POST", HERE, "same-origin", true],
  ["POST", HERE, null, true],
  ["PUT", HERE, "same-origin", true],
  ["DELETE", HERE, "same-origin", true],
  ["POST", null, null, false],
  ["POST", null, "same-origin", false],
  ["POST", "", "same-origin", false],
  ["POST", "null", null, false],
  ["POST", "null", "same-origin", false],
  ["POST", HERE, "cross-site", false],
  ["POST", HERE, "same-site", false],
  ["POST", HERE, "none", false],
  ["POST", HERE, "", false],
  ["POST", "https://evil.example", "cross-site", false],
  ["POST", "https://evil.example", "same-origin", false],
  ["POST", "http://ofuse.test", null, false],
  ["POST", "https://ofuse.test:8443", null, false],
  ["POST", "https://www.ofuse.test", "same-site", false],
  ["POST", "https://ofuse.test.evil.example", null, false],
  ["POST", "https://ofuse.test, https://evil.example", null, false],
  ["PATCH", null, null, false],
  ["PUT", "https://evil.example", null, false],
  ["DELETE", null, null, false],
];

test.each(cases)("%s from origin %j with site %j: %s", (method, origin, site, admitted) => {
  const headers = new Headers();
  if (origin !== null) headers.set("origin", origin);
  if (site !== null) headers.set("sec-fetch-site", site);
  expect(isSameOrigin(new Request(`${HERE}/login`, { method, headers }))).toBe(admitted);
});
