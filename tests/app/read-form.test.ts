import { describe, expect, test } from "vitest";
import * as z from "zod";
import { readForm } from "../../app/forms/read-form.ts";
import { oneTimeCode, phoneNumber, typedPassword } from "../../app/routes/login/typed.ts";
import { newPassword } from "../../workers/contract/text.ts";

const schema = z.object({ email: z.email("メールアドレスを入力してください。"), tags: z.array(z.string()) });

function formOf(body: string): FormData {
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(body)) form.append(name, value);
  return form;
}

describe("a form with field names that Conform interprets", () => {
  test.each([
    ["a large index of a list", "email[20000000]=1"],
    ["an index too large for any memory", "email[99999999]=1"],
    ["an invalid intent", "__intent__=1"],
    [
      "an intent that makes a list",
      `__intent__=${JSON.stringify({ type: "insert", payload: { name: "email[99999999]" } })}`,
    ],
    ["a state that is not JSON", "__state__=x"],
    ["a name nested in dots", `a${".a".repeat(20_000)}=1`],
    ["a name nested in brackets", `email${"[0]".repeat(20_000)}=1`],
    ["names that every object has", "__proto__=1&constructor=1&constructor.prototype.email=a@b.example&toString=1"],
  ])("is read without %s", (_, body) => {
    const read = readForm(formOf(body), schema);
    expect(read.value).toBeNull();
    expect(read.toResult()).toEqual({
      status: "error",
      initialValue: {},
      error: { email: ["メールアドレスを入力してください。"] },
      fields: [],
    });
    const whole = readForm(formOf(`email=a@b.example&${body}`), schema);
    expect(whole.value).toEqual({ email: "a@b.example", tags: [] });
  });
});

test("a repeated field is read once, and a list is read whole", () => {
  const form = formOf(`${"email=a@b.example&".repeat(3)}email=c@d.example&tags=1&tags=2`);
  expect(readForm(form, schema).value).toEqual({ email: "a@b.example", tags: ["1", "2"] });
});

test("fields of the schema are returned with their errors, except secrets", () => {
  const form = formOf("email=nobody&tags=1&other=x");
  expect(readForm(form, schema).toResult().initialValue).toEqual({ email: "nobody", tags: "1" });
  expect(readForm(form, schema, ["email"]).toResult().initialValue).toEqual({ tags: "1" });
});

test("every password that can be set can be typed at the sign-in", () => {
  const family = "👨‍👩‍👧‍👦".repeat(150);
  expect([newPassword.safeParse(family).success, typedPassword.safeParse(family).success]).toEqual([true, true]);
});

test.each(["\u202a%\u202c", "\u200e%", "%\u200b", "\ufeff%\u2069"])(
  "a number copied as %j is read without what nobody sees",
  (copied) => {
    for (const number of ["090-1234-5678", "+81 90 1234 5678"]) {
      expect(phoneNumber.parse(copied.replace("%", number))).toBe("+819012345678");
    }
    expect(oneTimeCode.parse(copied.replace("%", "123-456"))).toBe("123456");
  },
);
