/**
 * Forgets the words that this tab keeps for the form at `path`, because something else has them now: a draft, or a payment.
 *
 * @param message forgets only this message; newer words stay.
 */
export function forgetWords(path: string, message?: string): void {
  import("./kept-words.ts").then(
    ({ forgetSent, hasKept }) => {
      if (message === undefined || hasKept(path, message)) forgetSent(path, new FormData());
    },
    () => {},
  );
}
