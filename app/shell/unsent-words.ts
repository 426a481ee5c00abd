type Field = HTMLInputElement | HTMLTextAreaElement;

const IN_FORM = "form[method=post]";
const FIELDS = `${IN_FORM} :is(textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit]))`;

/** Fields that were typed into. A controlled field of React always equals its default value. */
const touched = new Set<HTMLElement>();

/** Notes the fields that are typed into. Returns what stops it. */
export function lookAtWords(): () => void {
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLElement && target.closest(IN_FORM)) touched.add(target);
  };
  document.addEventListener("input", onInput);
  return () => document.removeEventListener("input", onInput);
}

/** Whether leaving the page would lose something: text in a form, or anything that asks before the page is left. */
export function hasUnsentWords(): boolean {
  if (asksToStay()) return true;
  const changed = [...document.querySelectorAll<Field>(FIELDS)].filter((field) => field.value !== field.defaultValue);
  return [...changed, ...touched].some((field) => field.isConnected && wordsOf(field) !== "");
}

function wordsOf(field: HTMLElement): string {
  return ("value" in field ? String(field.value) : (field.textContent ?? "")).trim();
}

/** Whether something on the page asks before it is left: a draft that could not be saved, or an upload. */
export function asksToStay(): boolean {
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  return leaving.defaultPrevented;
}
