import type * as z from "zod";
import { groupDigits } from "../contract/group-digits.ts";

/** The most choices that a sentence lists. */
const MAX_CHOICES = 20;
/** Unknown fields are the caller's own words, of any number and length. */
const MAX_KEYS = 3;
const MAX_KEY_LENGTH = 50;

const types: Readonly<Record<string, string>> = {
  string: "文字列",
  number: "数値",
  int: "整数",
  boolean: "true か false ",
  array: "配列",
  object: "オブジェクト",
  record: "オブジェクト",
  null: "null ",
};

const formats: Readonly<Record<string, string>> = {
  date: "2026-11-20 のような日付",
  datetime: "2026-11-20T03:15:00.000Z のような日時",
  url: "https:// で始まるURL",
  email: "メールアドレス",
};

/**
 * Returns the Japanese sentence for a check that has no sentence of its own. It names the parameter by its whole path. zod
 * calls it at the end of the parse, when the path is complete. Source: spec section 5.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  const name = issue.path?.join(".") || "送信内容";
  const refuse = (asked: string) => `${name}は、${asked}指定してください。`;
  if (isMissing(issue)) return `${name}を指定してください。`;
  switch (issue.code) {
    case "invalid_type": {
      const type = types[issue.expected];
      return type ? refuse(`${type}で`) : `${name}の形式が正しくありません。`;
    }
    case "invalid_value":
      return describeChoices(name, issue.values);
    case "too_big": {
      const max = groupDigits(Number(issue.maximum));
      if (issue.origin === "string") return refuse(issue.exact ? `${max}文字で` : `${max}文字以内で`);
      if (issue.origin === "array") return refuse(issue.exact ? `${max}個` : `${max}個以内で`);
      return refuse(`${max}${issue.inclusive ? "以下" : "未満"}の数で`);
    }
    case "too_small": {
      const min = groupDigits(Number(issue.minimum));
      if (issue.origin === "string") return refuse(issue.exact ? `${min}文字で` : `${min}文字以上で`);
      if (issue.origin === "array") return refuse(issue.exact ? `${min}個` : `${min}個以上`);
      return refuse(issue.inclusive ? `${min}以上の数で` : `${min}より大きい数で`);
    }
    case "not_multiple_of":
      return refuse(`${issue.divisor}の倍数で`);
    case "invalid_format": {
      if (issue.format === "starts_with") return refuse(`「${issue.prefix}」で始まる文字列で`);
      const format = formats[issue.format];
      return format ? refuse(`${format}で`) : `${name}の形式が正しくありません。`;
    }
    case "unrecognized_keys": {
      const keys = issue.keys.slice(0, MAX_KEYS).map((key) => key.slice(0, MAX_KEY_LENGTH));
      return `${keys.join("、")}${issue.keys.length > MAX_KEYS ? "など" : ""}は指定できません。`;
    }
    case "invalid_union":
      return describeUnion(name, issue);
    default:
      return `${name}の内容が正しくありません。`;
  }
}

/** Whether the value is missing. A discriminated union reports its discriminator with the input of the whole object. */
function isMissing(issue: z.core.$ZodRawIssue): boolean {
  if (issue.code === "custom") return false;
  if (issue.code !== "invalid_union" || issue.discriminator === undefined) return issue.input === undefined;
  return (issue.input as Record<string, unknown> | undefined)?.[issue.discriminator] === undefined;
}

function describeChoices(name: string, values: readonly unknown[]): string {
  if (values.length > MAX_CHOICES) return `${name}の値が正しくありません。`;
  if (values.length === 1) return `${name}に指定できるのは ${values[0]} だけです。`;
  return `${name}は、${values.join("、")} のどれかを指定してください。`;
}

/**
 * Describes a union by all values that its options list, or else by its first option, if that takes one value. Options
 * that are objects have no common sentence.
 */
function describeUnion(name: string, issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if (Array.isArray(issue.options)) return describeChoices(name, issue.options);
  const listed = issue.errors.map(([refusal]) =>
    refusal?.code === "invalid_value" && refusal.path.length === 0 ? refusal.values : null,
  );
  if (listed.every((values) => values !== null)) return describeChoices(name, listed.flat());
  const [first] = issue.errors[0] ?? [];
  const is_of_value = first?.path.length === 0 && (first.code === "invalid_type" || first.code === "invalid_value");
  if (is_of_value) return describeIssue({ ...first, path: issue.path, input: issue.input } as z.core.$ZodRawIssue);
  return issue.path?.length ? `${name}の内容が正しくありません。` : `${name}の項目の組み合わせが正しくありません。`;
}
