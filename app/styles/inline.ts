import css from "./app.css?inline";

/**
 * The style sheet as visitors get it: inside the document. It costs a first visit no second round trip (on Slow 4G that
 * is a fifth of the wait for the first words), and every later page the few kilobytes again. Members' pages link it.
 */
export const inlineStyles: string = css;

let source: Promise<string> | undefined;

/** How the page's policy allows exactly this style sheet: its hash. Source: CSP Level 3, section 2.3.1. */
export function inlineStylesSource(): Promise<string> {
  source ??= crypto.subtle
    .digest("SHA-256", new TextEncoder().encode(css))
    .then((digest) => `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`);
  return source;
}
