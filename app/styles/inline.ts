import whole from "./app.css?inline";
import ofCreators from "./creator-pages.css?inline";
import ofDocuments from "./document-pages.css?inline";
import ofEmbed from "./embed.css?inline";
import ofHome from "./home-page.css?inline";
import ofMails from "./mail-pages.css?inline";
import ofMembers from "./member-shell.css?inline";
import ofPayments from "./payment-pages.css?inline";
import ofPosts from "./post-pages.css?inline";

/**
 * Returns the style sheet that visitors' pages inline. It saves the first visit a round trip (on Slow 4G a fifth of the
 * time to the first text), and costs every later page a few kilobytes. Members' pages link the style sheet
 * (member-document.ts).
 * @param pattern the page's route. The pages that visitors open most leave out the styles of other pages.
 */
export function inlineStyles(pattern: string): string {
  // The form of the display has the radio buttons of the payments.
  if (/^\/?(?:theme$|:link_id\/ofuse\/paid|:link_id\/events\/:event_id\/paid-comments|checkout\/)/.test(pattern))
    return ofPayments;
  if (/^\/?unsubscribe\//.test(pattern)) return ofMails;
  if (/^\/?:link_id\/(?:events|radios)\//.test(pattern)) return ofPosts;
  if (/^\/?:link_id\/embed$/.test(pattern)) return ofEmbed;
  if (/^\/?:link_id(\/|$)/.test(pattern)) return ofCreators;
  if (/^\/?(?:help|news|usecases|kit|terms|privacy|external-transmission|transactions)(?:\/|$)/.test(pattern))
    return ofDocuments;
  return /^\/?$/.test(pattern) ? ofHome : whole;
}

/** The home page, a creator's tabs, a post and a radio. */
const PAINTED_EARLY = /^\/?(?::link_id(?:\/(?:about|plans|(?:events\/:event|radios\/:radio)_id))?)?$/;

/**
 * Returns what a member's page inlines until its style sheet has loaded: what the page and the shell need. Null for pages
 * that wait for the style sheet. Other pages have forms whose styles a visitor's page lacks, and would shift.
 */
export function earlyMemberStyles(pattern: string): string | null {
  return PAINTED_EARLY.test(pattern) ? inlineStyles(pattern) + ofMembers : null;
}

/** Stores values, not promises: an aborted request would leave its promise pending permanently. */
const sources = new Map<string, string>();

/** The CSP source that allows exactly this style sheet: its hash. Source: CSP Level 3, section 2.3.1. */
export async function inlineStylesSource(pattern: string): Promise<string> {
  const css = inlineStyles(pattern);
  const known = sources.get(css);
  if (known) return known;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(css));
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
  sources.set(css, source);
  return source;
}
