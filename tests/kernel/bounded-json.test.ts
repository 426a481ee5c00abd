import { expect, test } from "vitest";
import { parseBoundedJson } from "../../workers/kernel/bounded-json.ts";

test("the JSON of a normal call is parsed", () => {
  const text = '{"a":[1,{"b":"],[{,\\"\\\\"}],"c":null}';
  expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  const longest = JSON.stringify(Array.from({ length: 30_000 }, () => ({ type: "break" })));
  expect(parseBoundedJson(longest)).toHaveLength(30_000);
  expect(() => parseBoundedJson('{"a":')).toThrow(SyntaxError);
});

test.each([
  ["nested without end", "[".repeat(100_000) + "]".repeat(100_000)],
  ["nested in objects", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`],
  ["with more values than any call has", `[${"1,".repeat(100_000)}1]`],
  ["with one name repeated", `{${'"a":1,'.repeat(70_000)}"a":1}`],
])("JSON %s is refused before its values are read", (_, text) => {
  expect(() => parseBoundedJson(text)).toThrow(SyntaxError);
});
