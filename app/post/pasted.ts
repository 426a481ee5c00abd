/**
 * What was copied out of a word processor or another page, brought to what the blocks of a post can hold. The schema of the
 * editor refuses the rest: this only keeps what it would lose, such as the lines of a quotation.
 *
 * The HTML is parsed into a document of its own, where no script runs and nothing is loaded.
 */
export function cleanPasted(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const node of body.querySelectorAll("script, style, meta, link, title, img, picture, svg, object, iframe")) node.remove();
  // Google Docs wraps everything in a bold that is none.
  for (const wrapper of body.querySelectorAll("b[id^='docs-internal-guid']")) wrapper.replaceWith(...wrapper.childNodes);
  wordLists(body);
  for (const row of body.querySelectorAll("tr")) {
    const line = document.createElement("p");
    line.textContent = [...row.children].map((cell) => cell.textContent?.trim() ?? "").join("　");
    row.replaceWith(line);
  }
  // Innermost first, so that a list in a list is lifted step by step.
  for (const item of [...body.querySelectorAll("li")].reverse()) {
    for (const inner of [...item.querySelectorAll(":scope > ul, :scope > ol")].reverse()) item.after(...inner.children);
    toLines(item);
  }
  for (const list of body.querySelectorAll(":is(ul, ol) > :is(ul, ol)")) list.replaceWith(...list.childNodes);
  for (const quote of body.querySelectorAll("blockquote")) toLines(quote);
  return body.innerHTML;
}

const BLOCKS = "p, div, section, h1, h2, h3, h4, h5, h6, blockquote, pre";

/** Blocks inside a block that holds lines become lines. */
function toLines(element: Element): void {
  for (const block of [...element.querySelectorAll(BLOCKS)].reverse()) {
    block.replaceWith(...(block.previousSibling?.textContent?.trim() ? [document.createElement("br")] : []), ...block.childNodes);
  }
}

/** Word writes its lists as paragraphs, with the mark as text. */
function wordLists(body: HTMLElement): void {
  for (const line of body.querySelectorAll<HTMLElement>("p[class^='MsoListParagraph']")) {
    const mark = line.querySelector("span[style*='mso-list:Ignore'], span[style*='mso-list: Ignore']");
    const tag = /\d/.test(mark?.textContent ?? "") ? "ol" : "ul";
    mark?.remove();
    const before = line.previousElementSibling;
    const list = before?.matches(`${tag}[data-word]`) ? before : document.createElement(tag);
    if (list !== before) {
      list.setAttribute("data-word", "");
      line.before(list);
    }
    const item = document.createElement("li");
    item.append(...line.childNodes);
    list.append(item);
    line.remove();
  }
}
