/** What the site's socket answers while workerd is away: a page with the words of a form, or a problem document. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { keptOf, labelOf, rowsOf } from "../app/forms/kept.ts";
import { readTheme } from "../app/request/theme.ts";
import { escapeXml } from "../app/text/xml.ts";
import type { Kept } from "../app/v4/failure.ts";
import { errorCatalogue } from "../workers/contract/errors.ts";
import { problemJson } from "../workers/contract/problem.ts";

/** A restart takes some seconds. */
export const RETRY_AFTER_S = 5;

const tokens = readFileSync(join(import.meta.dirname, "..", "app", "styles", "tokens.css"), "utf8");
/** As app/styles/frames.css shows a failure, without the shell: nothing that this page needs may be another request. */
const styles = `${tokens}
body { margin: 0; padding: var(--space-7) var(--space-4); font: 1rem/1.8 var(--font); color: var(--text); background: var(--ground); text-align: center }
main { max-width: 36rem; margin: auto }
.status { margin: 0; font-size: 3.5rem; font-weight: 700; line-height: 1; color: var(--accent) }
h1 { font-size: 1.375rem }
p { text-wrap: balance }
form { display: grid; gap: var(--space-3); margin: var(--space-5) 0; padding: var(--space-5); text-align: left; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius) }
form p { margin: 0 }
label { display: block; font-size: var(--text-sm); color: var(--text-soft) }
textarea { box-sizing: border-box; width: 100%; padding: 10px 12px; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--control); border-radius: var(--radius-sm) }
button, .home { box-sizing: border-box; min-height: 44px; padding: 8px 20px; font: inherit; font-weight: 600; border: 1px solid transparent; border-radius: var(--radius-pill); cursor: pointer }
button { color: var(--on-accent); background: var(--accent) }
.home { display: inline-block; color: inherit; text-decoration: none; border-color: var(--control) }
:focus-visible { outline: 3px solid var(--ring); outline-offset: 2px }
.small { font-size: var(--text-xs); color: var(--text-soft) }`;

/** Answers that workerd cannot. `body` is the whole body of the request, if there is one at hand. */
export async function answerOutage(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer | null,
  request_id: string,
): Promise<void> {
  const is_page = request.headers.accept?.includes("text/html") ?? false;
  const text = is_page
    ? pageOf(readTheme(toRequest(request)), await readKept(request, body), request_id)
    : JSON.stringify(problemJson("unavailable", request_id));
  // The client may have gone, or the answer may have begun.
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(503, {
    "content-type": is_page ? "text/html; charset=utf-8" : "application/problem+json",
    "cache-control": "private, no-store",
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "referrer-policy": "strict-origin-when-cross-origin",
    "retry-after": String(RETRY_AFTER_S),
    "x-content-type-options": "nosniff",
    "x-request-id": request_id,
  });
  response.end(request.method === "HEAD" ? undefined : text);
}

/** Returns the parts of a request that the app's own readers look at. */
function toRequest({ headers }: IncomingMessage): Request {
  return new Request("http://site.internal", { headers: { cookie: headers.cookie ?? "" } });
}

/** Returns the words of a form of our own pages. Another site's must not be sent from a page of ours. */
async function readKept({ headers, url = "/" }: IncomingMessage, body: Buffer | null): Promise<Kept | null> {
  const { origin = "", host, "content-type": content_type = "" } = headers;
  const is_own = URL.canParse(origin) && new URL(origin).host === host;
  if (!body || !is_own || !["same-origin", undefined].includes(headers["sec-fetch-site"] as string)) return null;
  try {
    return keptOf(
      await new Response(new Uint8Array(body), { headers: { "content-type": content_type } }).formData(),
      url,
    );
  } catch {
    // The body is no form.
    return null;
  }
}

function pageOf(theme: string, kept: Kept | null, request_id: string): string {
  return `<!doctype html>
<html lang="ja" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, minimum-scale=0.5, maximum-scale=2">
<meta name="robots" content="noindex">
<title>ただいま表示できません | ofuse</title>
<style>${styles}</style>
</head>
<body>
<main>
<p class="status">503</p>
<h1>ただいま表示できません</h1>
<p>${errorCatalogue.unavailable.detail}</p>
${kept && kept.words.length > 0 ? formOf(kept) : ""}
<p><a class="home" href="/">トップへ戻る</a></p>
<p class="small">お問い合わせ番号：${request_id}</p>
</main>
</body>
</html>
`;
}

function formOf({ action, words, others, is_whole }: Kept): string {
  const shown = words.map(
    ([name, value], index) => `<div><label for="kept-${index}">${escapeXml(labelOf(name))}</label>
<textarea id="kept-${index}" name="${escapeXml(name)}" rows="${rowsOf(value)}"${is_whole ? "" : " readonly"}>
${escapeXml(value)}</textarea></div>`,
  );
  const hidden = others.map(
    ([name, value]) => `<input type="hidden" name="${escapeXml(name)}" value="${escapeXml(value)}">`,
  );
  const sending = is_whole
    ? `${hidden.join("")}<button type="submit">もう一度送信する</button>`
    : `<p class="small">パスワードやファイルは残していません。元のページで、もう一度ご入力ください。</p>`;
  return `<form method="post" action="${escapeXml(action)}">
<p>入力された内容は、ここに残っています。</p>
${shown.join("\n")}
${sending}
</form>`;
}
