declare global {
  /** The forms that the browser itself is sending, without the app. */
  var sentForms: WeakSet<EventTarget> | undefined;
}

/**
 * An inline script of members' pages. Notes the forms that are sent before the app has started, which cannot know of
 * them otherwise.
 */
export const NOTE_SENT_FORMS =
  "var sentForms=new WeakSet;addEventListener('submit',e=>e.defaultPrevented||sentForms.add(e.target))";

/** Whether the browser is sending the form: the person pressed its button before the app had started. */
export const isSentEarly = (form: HTMLFormElement): boolean => globalThis.sentForms?.has(form) ?? false;
