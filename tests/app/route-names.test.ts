import { expect, test } from "vitest";
import { routeNames } from "../../scripts/route-names.ts";
import { ROUTE_NAMES } from "../../workers/contract/route-names.ts";

test("nobody can be called as a page of the app is: the list is the route table's", () => {
  expect(ROUTE_NAMES, "run: node scripts/typegen.ts").toEqual(routeNames());
  expect(ROUTE_NAMES).toEqual(expect.arrayContaining(["search", "my", "signup"]));
});
