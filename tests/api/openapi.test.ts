import { describe, expect, test } from "vitest";
import * as z from "zod";
import { describeContract } from "../../workers/api/docs/openapi.ts";
import { identityOperations, productOperations } from "../../workers/contract/index.ts";
import type { Operation } from "../../workers/contract/operation.ts";

test("every call that a key opens can say that nothing was found", () => {
  const { paths } = describeContract();
  const opened = productOperations.filter(({ takes_url_key }) => takes_url_key);
  expect(opened.map(({ id }) => id)).toContain("getPodcast");
  for (const { id, method, path } of opened) {
    expect(paths[path]?.[method.toLowerCase()]?.["x-errors"], id).toContain("not_found");
  }
});

/** The optional fields of a body that name what the caller has read or uses, and are not stored. */
const CONDITIONS = new Set([
  ...["seen_updated_at", "seen_external_links", "draft_id", "draft_revision", "rotates_url_key"],
  // The former address of a browser.
  "replaces",
]);

describe("a PUT whose body may leave out fields", () => {
  const puts: Operation[] = [...productOperations, ...identityOperations].filter(({ method }) => method === "PUT");
  /** Returns what the fields become that can be left out. */
  const leftOutOf = ({ body }: Operation) =>
    Object.entries(body instanceof z.ZodObject ? body.shape : {}).flatMap(([name, field]) => {
      const read = (field as z.ZodType).safeParse(undefined);
      return read.success && !CONDITIONS.has(name) ? [{ name, is_filled: read.data !== undefined }] : [];
    });

  test.each(puts)("says what becomes of them: $id", (put) => {
    const left_out = leftOutOf(put);
    const { description = "" } = describeContract().paths[put.path]?.put ?? {};
    // Without these choices the call does something else, which their own words say.
    if (put.id === "updateMailSettings") return expect(left_out).toEqual([{ name: "mail", is_filled: false }]);
    if (left_out.length === 0) return expect(description).toBe("");
    const { missing_fields } = put;
    for (const { name, is_filled } of left_out)
      expect({ name, is_filled }).toEqual({ name, is_filled: missing_fields === "reset" });
    expect(description).toBe(
      missing_fields === "reset" ? "省略した項目は、初期値に戻ります。" : "省略した項目は、変わりません。",
    );
  });
});
