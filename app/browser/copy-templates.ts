/* Copies texts that people paste elsewhere. The copy buttons (`data-copy`, after the text) are hidden until this
   module is loaded. Without it, a click selects the whole text. Importing the module starts it, once per document. */

document.documentElement.dataset.copies = "";

document.addEventListener("click", async ({ target }) => {
  const button = (target as Element).closest("[data-copy]");
  const text = button?.previousElementSibling;
  if (!button || !text) return;
  getSelection()?.selectAllChildren(text);
  const is_copied = await copyText(text.textContent ?? "");
  button.textContent = is_copied ? "コピーしました" : "選択しました";
});

/**
 * The clipboard API is missing over plain http, and a person may deny access. In both cases the script selects the
 * text, so that the person can copy it by keyboard.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export {};
