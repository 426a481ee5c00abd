import { failureWords } from "../shell/failure-words.ts";
import { escapeXml } from "../text/xml.ts";
import type { Failure } from "../v4/failure.ts";

/** The type of React Router's answer when a loader crashes. */
const CRASH_TYPE = "text/plain";

/**
 * Replaces the JSON in which React Router answers a refused file (a CSV, a calendar, a feed) by a page that a person can
 * read. Addresses that end in `.json` keep it, and so do forms: scripts read these answers.
 */
export async function readableRefusal({ method, url }: Request, response: Response): Promise<Response> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "";
  const is_json = type.startsWith("application/json");
  const is_read = method === "GET" || method === "HEAD" || status === 405;
  const is_for_scripts = !is_read || new URL(url).pathname.endsWith(".json");
  if (status < 400 || is_for_scripts || !(is_json || type === CRASH_TYPE)) return response;
  const failure: Partial<Failure> | null = is_json ? await response.json() : null;
  const { title, text } = failureWords(status, failure?.detail);
  const number =
    status >= 500 && failure?.request_id ? `<p>お問い合わせ番号：${escapeXml(failure.request_id)}</p>\n` : "";
  const page = `<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeXml(title)}｜ofuse</title>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
<p>${escapeXml(text)}</p>
<p><a href="/">トップへ戻る</a></p>
${number}</main>
</body>
</html>
`;
  const own = new Headers(headers);
  own.set("content-type", "text/html; charset=utf-8");
  return new Response(page, { status, headers: own });
}
