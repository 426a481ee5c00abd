import { expect, test } from "vitest";
import { describeContract } from "../../workers/api/docs/openapi.ts";
import { productOperations } from "../../workers/contract/index.ts";

test("every call that a key opens can say that nothing was found", () => {
  const { paths } = describeContract();
  const opened = productOperations.filter(({ takes_url_key }) => takes_url_key);
  expect(opened.map(({ id }) => id)).toContain("getPodcast");
  for (const { id, method, path } of opened) {
    expect(paths[path]?.[method.toLowerCase()]?.["x-errors"], id).toContain("not_found");
  }
});
