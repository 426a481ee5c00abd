import { afterEach, expect, test, vi } from "vitest";
import { nextScripts } from "../../app/shell/next-scripts.ts";
import { endOfTurn } from "../../workers/kernel/turn.ts";

afterEach(() => vi.unstubAllGlobals());

/** A module that loads, and one of a build whose files are gone. */
const THERE = "data:text/javascript,export default 1";
const GONE = "data:text/javascript,throw new Error('gone')";

/** Follows a link to `to`, whose route has these scripts, and returns the documents that the browser loads. */
async function move(
  to: string,
  { module, imports = [], navigation }: { module: string; imports?: string[]; navigation: object },
): Promise<string[]> {
  const documents: string[] = [];
  const routes = [{ id: "post", path: "/:link_id/events/:event_id" }];
  vi.stubGlobal("window", {
    __reactRouterDataRouter: { routes, state: { navigation } },
    __reactRouterManifest: { routes: { post: { module, imports } } },
  });
  vi.stubGlobal("document", { documentElement: { style: {} } });
  let address = "/natsume";
  vi.stubGlobal("history", {
    pushState(_state: null, _title: string, to: string) {
      address = to;
    },
  });
  vi.stubGlobal("scrollTo", () => {});
  vi.stubGlobal("location", { reload: () => documents.push(address) });
  let navigate: ((begin: () => Promise<void>, info: { to: string }) => Promise<void>) | undefined;
  const instrument = (parts: { navigate: typeof navigate }) => {
    navigate = parts.navigate;
  };
  nextScripts({}).router?.({ instrument } as never);
  await navigate?.(async () => {}, { to });
  await endOfTurn();
  for (const script of [module, ...imports]) await import(script).catch(() => null);
  await endOfTurn();
  return documents;
}

const location = { pathname: "/natsume/events/1", search: "?page=2", hash: "#comments" };

test.each([
  ["module is", { module: GONE }],
  ["module's imports are", { module: THERE, imports: [THERE, GONE] }],
])("a link whose %s gone loads its page as a document", async (_, scripts) => {
  const moves = move("/natsume/events/1?page=2", { ...scripts, navigation: { location } });
  expect(await moves).toEqual(["/natsume/events/1?page=2#comments"]);
});

test.each([
  ["with its scripts", { module: THERE, navigation: { location } }],
  ["that another page has replaced", { module: GONE, navigation: {} }],
  ["of a form", { module: GONE, navigation: { location, formMethod: "POST" } }],
])("a move %s loads no document", async (_, asked) => {
  expect(await move("/natsume/events/1", asked)).toEqual([]);
});
