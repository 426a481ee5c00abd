import { expect, test } from "vitest";
import { routeNames } from "../../scripts/route-names.ts";
import { ROUTE_NAMES } from "../../workers/contract/route-names.ts";

test("the reserved names are those of the app's routes", () => {
  expect(ROUTE_NAMES, "run: node scripts/typegen.ts").toEqual(routeNames());
  expect(ROUTE_NAMES).toEqual(expect.arrayContaining(["search", "my", "signup"]));
});
