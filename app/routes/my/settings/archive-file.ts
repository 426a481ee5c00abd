import { data } from "react-router";
import { getArchive } from "../../../../workers/contract/leaving.ts";
import { v4Context } from "../../../request/context.ts";
import type { Route } from "./+types/archive-file.ts";

/**
 * Passes the member's archive, or one part of it, on while the API makes it. When the browser stops, the API stops too.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const query = getArchive.query.safeParse(Object.fromEntries(url.searchParams));
  if (!query.success) throw data(null, { status: 404 });
  const { body, headers } = await context.get(v4Context).readFile(getArchive, { query: query.data });
  return new Response(body, {
    headers: {
      "content-type": "application/zip",
      "content-disposition": headers.get("content-disposition") ?? "attachment",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
