import { hasKeptWords } from "../forms/kept-words.ts";

type Field = HTMLInputElement | HTMLTextAreaElement;

const IN_FORM = "form[method=post]";
const FIELDS = `${IN_FORM} :is(textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit]))`;

/**
 * The fields that a person has typed into. This set is needed because a controlled field of React always equals its
 * default value.
 */
const touched = new Set<HTMLElement>();

/** Starts collecting the fields that are typed into. Returns a function that stops it. */
export function watchTyping(): () => void {
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLElement && target.closest(IN_FORM)) touched.add(target);
  };
  document.addEventListener("input", onInput);
  return () => document.removeEventListener("input", onInput);
}

/** Whether leaving the page would lose text in a form, an unsaved draft or a running upload. */
export function hasUnsentWords(): boolean {
  // Forms keep what is typed from when they are ready, and this module is loaded later.
  if (asksToStay() || hasKeptWords()) return true;
  const changed = [...document.querySelectorAll<Field>(FIELDS)].filter((field) => field.value !== field.defaultValue);
  return [...changed, ...touched].some((field) => field.isConnected && wordsOf(field) !== "");
}

function wordsOf(field: HTMLElement): string {
  return ("value" in field ? String(field.value) : (field.textContent ?? "")).trim();
}

/** Whether the page would ask before it is left, because of an unsaved draft or a running upload. */
export function asksToStay(): boolean {
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  return leaving.defaultPrevented;
}
