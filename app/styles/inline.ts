import whole from "./app.css?inline";
import ofCreators from "./creator-pages.css?inline";
import ofPosts from "./post-pages.css?inline";

/**
 * The style sheet as visitors get it: inside the document. It costs a first visit no second round trip (on Slow 4G that
 * is a fifth of the wait for the first words), and every later page the few kilobytes again. Members' pages link it.
 *
 * @param pattern of the page's route: a creator's pages and posts go without what only others show.
 */
export function inlineStyles(pattern: string): string {
  if (/^\/?:link_id\/events\//.test(pattern)) return ofPosts;
  return /^\/?:link_id(\/|$)/.test(pattern) ? ofCreators : whole;
}

/** The values and not their promises: a request that is given up would leave a promise of its own open for ever. */
const sources = new Map<string, string>();

/** How the page's policy allows exactly this style sheet: its hash. Source: CSP Level 3, section 2.3.1. */
export async function inlineStylesSource(pattern: string): Promise<string> {
  const css = inlineStyles(pattern);
  const known = sources.get(css);
  if (known) return known;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(css));
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
  sources.set(css, source);
  return source;
}
