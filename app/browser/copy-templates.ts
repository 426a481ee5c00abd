/*
 * Copies the texts that are there to be pasted elsewhere. Their buttons (`data-copy`, after the text) are hidden until this has
 * loaded; without it the text is selected as a whole when it is clicked. Loading it is starting it, once in a document.
 */

document.documentElement.dataset.copies = "";

document.addEventListener("click", async ({ target }) => {
  const button = (target as Element).closest("[data-copy]");
  const text = button?.previousElementSibling;
  if (!button || !text) return;
  getSelection()?.selectAllChildren(text);
  const is_copied = await copy(text.textContent ?? "");
  button.textContent = is_copied ? "コピーしました" : "選択しました";
});

/** Over plain http there is no clipboard, and a reader may forbid it: then the text is selected, to be copied by hand. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export {};
