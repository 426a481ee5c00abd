import type { ServerBuild } from "react-router";
import { expect, test } from "vitest";
import { allowedMethods } from "../../workers/web/allowed-methods.ts";
import { finishAnswer } from "../../workers/web/finish-answer.ts";

const route = (id: string, parentId: string | undefined, of: object = {}, action?: () => null) => ({
  [id]: { id, parentId, module: { default: () => null, action }, ...of },
});
const act = () => null;
const routes = {
  ...route("root", undefined, { path: "" }),
  ...route("home", "root", { index: true }),
  ...route("login", "root", { path: "login", index: true }, act),
  ...route("terms", "root", { path: "terms" }),
  ...route("creator", "root", { path: ":link_id" }),
  ...route("posts", "creator", { index: true }, act),
  ...route("follow", "creator", { path: "follow" }, act),
  ...route("rest", "root", { path: "*" }),
} as unknown as ServerBuild["routes"];

test.each([
  ["/", "GET, HEAD"],
  ["/terms", "GET, HEAD"],
  ["/TERMS/", "GET, HEAD"],
  ["/login", "GET, HEAD, POST"],
  ["/natsume", "GET, HEAD"],
  ["/natsume/follow", "GET, HEAD, POST"],
  ["/no/such/page", "GET, HEAD"],
])("a page that refuses a method names those that it takes: %s takes %s", (path, methods) => {
  expect(allowedMethods(routes, path)).toBe(methods);
});

test("a file that refuses a method takes those of reading, unless it says otherwise", () => {
  const refuse = (headers: Record<string, string>) =>
    finishAnswer(new Request("https://ofuse.example/x"), new Response(null, { status: 405, headers }), "r", 0);
  expect(refuse({}).headers.get("allow")).toBe("GET, HEAD");
  expect(refuse({ allow: "POST" }).headers.get("allow")).toBe("POST");
});
