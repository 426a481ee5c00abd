import { load } from "cheerio";
import type { Page, Response } from "playwright";
import routes from "../app/routes.ts";

/** The people whose pages the walks look at: a visitor, a fan, a creator. */
export const people = [
  { name: "visitor", link_id: null },
  { name: "fan", link_id: "fan_hana" },
  { name: "creator", link_id: "natsume" },
] as const;

type Person = Pick<(typeof people)[number], "link_id">;

/**
 * Addresses that show no page of the app: files, targets of forms, links from mails, and overlays of streams. A demo has no
 * first operator.
 */
const pageless =
  /\.\w+$|^\/(my|logout|maintenance|collect|oembed|redirect|signup\/action|my\/settings\/export|my\/uploads(\/\w+)?|my\/streaming\/preview|operator\/first|overlay\/.+)$|\/\*|\/(embed|begin|like|likeness|listen|reminder|block|visit|reactions|podcast\/:secret|:radio_id\/chat(\/:message_id)?|:(event|radio)_id\/comments(\/:comment_id)?)$/;
/** Pages that send visitors to sign in: those below `/my`, and reports. */
const members = /^\/my\/|\/report$/;
/** Returns whether visitors see the page too. */
export const isPublic = (path: string): boolean => !members.test(path) && !operators.test(path);
/** The operators' pages, which are not found for all other people. */
const operators = /^\/operator(\/|$)/;
/** The creator whose addresses have something to show. */
const CREATOR = "natsume";

interface RouteEntry {
  path?: string;
  index?: boolean;
  children?: RouteEntry[];
}

/** Returns every path pattern of the route table that answers with a page. */
export function routePatterns(entries: readonly RouteEntry[] = routes, parent = ""): string[] {
  return entries.flatMap(({ path, children }) => {
    const pattern = path ? `${parent}/${path}` : parent;
    return children ? routePatterns(children, pattern) : [pattern || "/"];
  });
}

const LAST_PAGE = "/goodbye";

/** Opens a page of the walk. The farewell page opens only with the cookie of a person who has just left. */
export async function openPage(page: Page, origin: string, path: string): Promise<Response | null> {
  if (path === LAST_PAGE) await page.context().addCookies([{ name: "left", value: "yes", url: origin }]);
  return page.goto(path);
}

/** Posts with different layouts, and one picture on its own. The route table has one address for all of them. */
const POSTS = ["雨あがりの帰り道", "道具箱の中身", "夕焼けを塗る", "山の絵の下描き", "ラフのまとめ"];

type Document = ReturnType<typeof load>;

/** Reads a page as the server sends it to this person. Showing it in the browser takes ten times as long. */
async function read(page: Page, path: string): Promise<Document> {
  return load(await (await page.request.get(path)).text());
}

/** Throws when one of the posts is in no list. Otherwise every walk would leave it out unnoticed. */
async function postPaths(page: Page): Promise<string[]> {
  const found = new Map<string, string>();
  for (const list of [`/${CREATOR}`, `/${CREATOR}?page=2`]) {
    const links = (await read(page, list))(".event-card a");
    for (const title of POSTS) {
      const path = links.filter(`:contains("${title}")`).first().attr("href");
      if (path) found.set(title, path);
    }
  }
  const paths = POSTS.map((title) => {
    const path = found.get(title);
    if (!path) throw new Error(`${CREATOR} has no post called ${title}`);
    return path;
  });
  return [...paths, `${paths[0]}?picture=2`];
}

/** Query strings that change how a page looks. */
const views: Record<string, string[]> = {
  "/my/posts": ["?status=draft"],
  "/my/stats": ["?range=year&of=revenue"],
  "/my/posts/new": ["?content_type=blog", "?content_type=image", "?content_type=video"],
};

/** Returns a draft of the person's own. Makes one when there is none. */
async function draftOf(page: Page): Promise<string | null> {
  await page.goto("/my/posts/new?content_type=blog");
  await page.getByLabel("タイトル").fill("書きかけ");
  await page.getByRole("button", { name: "下書き保存" }).last().click();
  await page.getByText("下書きを保存しました").waitFor();
  return new URL(page.url()).searchParams.get("draft_id");
}

/** Returns an import that waits for its confirmation. Sends a file for it. */
async function importOf(page: Page): Promise<string | null> {
  await page.goto("/my/settings/import");
  const file = { name: "members.csv", mimeType: "text/csv", buffer: Buffer.from("プラン\n500円のプラン\n") };
  await page.getByLabel("ファイル", { exact: true }).setInputFiles(file);
  await page.getByRole("button", { name: "ファイルを送って確認する" }).click();
  await page.waitForURL("**/my/settings/import/*");
  return new URL(page.url()).pathname.split("/").at(-1) ?? null;
}

/** Returns the person's own unsent newsletter, with the token of its mail's link; null when there is none. */
async function findOwnNewsletter(page: Page): Promise<{ id: string; token: string | null } | null> {
  const list = await read(page, "/my/news_letters");
  const id = list("main a[href^='/my/news_letters/'][href$='/edit']").first().attr("href")?.split("/").at(-2);
  if (id === undefined) return null;
  const preview = (await read(page, `/my/news_letters/${id}/preview`)).html();
  return { id, token: /\/unsubscribe\/([\w.-]+)/.exec(preview)?.[1] ?? null };
}

