import overlayScript from "virtual:overlay-script";
import type { OverlaySettings } from "../../../workers/contract/streaming.ts";
import type { OverlayPageData } from "../../overlay/index.ts";
import styles from "../../styles/overlay.css?inline";
import { escapeXml } from "../../text/xml.ts";

interface OverlayPage {
  kind: OverlayPageData["kind"] | "preview";
  title: string;
  settings: OverlaySettings;
  body: string;
  /** What the script needs; null for a page without one. */
  script: OverlayPageData | null;
}

/** Without a script, the page of a timeline is loaded again so often, in seconds. */
const REFRESH_S = 30;

/** The settings as variables of the style sheet. The contract allows nothing else in them than colours and numbers. */
function variablesOf({ font_size, text_color, accent_color, card_color, card_opacity }: OverlaySettings): string {
  const opacity = Math.round(card_opacity * 2.55)
    .toString(16)
    .padStart(2, "0");
  return `:root{--n:${font_size};--text:${text_color};--accent:${accent_color};--card:${card_color}${opacity}}`;
}

/**
 * Answers a page of an overlay: a document of its own, without the app. Its address has a secret, so no other site learns
 * the address, and no cache and no search engine keeps the page.
 */
export function answerOverlayPage({ kind, title, settings, body, script }: OverlayPage): Response {
  const nonce = crypto.randomUUID();
  // "<" could end the element.
  const data = script && JSON.stringify(script).replaceAll("<", "\\u003c");
  const html = `<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeXml(title)}</title>
${kind === "timeline" ? `<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>` : ""}
<style nonce="${nonce}">${variablesOf(settings)}${styles}</style>
</head>
<body data-kind="${kind}" data-animation="${settings.animation}">
${body}
${data === null ? "" : `<script type="application/json" id="overlay">${data}</script><script type="module" src="${overlayScript}"></script>`}
</body>
</html>`;
  const ancestors = kind === "preview" ? "'self'" : "'none'";
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'nonce-${nonce}'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`,
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow",
    },
  });
}
