/**
 * Texts that would run if a page treated them as markup, script, style or URL. Each calls `executed("…")` with its
 * number, so that a failure names the text.
 */

const call = "executed(N)";

/** Markup that runs as soon as it is parsed, wherever it is. */
const elements = [
  `<script>${call}</script>`,
  `<ScRiPt>${call}</sCrIpT>`,
  `<script/x>${call}</script>`,
  `<script src="data:text/javascript,${call}"></script>`,
  `<script type=module>${call}</script>`,
  `<script>/*<!--*/${call}//--></script>`,
  `<img src=x onerror=${call}>`,
  `<img/src=x/onerror=${call}>`,
  `<img src onerror=${call}//`,
  `<image src=x onerror=${call}>`,
  `<svg onload=${call}>`,
  `<svg/onload=${call}>`,
  `<svg><script>${call}</script></svg>`,
  `<svg><animate onbegin=${call} attributeName=x dur=1s>`,
  `<svg><set onbegin=${call} attributename=x>`,
  `<svg><style><img src=x onerror=${call}></style></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${call}>`,
  `<body onload=${call}>`,
  `<body onpageshow=${call}>`,
  `<iframe onload=${call}></iframe>`,
  `<iframe src="javascript:${call}"></iframe>`,
  `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  `<object data="javascript:${call}"></object>`,
  `<embed src="javascript:${call}">`,
  `<video src=x onerror=${call}></video>`,
  `<video><source onerror=${call}></video>`,
  `<audio src=x onerror=${call}></audio>`,
  `<details open ontoggle=${call}>`,
  `<input autofocus onfocus=${call}>`,
  `<select autofocus onfocus=${call}>`,
  `<textarea autofocus onfocus=${call}>`,
  `<button autofocus onfocus=${call}>`,
  `<a autofocus onfocus=${call} href=x>`,
  `<div tabindex=0 autofocus onfocus=${call}>`,
  `<marquee onstart=${call}>`,
  `<meta http-equiv=refresh content="0;url=javascript:${call}">`,
  `<base href="javascript:${call}//">`,
  `<link rel=stylesheet href="data:text/css,*{background:url(x)}" onload=${call}>`,
  `<style onload=${call}>*{}</style>`,
  `<style>@import "javascript:${call}";</style>`,
  `<form action="javascript:${call}"><button autofocus>`,
  `<dialog open onfocusin=${call}><button autofocus>`,
  `<div style="animation:x" onanimationstart=${call}>`,
  `<xss contenteditable autofocus onfocus=${call}>`,
  `<template shadowrootmode=open><img src=x onerror=${call}></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${call}>">`,
  `<!--><img src=x onerror=${call}>-->`,
  `<![CDATA[<img src=x onerror=${call}>]]>`,
  `<?xml-stylesheet href="javascript:${call}"?>`,
];

/** Texts that end the part of a page around them: an attribute, an element, a script, JSON, a comment. */
const ends = [
  '"',
  "'",
  "`",
  '">',
  "'>",
  "</title>",
  "</textarea>",
  "</script>",
  "</style>",
  "-->",
  "]]>",
  "</h1>",
  "\\",
];

const attributes = [
  `" onmouseover="${call}" x="`,
  `" autofocus onfocus="${call}" x="`,
  `' autofocus onfocus='${call}' x='`,
  `" style="animation:x" onanimationstart="${call}" x="`,
  `x" srcset="x" onerror="${call}`,
];

/** Texts that become part of a script, a template or JSON. */
const scripts = [
  `";${call};"`,
  `';${call};'`,
  `\${${call}}`,
  `{{${call}}}`,
  `{{constructor.constructor('${call}')()}}`,
  `<%= ${call} %>`,
  `\u2028${call}\u2029`,
  `</script><script>${call}</script>`,
  `<!--<script>`,
  `{"__proto__":{"x":"${call}"}}`,
  `\\u003cimg src=x onerror=${call}\\u003e`,
  `&lt;img src=x onerror=${call}&gt;`,
  `&#60;img src=x onerror=${call}&#62;`,
  `&#x3c;script&#x3e;${call}&#x3c;/script&#x3e;`,
  `%3Cscript%3E${call}%3C/script%3E`,
  `+ADw-script+AD4-${call}+ADw-/script+AD4-`,
  `＜script＞${call}＜/script＞`,
];

/** URLs that run when a link, a picture or a frame uses them. */
const addresses = [
  `javascript:${call}`,
  `JaVaScRiPt:${call}`,
  `\tjavascript:${call}`,
  `java\tscript:${call}`,
  `javascript://x.example/%0a${call}`,
  `javascript:/*"/*'/*\`/*--></title></style></textarea></script><svg onload=${call}>`,
  `data:text/html,<script>${call}</script>`,
  `data:text/html;base64,PHNjcmlwdD5leGVjdXRlZCgpPC9zY3JpcHQ+`,
  `vbscript:${call}`,
  `//x.example/${call}`,
  `https://x.example/"onmouseover="${call}`,
  `https://x.example/'onfocus='${call}' autofocus='`,
];

/** The light markup of posts with hostile URLs. */
const markup = addresses.flatMap((address) => [`[ここ](${address})`, `![](${address})`, `｜字《${address}》`]);
const inMarkup = elements
  .slice(0, 30)
  .flatMap((element) => [`# ${element}`, `> ${element}`, `- ${element}`, `**${element}**`, `｜${element}《よみ》`]);

/** More than five hundred texts, each with its number. */
export const hostileWords: readonly string[] = [
  ...elements,
  ...elements.flatMap((element) => ends.slice(0, 5).map((end) => end + element)),
  ...ends.map((end) => `${end}${elements[6]}`),
  ...attributes,
  ...scripts,
  ...addresses,
  ...markup,
  ...inMarkup,
  ...elements.map((element) => `前の言葉${element}後の言葉`),
].map((word, index) => word.replaceAll("executed(N)", `executed(${index})`));
