import { redirect } from "react-router";
import { LETTER_GRAPHEMES } from "../../../workers/contract/bounds.ts";
import { type MaintenanceRecord, retryAfterSeconds } from "../../../workers/contract/maintenance-status.ts";
import { getUser, LINK_ID, type User } from "../../../workers/contract/users.ts";
import { maintenanceContext, retryAfterContext, v4Context } from "../../request/context.ts";
import { failureWords } from "../../shell/failure-words.ts";
import { siteContext } from "../../site/site-context.ts";
import { inlineStyles, inlineStylesSource } from "../../styles/inline.ts";
import { minuteOf } from "../../text/tokyo-time.ts";
import { escapeXml } from "../../text/xml.ts";
import type { Route } from "./+types/embed.ts";

const PATTERN = ":link_id/embed";
const THEMES = ["light", "dark"] as const;

/**
 * The letter form for other sites, as a page of its own that any site may frame. It has no script, no cookie and nothing
 * personal. Its form opens the letter page in a new tab, and only a press there sends the letter: a site that hides this
 * frame below another button gets nothing. Source: docs/decisions/0046.
 */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { link_id } = params;
  const path = `/${link_id}/embed`;
  // Another spelling of the address would be rendered with the cookies.
  if (LINK_ID.test(link_id) && url.pathname !== path) throw redirect(path + url.search, 301);
  const asked = url.searchParams.get("theme");
  const theme = THEMES.find((known) => known === asked) ?? null;
  const policy = [
    "default-src 'none'",
    `style-src ${await inlineStylesSource(PATTERN)}`,
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors *",
  ];
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy.join("; ") };
  const answer = (title: string, body: string, status = 200) =>
    new Response(writePage(title, body, theme), { status, headers });
  const { status, ...record } = context.get(maintenanceContext);
  if (status === "UNDER_MAINTENANCE") {
    context.set(retryAfterContext, retryAfterSeconds(record, Date.now()));
    return answer(CLOSED, writeClosed(link_id, record), 503);
  }
  // The site's error page cannot be shown here: nobody may frame it.
  const refuse = (status: number, detail?: string) => {
    const { title, text } = failureWords(status, detail);
    return answer(title, `<h1>${title}</h1>\n<p>${escapeXml(text)}</p>`, status);
  };
  if (!LINK_ID.test(link_id) || (asked !== null && !theme)) return refuse(404);
  const sent = await context.get(v4Context).asVisitor().send(getUser, { query: { link_id } });
  if (!sent.ok) return refuse(sent.refusal.status, sent.refusal.detail);
  const { user } = sent.answer;
  if (user.link_id !== link_id) throw redirect(`/${user.link_id}/embed${url.search}`, 302);
  return answer(`${user.name}さんへofuseを送る`, writeLetter(user, context.get(siteContext).takes_money));
}

/** Writes the document. `body` is HTML of our own making. */
function writePage(title: string, body: string, theme: (typeof THEMES)[number] | null): string {
  return `<!doctype html>
<html lang="ja"${theme ? ` data-theme="${theme}"` : ""}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeXml(title)}｜ofuse</title>
<style>${inlineStyles(PATTERN)}</style>
</head>
<body>
<main>
${body}
<p class="embed-site"><a href="/" target="_blank" rel="noopener">ofuse</a></p>
</main>
</body>
</html>
`;
}

const CLOSED = "ただいまメンテナンス中です";

/** Writes what the frame says under maintenance. The maintenance view cannot be shown here: nobody may frame it. */
function writeClosed(link_id: string, { finished_at }: MaintenanceRecord): string {
  const end = finished_at ? `（終了予定 ${minuteOf(finished_at)}）` : "";
  return `<h1>${CLOSED}</h1>
<p>いまはofuseを送れません${end}。終わってから、もう一度お試しください。</p>
<p><a class="embed-button" href="/${link_id}" target="_blank" rel="noopener">ofuseのページを見る</a></p>`;
}

function writeLetter(user: User, takes_money: boolean): string {
  const name = escapeXml(user.name);
  const icon = user.icon_image
    ? `<img src="${escapeXml(user.icon_image.medium_url)}" alt="" width="40" height="40">`
    : "";
  return `<h1><a href="/${user.link_id}" target="_blank" rel="noopener">${icon}<span><bdi>${name}</bdi>さんへ</span></a></h1>
${writeForm(user, takes_money)}`;
}

/** Writes the form, or where to go when the creator accepts no free letters. */
function writeForm({ link_id, accepts_free_ofuses, is_creator }: User, takes_money: boolean): string {
  if (accepts_free_ofuses) {
    return `<form method="post" action="/${link_id}/ofuse/begin" target="_blank" rel="noopener">
<label for="message">メッセージ</label>
<textarea id="message" name="message" rows="4" required placeholder="好きなところ、うれしかったこと、応援のひとこと" aria-describedby="hint"></textarea>
<p id="hint">${LETTER_GRAPHEMES}文字まで。次の画面で確かめてから送れます。送るには、アカウントが要ります。</p>
<button type="submit">確認へ進む</button>
</form>`;
  }
  const [path, words] = is_creator && takes_money ? ["/ofuse/paid", "有料のofuseを送る"] : ["", "ページを見る"];
  return `<p>いまは無料のofuseを受け付けていません。</p>
<p><a class="embed-button" href="/${link_id}${path}" target="_blank" rel="noopener">${words}</a></p>`;
}
