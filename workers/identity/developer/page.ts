import { html, raw } from "hono/html";
import { type DeveloperPerson, people, type StandIn } from "./providers.ts";

/** The developer identity provider's pages: plain HTML, no script. */

const STYLES = `
:root { color-scheme: light dark; --text: #1d1d1f; --soft: #6a6a70; --page: #f5f5f7; --card: #fff; --line: #d8d8dd; --accent: #0b6bcb; --on-accent: #fff; --warn: #8a5a00; --warn-page: #fff4dc; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #f2f2f4; --soft: #a5a5ad; --page: #141416; --card: #1f1f23; --line: #3a3a41; --accent: #6db3ff; --on-accent: #0c1a28; --warn: #ffd58a; --warn-page: #33290f; --error: #ff9d96; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 24px 16px; background: var(--page); color: var(--text); font: 16px/1.7 system-ui, "Hiragino Sans", "Noto Sans JP", sans-serif; overflow-wrap: anywhere; }
main { max-width: 440px; margin: 0 auto; padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 16px; }
h1 { margin: 0 0 12px; font-size: 20px; line-height: 1.4; }
h2 { margin: 28px 0 8px; font-size: 15px; }
p { margin: 0 0 12px; }
.notice { padding: 10px 12px; background: var(--warn-page); color: var(--warn); border-radius: 10px; font-size: 14px; }
.people { margin: 0; padding: 0; list-style: none; display: grid; gap: 8px; }
button { width: 100%; min-height: 48px; padding: 10px 14px; border: 1px solid var(--line); border-radius: 10px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.person { text-align: start; }
.person small { display: block; color: var(--soft); font-size: 13px; }
.primary { margin-top: 12px; border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
label { display: block; margin: 12px 0 4px; font-size: 14px; }
label.check { display: flex; gap: 8px; align-items: center; margin: 12px 0 4px; }
input[type="text"], input[type="email"] { width: 100%; min-height: 44px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--page); color: inherit; font: inherit; }
input[type="checkbox"] { width: 20px; height: 20px; accent-color: var(--accent); }
.error { margin: 4px 0 0; color: var(--error); font-size: 14px; }
hr { margin: 24px 0 16px; border: 0; border-top: 1px solid var(--line); }
`;

type Html = ReturnType<typeof html>;

function renderPage(title: string, nonce: string, content: Html): Html {
  return html`<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${raw(STYLES)}</style>
</head>
<body><main>
<h1>${title}</h1>
${content}
</main></body>
</html>`;
}

export interface TypedPerson {
  name: string;
  email: string;
  email_verified: boolean;
  errors: { name?: string; email?: string };
}
export const NOBODY_TYPED: TypedPerson = { name: "", email: "", email_verified: true, errors: {} };

/**
 * Renders the page on which the user chooses an identity. Every form posts to the page's own URL, which carries the
 * authorization request.
 */
export function renderChoice({ name, tells_email }: StandIn, typed: TypedPerson, nonce: string): Html {
  const describePerson = (person: DeveloperPerson) => {
    if (!tells_email || !person.email) return "メールアドレスは伝えません";
    return person.email_verified ? person.email : `${person.email}（未確認）`;
  };
  return renderPage(
    `${name}でログイン（開発用）`,
    nonce,
    html`<p class="notice">これは開発用の画面で、本物の${name}ではありません。誰としてログインするかを選べます。</p>
<h2>ログインする人</h2>
<ul class="people">
${people.map(
  (person, index) =>
    html`<li><form method="post"><button class="person" name="person" value="${index}">${person.name}<small>${describePerson(person)}</small></button></form></li>`,
)}
</ul>
<h2>ほかの人</h2>
<form method="post" novalidate>
${renderField("name", "text", "名前", typed.name, typed.errors.name)}
${
  tells_email
    ? html`${renderField("email", "email", "メールアドレス（任意）", typed.email, typed.errors.email)}
<label class="check"><input type="checkbox" name="email_verified" value="1"${typed.email_verified ? raw(" checked") : ""}>このアドレスは確認済み</label>`
    : ""
}
<button class="primary" name="person" value="typed">この人としてログイン</button>
</form>
<hr>
<form method="post"><button name="deny" value="1">ログインせずに戻る</button></form>`,
  );
}

function renderField(name: string, type: string, label: string, value: string, error: string | undefined): Html {
  const described = error ? raw(` aria-invalid="true" aria-describedby="${name}-error"`) : "";
  return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="off"${described}>
${error ? html`<p class="error" id="${name}-error">${error}</p>` : ""}`;
}

/** Renders Apple's kind of callback: the browser posts to the site that asked. */
export function renderPostBack(
  name: string,
  redirect_uri: string,
  fields: Record<string, string>,
  nonce: string,
): Html {
  return renderPage(
    `${name}での確認が終わりました`,
    nonce,
    html`<p>ボタンを押すと、元のサイトに戻ります。</p>
<form method="post" action="${redirect_uri}">
${Object.entries(fields).map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}">`)}
<button class="primary">サイトに戻る</button>
</form>`,
  );
}

/** Renders the error page for a request whose redirect address cannot be trusted. */
export function renderRefusal(reason: string, nonce: string): Html {
  return renderPage(
    "ログインを始められません",
    nonce,
    html`<p>${reason}</p><p>元のサイトに戻って、もう一度お試しください。</p>`,
  );
}
