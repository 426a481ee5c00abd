/**
 * The style sheet of the API reference, in the site's colours. The page inlines it, and the page's
 * Content-Security-Policy contains its hash.
 */
export const style = `
:root {
  color-scheme: light dark;
  --accent: light-dark(#1f7092, #6cc0e0);
  --accent-soft: light-dark(#e6f2f7, #173440);
  --teal: light-dark(#14766c, #5fd0c3);
  --teal-soft: light-dark(#e3f4f1, #14332f);
  --alert: light-dark(#b3261e, #ff9c94);
  --alert-soft: light-dark(#fdecea, #3d1d1b);
  --ground: light-dark(#f5f7f8, #12181b);
  --surface: light-dark(#fff, #1b2327);
  --text: light-dark(#1d272b, #e7edef);
  --text-soft: light-dark(#55646b, #a3b1b7);
  --line: light-dark(#dfe5e8, #303b41);
  --mono: ui-monospace, "Noto Sans Mono", Menlo, Consolas, monospace;
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 16px; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 1rem / 1.7 system-ui, -apple-system, "Hiragino Sans", "Noto Sans JP", "Noto Sans CJK JP", Meiryo, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, p, ul, dl, dd, table { margin: 0; }
h1, h2, h3, h4 { line-height: 1.4; }
ul { padding: 0; list-style: none; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid #2882a7; outline-offset: 2px; }
code, pre { font-family: var(--mono); font-size: 0.875rem; }
.page { display: grid; gap: 32px; max-width: 1200px; margin: 0 auto; padding: 24px 16px 64px; }
.intro { display: grid; gap: 12px; padding-bottom: 8px; }
.intro ul { padding-left: 1.2em; list-style: disc; display: grid; gap: 4px; }
.contents { align-self: start; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 16px; }
.contents h2 { font-size: 1rem; margin-bottom: 8px; }
.contents ul { display: grid; grid-template-columns: 1fr 1fr; gap: 0 12px; }
.contents a { display: flex; justify-content: space-between; gap: 8px; padding: 6px 4px; text-decoration: none; font-size: 0.9375rem; }
.contents a:hover { text-decoration: underline; }
.contents .number { color: var(--text-soft); }
main { display: grid; gap: 48px; min-width: 0; }
section { display: grid; gap: 16px; min-width: 0; }
section > h2 { font-size: 1.375rem; padding-bottom: 6px; border-bottom: 2px solid var(--line); }
.calls { display: grid; gap: 2px; font-size: 0.9375rem; }
.calls a { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 10px; padding: 4px 0; text-decoration: none; }
.calls .summary { color: var(--text-soft); font-size: 0.875rem; }
.calls a:hover { text-decoration: underline; }
article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; min-width: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 16px; }
article h3 { font-size: 1.0625rem; }
article h4 { font-size: 0.875rem; color: var(--text-soft); margin-bottom: 4px; }
.address { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 10px; }
.address code { font-size: 0.9375rem; font-weight: 600; }
.method { min-width: 4.2em; padding: 1px 8px; border-radius: 6px; background: var(--accent-soft); color: var(--accent); font: 700 0.75rem / 1.7 var(--mono); text-align: center; }
.method.POST, .method.PUT { background: var(--teal-soft); color: var(--teal); }
.method.DELETE { background: var(--alert-soft); color: var(--alert); }
.marks { display: flex; flex-wrap: wrap; gap: 6px; font-size: 0.8125rem; color: var(--text-soft); }
.marks span { padding: 0 10px; border: 1px solid var(--line); border-radius: 99px; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { padding: 8px 10px 8px 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 400; }
thead th { border-top: 0; font-size: 0.8125rem; color: var(--text-soft); padding-bottom: 2px; }
th:first-child { width: 34%; }
.required, .missing { font-size: 0.75rem; white-space: nowrap; }
.required { color: var(--alert); }
.missing { color: var(--text-soft); }
.kind { color: var(--text-soft); }
.codes { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 0.875rem; }
details { border-top: 1px solid var(--line); }
summary { padding: 8px 0; color: var(--accent); cursor: pointer; font-size: 0.9375rem; }
pre { margin: 0 0 8px; padding: 12px; overflow-x: auto; background: var(--ground); border-radius: 8px; line-height: 1.5; overflow-wrap: normal; }
article:target, tr:target { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (width < 640px) {
  thead { display: none; }
  tr { display: block; padding: 8px 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  th, td, th:first-child { display: block; width: auto; padding: 0; border: 0; }
}
@media (width >= 960px) {
  .page { grid-template-columns: 240px minmax(0, 1fr); padding-top: 40px; }
  .intro { grid-column: 1 / -1; max-width: 820px; }
  .contents { position: sticky; top: 16px; max-height: calc(100vh - 32px); overflow-y: auto; }
  .contents ul { grid-template-columns: 1fr; }
  .contents a { padding: 3px 4px; }
}
`;
