/**
 * Converts HTML that was copied from a word processor or another page into blocks that a post can have. The editor's
 * schema drops the rest; this only keeps what the schema would lose, such as the line breaks of a quotation. Parses the
 * HTML in a separate document, where no script runs and nothing is loaded.
 */
export function cleanPasted(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const node of body.querySelectorAll("script, style, meta, link, title, img, picture, svg, object, iframe"))
    node.remove();
  // Google Docs wraps everything in a `<b>` that is not bold.
  for (const wrapper of body.querySelectorAll("b[id^='docs-internal-guid']")) unwrapElement(wrapper);
  wordLists(body);
  for (const row of body.querySelectorAll("tr")) {
    const line = document.createElement("p");
    line.textContent = Array.from(row.children, (cell) => cell.textContent?.trim() ?? "").join("　");
    row.parentNode?.replaceChild(line, row);
  }
  // Process the innermost list first, so that each nested list moves up one level at a time.
  for (const item of Array.from(body.querySelectorAll("li")).reverse()) {
    const inner = Array.from(item.querySelectorAll("li"));
    for (const each of inner.reverse()) item.parentNode?.insertBefore(each, item.nextSibling);
    // The schema would give an empty list an empty item.
    for (const list of item.querySelectorAll("ul, ol")) unwrapElement(list);
    toLines(item);
  }
  for (const list of body.querySelectorAll(":is(ul, ol) > :is(ul, ol)")) unwrapElement(list);
  for (const quote of body.querySelectorAll("blockquote")) toLines(quote);
  return body.innerHTML;
}

/** Replaces an element by its children. */
function unwrapElement(node: Element): void {
  while (node.firstChild) node.parentNode?.insertBefore(node.firstChild, node);
  node.remove();
}

const BLOCKS = "p, div, section, h1, h2, h3, h4, h5, h6, blockquote, pre";

/** Replaces blocks inside the element by lines. */
function toLines(element: Element): void {
  for (const block of Array.from(element.querySelectorAll(BLOCKS)).reverse()) {
    if (block.previousSibling?.textContent?.trim()) {
      block.parentNode?.insertBefore(document.createElement("br"), block);
    }
    unwrapElement(block);
  }
}

/** Word writes lists as paragraphs, with the bullet or number as text. */
function wordLists(body: HTMLElement): void {
  for (const line of body.querySelectorAll<HTMLElement>("p[class^='MsoListParagraph']")) {
    const mark = line.querySelector("span[style*='mso-list:Ignore'], span[style*='mso-list: Ignore']");
    const tag = /\d/.test(mark?.textContent ?? "") ? "ol" : "ul";
    mark?.remove();
    const before = line.previousElementSibling;
    const list = before?.matches(`${tag}[data-word]`) ? before : document.createElement(tag);
    list.setAttribute("data-word", "");
    if (list !== before) line.parentNode?.insertBefore(list, line);
    const item = document.createElement("li");
    while (line.firstChild) item.appendChild(line.firstChild);
    list.appendChild(item);
    line.remove();
  }
}
