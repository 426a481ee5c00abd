import { html, raw } from "hono/html";

/** The frame of every hosted page: plain HTML and one style sheet, no script. */

export type Html = ReturnType<typeof html>;

const STYLES = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #5c6570; --page: #f4f6f8; --card: #fff; --line: #d5dbe1; --field: #fff; --accent: #1f6a86; --on-accent: #fff; --tint: #e8f1f5; --warn: #6b4a00; --warn-page: #fff3d6; --error: #b3261e; --error-page: #fdecea; }
@media (prefers-color-scheme: dark) { :root { --text: #eef1f4; --soft: #a3adb8; --page: #12161a; --card: #1b2026; --line: #38414b; --field: #14191e; --accent: #7cc0da; --on-accent: #0b2029; --tint: #17303b; --warn: #ffd98f; --warn-page: #332a12; --error: #ff9d96; --error-page: #3a1e1c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.7 system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif; overflow-wrap: anywhere; font-feature-settings: "palt"; }
.notice { margin: 0; padding: 10px 16px; background: var(--warn-page); color: var(--warn); font-size: 14px; text-align: center; }
main { max-width: 1000px; margin: 0 auto; padding: 24px 16px 48px; display: grid; gap: 24px; }
main.narrow { max-width: 520px; }
@media (min-width: 860px) { main.wide { grid-template-columns: 2fr 3fr; align-items: start; padding-top: 48px; gap: 40px; } .summary { position: sticky; top: 24px; } }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 20px; min-width: 0; }
@media (min-width: 560px) { section, .card { padding: 28px; } }
.summary { background: transparent; border: 0; padding: 4px; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.45; }
h2 { margin: 28px 0 10px; font-size: 16px; line-height: 1.45; }
section > h2:first-child { margin-top: 0; }
p { margin: 0 0 12px; }
.soft, small { color: var(--soft); font-size: 14px; }
.terms { margin: 24px 0 0; font-size: 14px; white-space: pre-line; }
.amount { margin: 0 0 16px; font-size: 32px; line-height: 1.25; font-weight: 650; font-variant-numeric: tabular-nums; }
.amount small { font-size: 15px; font-weight: 400; }
dl { margin: 0; display: grid; grid-template-columns: auto auto; justify-content: space-between; gap: 8px 16px; }
dt { color: var(--soft); } dd { margin: 0; text-align: end; font-variant-numeric: tabular-nums; }
.total { border-top: 1px solid var(--line); margin-top: 12px; padding-top: 12px; font-weight: 600; } .total dt { color: inherit; } .total + p { margin-top: 16px; }
label, legend { display: block; margin: 16px 0 6px; padding: 0; font-size: 14px; font-weight: 600; }
legend { margin-top: 0; } fieldset { margin: 20px 0 0; padding: 0; border: 0; min-width: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 12px; align-items: start; }
input:not([type="radio"]):not([type="checkbox"]), select { width: 100%; min-height: 48px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--field); color: inherit; font: inherit; font-variant-numeric: tabular-nums; }
[aria-invalid="true"] { border-color: var(--error) !important; }
.choice { display: flex; gap: 10px; align-items: center; min-height: 48px; margin: 0 0 8px; padding: 8px 14px; border: 1px solid var(--line); border-radius: 10px; font-size: 16px; font-weight: 400; }
.choice:has(:checked) { border-color: var(--accent); background: var(--tint); }
.choice input { width: 20px; height: 20px; margin: 0; flex: none; accent-color: var(--accent); }
@supports selector(:has(*)) { form:not(:has([value="card"]:checked)) .of-card, form:not(:has([value="konbini"]:checked)) .of-konbini { display: none; } }
.error { margin: 6px 0 0; color: var(--error); font-size: 14px; }
.refused { padding: 12px 14px; background: var(--error-page); color: var(--error); border-radius: 10px; }
button, .button { display: block; width: 100%; min-height: 52px; margin-top: 12px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; background: transparent; color: inherit; font: inherit; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { border-color: var(--accent); }
.primary { margin-top: 24px; border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 650; }
.inline { display: inline-block; width: auto; min-height: 44px; margin: 0; padding: 6px 14px; font-size: 14px; }
a { color: var(--accent); } a.button:not(.primary) { color: inherit; } a.primary { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; } th, td { padding: 8px 8px 8px 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top; } th { font-weight: 600; } .yen { text-align: end; padding-right: 0; white-space: nowrap; }
code, .code { font-family: ui-monospace, "SFMono-Regular", monospace; font-size: 15px; white-space: nowrap; }
.code { display: block; margin: 4px 0 16px; font-size: 24px; letter-spacing: .06em; white-space: normal; }
ul.plain { margin: 0; padding: 0; list-style: none; } ul.plain > li { padding: 14px 0; border-top: 1px solid var(--line); } ul.plain > li:first-child { border-top: 0; padding-top: 0; }
.row { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; justify-content: space-between; } .row form { margin: 0; }
details { margin-top: 20px; } summary { min-height: 44px; padding: 10px 0; cursor: pointer; font-size: 14px; }
`;

/** Renders a whole page. It says first that no money moves. */
export function renderPage(title: string, nonce: string, content: Html, layout: "narrow" | "wide" = "narrow"): Html {
  return html`<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${raw(STYLES)}</style>
</head>
<body>
<header class="notice">これはデモの画面です。お金は動きません。本物のカード番号は入力しないでください。</header>
<main class="${layout}">
${content}
</main>
</body>
</html>`;
}

/** Writes yen as people read them: `1,100円`. */
export function yen(amount: number | null): string {
  return `${(amount ?? 0).toLocaleString("ja-JP")}円`;
}

const JST_OFFSET_S = 9 * 60 * 60;

/** Writes a moment in Japan: `2026/11/22`, and with its time `2026/11/22 18:05`. */
export function dateText(at_s: number, has_time = false): string {
  const text = new Date((at_s + JST_OFFSET_S) * 1000).toISOString();
  const date = text.slice(0, 10).replaceAll("-", "/");
  return has_time ? `${date} ${text.slice(11, 16)}` : date;
}

export interface Field {
  name: string;
  label: string;
  value?: string | undefined;
  error?: string | undefined;
  type?: "text" | "email" | "tel";
  autocomplete?: string;
  inputmode?: "numeric";
  placeholder?: string;
}

/** Renders a field with its label and, beside it, what is wrong. */
export function renderField({
  name,
  label,
  value = "",
  error,
  type = "text",
  autocomplete = "off",
  inputmode,
  placeholder,
}: Field): Html {
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${inputmode ? raw(` inputmode="${inputmode}"`) : ""}${placeholder ? html` placeholder="${placeholder}"` : ""}${error ? raw(` aria-invalid="true" aria-describedby="${name}-error"`) : ""}>
${error ? html`<p class="error" id="${name}-error">${error}</p>` : ""}</div>`;
}

/** Renders what a page says instead of its form: the thing is done, over, or unknown. */
export function renderNotice(title: string, text: string, nonce: string, way?: { href: string; label: string }): Html {
  return renderPage(
    title,
    nonce,
    html`<section><h1>${title}</h1><p>${text}</p>${way ? html`<a class="button" href="${way.href}">${way.label}</a>` : ""}</section>`,
  );
}
