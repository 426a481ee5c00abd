import { listSitemapFiles } from "../../../workers/contract/edge.ts";
import { v4Context } from "../../request/context.ts";
import type { Route } from "./+types/index.ts";
import { sitemapAnswer } from "./xml.ts";

/** Serves the sitemap index: the fixed pages, then the files of creators and of public posts. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const { files } = await context.get(v4Context).read(listSitemapFiles, {});
  const names = ["pages.xml", ...files.map(({ kind, after }) => (after ? `${kind}-${after}.xml` : `${kind}.xml`))];
  return sitemapAnswer(
    "sitemapindex",
    names.map((name) => ({ loc: `${url.origin}/sitemap/${name}` })),
  );
}
