import { html, raw } from "hono/html";
import { type ErrorCode, errorCatalogue } from "../../contract/errors.ts";
import { operationGroups } from "../../contract/index.ts";
import type { Auth, Operation } from "../../contract/operation.ts";
import { fieldTable, type Html, schemaTables } from "./fields.ts";
import { callsOf, type DescribedCall, type OpenApiDocument, type Parameter } from "./openapi.ts";
import { style } from "./style.ts";

const authWords: Record<Auth, string> = {
  none: "トークンは見ません",
  optional: "トークンは任意",
  required: "トークンが必要",
  operator: "運営のみ",
};

/** Renders the OpenAPI document as a page for people. The page contains no script. */
export function renderPage(document: OpenApiDocument): Html {
  const { components, info } = document;
  const links = [
    ...operationGroups.map(({ name, title, operations }) => ({ name, title, count: operations.length })),
    { name: "schemas", title: "共通の形", count: Object.keys(components.schemas).length },
    { name: "errors", title: "エラー", count: Object.keys(errorCatalogue).length },
  ];
  return html`<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, minimum-scale=0.5, maximum-scale=2">
<meta name="color-scheme" content="light dark">
<title>APIリファレンス｜ofuse</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${raw(style)}</style>
</head>
<body>
<div class="page">
<header class="intro">
<h1>APIリファレンス</h1>
${renderIntroduction(info.description)}
<p><a href="/v4/openapi.json">OpenAPI 3.1 の文書（JSON）</a></p>
</header>
<nav class="contents" aria-labelledby="contents">
<h2 id="contents">目次</h2>
<ul>${links.map(
    ({ name, title, count }) => html`<li><a href="#${name}">${title}<span class="number">${count}</span></a></li>`,
  )}</ul>
</nav>
<main>
${operationGroups.map((group) => {
  const calls = callsOf(group);
  return html`<section id="${group.name}" aria-labelledby="heading-${group.name}">
<h2 id="heading-${group.name}">${group.title}</h2>
<p>${group.description}</p>
<ul class="calls">${calls.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}"><span class="method ${method}">${method}</span><code>${path}</code><span class="summary">${summary}</span></a></li>`,
  )}</ul>
${calls.map((call) => renderCall(call, document))}
</section>`;
})}
<section id="schemas" aria-labelledby="heading-schemas">
<h2 id="heading-schemas">共通の形</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) => html`<article id="schema-${name}">
<h3><code>${name}</code></h3>
${schema.description ? html`<p>${schema.description}</p>` : ""}
${schemaTables(schema, "output")}
</article>`,
)}
</section>
${renderErrors()}
</main>
</div>
</body>
</html>`;
}

/** Renders the introduction: its paragraphs, its one list, and its inline code. */
function renderIntroduction(text: string): Html {
  const renderWords = (line: string) =>
    line.split("`").map((part, place) => (place % 2 ? html`<code>${part}</code>` : part));
  const lines = text.split("\n").filter(Boolean);
  const points = lines.filter((line) => line.startsWith("- "));
  return html`${lines.filter((line) => !line.startsWith("- ")).map((line) => html`<p>${renderWords(line)}</p>`)}
<ul>${points.map((line) => html`<li>${renderWords(line.slice(2))}</li>`)}</ul>`;
}

function renderCall(call: Operation, { paths, components }: OpenApiDocument): Html {
  const described = paths[call.path]?.[call.method.toLowerCase()] as DescribedCall;
  const shared: Record<string, Parameter> = components.parameters;
  const parameters = described.parameters.flatMap((each) =>
    "$ref" in each ? (shared[each.$ref.replace("#/components/parameters/", "")] ?? []) : each,
  );
  const body = described.requestBody?.content["application/json"];
  return html`<article id="${call.id}">
<h3>${described.summary}</h3>
<p class="address"><span class="method ${call.method}">${call.method}</span><code>${call.path}</code></p>
<p class="marks"><span>${authWords[call.auth]}</span><span><code>${call.id}</code></span></p>
${described.description ? html`<p>${described.description}</p>` : ""}
${parameters.length > 0 ? html`<div><h4>パラメーター</h4>${fieldTable(parameters, "input", "名前")}</div>` : ""}
${body ? html`<div><h4>送る本文</h4>${schemaTables(body.schema, "input")}</div>${renderExample("送る本文の例", body.example)}` : ""}
${renderAnswers(described)}
<div><h4>エラー</h4>${renderCodes(described["x-errors"])}</div>
</article>`;
}

function renderAnswers({ responses }: DescribedCall): Html {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return html`${successes.map(([status, response]) => {
    const content = "content" in response ? response.content?.["application/json"] : undefined;
    return content
      ? html`<div><h4>応答 ${status}</h4>${schemaTables(content.schema, "output")}</div>${renderExample("応答の例", content.example)}`
      : html`<div><h4>応答 ${status}</h4><p>本文はありません。</p></div>`;
  })}`;
}

function renderExample(title: string, value: unknown): Html {
  return html`<details><summary>${title}</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;
}

function renderCodes(list: readonly ErrorCode[]): Html {
  return html`<ul class="codes">${list.map(
    (code) => html`<li>${errorCatalogue[code].status} <a href="#error-${code}"><code>${code}</code></a></li>`,
  )}</ul>`;
}

function renderErrors(): Html {
  return html`<section id="errors" aria-labelledby="heading-errors">
<h2 id="heading-errors">エラー</h2>
<p>エラーの <code>type</code> はこの表の行を指します。コードの意味が変わることはありません。</p>
<article>
<table>
<thead><tr><th scope="col">コード</th><th scope="col">表示する文</th></tr></thead>
<tbody>${Object.entries(errorCatalogue).map(
    ([code, { status, detail }]) => html`<tr id="error-${code}">
<th scope="row">${status} <code>${code}</code></th>
<td>${detail}</td>
</tr>`,
  )}</tbody>
</table>
</article>
</section>`;
}
