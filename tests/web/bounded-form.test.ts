import { expect, test } from "vitest";
import { parseBoundedForm } from "../../workers/web/bounded-form.ts";

const URLENCODED = "application/x-www-form-urlencoded";
const parseForm = (body: string, type: string | null = URLENCODED) =>
  parseBoundedForm(new TextEncoder().encode(body) as Uint8Array<ArrayBuffer>, type);
const partOf = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
const multipartOf = (names: string[]) => `${names.map(partOf).join("")}--x--\r\n`;
const MULTIPART = "multipart/form-data; boundary=x";

test("a form is accepted in every encoding of browsers, even empty", async () => {
  expect([...((await parseForm("a=1&a=2&b=")) as FormData)]).toEqual([
    ["a", "1"],
    ["a", "2"],
    ["b", ""],
  ]);
  expect([...((await parseForm(multipartOf(["a", "alt.01k"]), MULTIPART)) as FormData).keys()]).toEqual([
    "a",
    "alt.01k",
  ]);
  expect([...((await parseForm("")) as FormData)]).toEqual([]);
});

test.each([
  ["repeats one name", "a=1&".repeat(60_000), URLENCODED],
  ["consists of separators", "&".repeat(500_000), URLENCODED],
  ["has more than 500 parts", multipartOf(Array(501).fill("a")), MULTIPART],
])("a form that %s is refused as too large, before its fields are parsed", async (_, body, type) => {
  expect(await parseForm(body, type)).toBe("too_large");
});

test.each([
  ["a name longer than any of ours", `a${".a".repeat(20_000)}=1`, URLENCODED],
  ["a part with a name longer than any of ours", multipartOf(["a[0]".repeat(20)]), MULTIPART],
  ["JSON instead of fields", "{}", "application/json"],
  ["no content type", "a=1", null],
])("a body with %s is refused as a form", async (_, body, type) => {
  expect(await parseForm(body, type)).toBe("not_a_form");
});
