import { earlyMemberStyles } from "./inline.ts";

/**
 * Arranges the HTML of a member's page so that nothing delays its first paint. React puts the links that preload the
 * scripts into the head, where they take the line from the page; they move to the end. The style sheet is linked there too
 * (root.tsx). Until it has loaded, the head styles what is seen first; a page without such styles waits for the sheet.
 *
 * React leaves these elements alone: it ignores unknown children of `head` and `body`.
 */
export function arrangeMemberDocument(html: string, pattern: string): string {
  const end_of_head = html.indexOf("</head>");
  const end_of_body = html.lastIndexOf("</body>");
  if (end_of_head < 0 || end_of_body < 0) return html;
  const head = html.slice(0, end_of_head);
  const body = html.slice(end_of_head, end_of_body);
  const preloads = head.match(PRELOAD) ?? [];
  const styles = earlyMemberStyles(pattern);
  const early = styles === null ? (SHEET.exec(body)?.[0] ?? "") : `<style>${styles}</style>`;
  return `${head.replace(PRELOAD, "")}${early}${body}${preloads.join("")}${html.slice(end_of_body)}`;
}

const PRELOAD = /<link rel="modulepreload"[^>]*>/g;
const SHEET = /<link [^>]*rel="stylesheet"[^>]*>/;
