import { EXPORT_PARTS, type ExportPart, exportAccount } from "../../../../workers/contract/leaving.ts";
import { v4Context } from "../../../request/context.ts";
import type { V4 } from "../../../v4/client.ts";
import { sendFile } from "../send-file.ts";
import type { Route } from "./+types/export.ts";

/**
 * Streams all data of the member as one JSON document. Holds only one page of the API at a time, so memory stays small.
 * Pictures and files are included as URLs, which work for an hour in the signed-in browser.
 */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  // Read the first page before the response starts, so that a refusal can still answer with its status.
  const first = await v4.read(exportAccount, { query: { part: EXPORT_PARTS[0] } });
  return sendFile(context, documentOf(v4, first, url), { name: "ofuse-export.json", type: "application/json" });
}

type Page = Awaited<ReturnType<typeof pageOf>>;

const pageOf = (v4: V4, part: ExportPart, after: string | undefined) =>
  v4.callOnce(exportAccount, { query: { part, after } });

async function* documentOf(v4: V4, first: Page, url: URL): AsyncGenerator<string> {
  yield `{\n"exported_at": ${JSON.stringify(new Date().toISOString())}`;
  for (const part of EXPORT_PARTS) {
    let page = part === EXPORT_PARTS[0] ? first : await pageOf(v4, part, undefined);
    let is_first = true;
    yield `,\n"${part}": [`;
    for (;;) {
      for (const item of page.items) {
        yield `${is_first ? "" : ","}\n${JSON.stringify(withOrigin(item, url))}`;
        is_first = false;
      }
      if (page.next === null) break;
      page = await pageOf(v4, part, page.next);
    }
    yield "]";
  }
  yield "\n}\n";
}

/** Makes URLs absolute, so that they work in the downloaded file. */
function withOrigin(item: Record<string, unknown>, url: URL): Record<string, unknown> {
  const { path, ...rest } = item;
  return typeof path === "string" && path.startsWith("/media/") ? { ...rest, url: new URL(path, url).href } : item;
}