/** Returns the ids of a radio and of a comment of it that the person may report; null when there is none. */
async function findRadioComment(page: Page): Promise<[radio_id: string, comment_id: string] | null> {
  const list = await read(page, `/${CREATOR}/radio`);
  const radios = new Set(
    list("main a[href*='/radios/']")
      .get()
      .map((link) => list(link).attr("href") ?? ""),
  );
  for (const path of radios) {
    const report = (await read(page, path))("a[href*='/comments/'][href$='/report']").first().attr("href");
    const [, radio_id, comment_id] = /\/radios\/(\w+)\/comments\/(\w+)\/report$/.exec(report ?? "") ?? [];
    if (radio_id && comment_id) return [radio_id, comment_id];
  }
  return null;
}

/**
 * Returns the addresses of all pages that the person may open. Fills the parameters with values that the demo world
 * shows to the person.
 */
export async function pathsFor(page: Page, person: Person): Promise<string[]> {
  const examples: Record<string, string | null> = { link_id: CREATOR };
  const findAttribute = async (path: string, selector: string, name: string, attribute = "href") => {
    const value = (await read(page, path))(selector).first().attr(attribute);
    examples[name] = value?.split(attribute === "id" ? "-" : "/").at(-1) ?? null;
  };
  await findAttribute(`/${CREATOR}`, ".event-card a[href*='/events/']", "event_id");
  if (person.link_id && examples.event_id) {
    const path = `/${CREATOR}/events/${examples.event_id}`;
    await findAttribute(path, `.comment:has(a[href$="/report"])`, "comment_id", "id");
  }
  await findAttribute(`/${CREATOR}/radio`, "main a[href*='/radios/']", "radio_id");
  if (person.link_id) {
    const [radio_id, comment_id] = (await findRadioComment(page)) ?? [];
    Object.assign(examples, { commented_radio_id: radio_id ?? null, radio_comment_id: comment_id ?? null });
  }
  await findAttribute("/news", "main a[href^='/news/']", "slug");
  if (person.link_id) {
    await findAttribute("/my/box?type=received", "main a[href^='/my/box/']", "ofuse_id");
    const report = (await read(page, `/${CREATOR}/ofuse`))("main a[href$='/report']").first().attr("href");
    examples.public_ofuse_id = report?.split("/").at(-2) ?? null;
    await findAttribute("/my/posts", "main a[href*='/events/']", "own_event_id");
    await findAttribute("/my/radio", "main li a[href^='/my/radio/']", "own_radio_id");
    examples.draft_id = await draftOf(page);
    examples.import_id = await importOf(page);
    await findAttribute("/my/news_letters/received", "main li a[href^='/my/news_letters/']", "newsletter_id");
    const own = await findOwnNewsletter(page);
    examples.own_newsletter_id = own?.id ?? null;
    examples.token = own?.token ?? null;
  }
  const posts = await postPaths(page);
  const paths = routePatterns()
    .filter((pattern) => !operators.test(pattern))
    .filter((pattern) => !pageless.test(pattern) && !(person.link_id ? pattern === LAST_PAGE : members.test(pattern)))
    .flatMap((pattern) => [pattern, ...(views[pattern] ?? []).map((query) => pattern + query)])
    .map((pattern) =>
      pattern.replace(":radio_id/comments/:comment_id", ":commented_radio_id/comments/:radio_comment_id"),
    )
    .map((pattern) => pattern.replace("/ofuse/:ofuse_id", "/ofuse/:public_ofuse_id"))
    .map((pattern) => pattern.replace("/my/posts/:event_id", "/my/posts/:own_event_id"))
    .map((pattern) => pattern.replace("/my/radio/:radio_id", "/my/radio/:own_radio_id"))
    .map((pattern) => pattern.replace(/:newsletter_id(?=\/)/, ":own_newsletter_id"))
    .map((pattern) => pattern.replace(/:(\w+)/g, (_, name: string) => examples[name] ?? "-"))
    .filter((path) => !path.includes("/-"));
  return [...new Set([...paths, ...posts])];
}

/** Returns the addresses of the operators' pages, for a person who is an operator. */
export async function operatorPaths(page: Page): Promise<string[]> {
  const found = await read(page, `/operator/people?keyword=${CREATOR}`);
  const person = found("main a[href^='/operator/people/']").first().attr("href");
  const post = (await read(page, `/${CREATOR}`))(".event-card a[href*='/events/']").first().attr("href");
  if (!person || !post) throw new Error(`operators do not find ${CREATOR}`);
  // A demo does not have the page for a site's first operator.
  const patterns = routePatterns().filter(
    (pattern) => operators.test(pattern) && !pattern.includes(":") && pattern !== "/operator/first",
  );
  return [...new Set([...patterns, person, `/operator/removals?${new URLSearchParams({ address: post })}`])];
}
