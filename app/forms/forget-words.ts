/** Forgets the words that this tab keeps for the form at `path`, after something else than its answer has taken them. */
export function forgetWords(path: string): void {
  import("./kept-words.ts").then(
    ({ forgetSent }) => forgetSent(path, new FormData()),
    () => {},
  );
}
