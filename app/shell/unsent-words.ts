type Field = HTMLInputElement | HTMLTextAreaElement;

const IN_FORM = "form[method=post]";
const FIELDS = `${IN_FORM} :is(textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit]))`;

/** What was typed into while somebody looked: a field that React keeps says of itself that it is as it came. */
const touched = new Set<HTMLElement>();

/** Looks at what is typed from now on; gives what ends that. */
export function lookAtWords(): () => void {
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLElement && target.closest(IN_FORM)) touched.add(target);
  };
  document.addEventListener("input", onInput);
  return () => document.removeEventListener("input", onInput);
}

/**
 * Whether leaving the page would lose something: words of a form to be sent, or whatever else asks before the page is left (a
 * draft that could not be saved, a file on its way).
 */
export function hasUnsentWords(): boolean {
  if (asksToStay()) return true;
  const changed = [...document.querySelectorAll<Field>(FIELDS)].filter((field) => field.value !== field.defaultValue);
  return [...changed, ...touched].some((field) => field.isConnected && wordsOf(field) !== "");
}

function wordsOf(field: HTMLElement): string {
  return ("value" in field ? String(field.value) : (field.textContent ?? "")).trim();
}

/** Whether something on the page asks before it is left. */
export function asksToStay(): boolean {
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  return leaving.defaultPrevented;
}
