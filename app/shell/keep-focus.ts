/** A button that waits for the answer to its form. It is not `disabled`: the browser would take the focus from it. */
const WAITING = "button[aria-disabled=true]";
const FIELDS = "input:not([type=hidden]), textarea:not([hidden]), select";

/**
 * Keeps the place of a person who uses the keyboard or a screen reader, while forms are sent without loading a page: ignores
 * another press of a button that waits for its answer, and moves the focus when an answer removes the focused element.
 * Returns a function that stops both.
 */
export function keepFocus(): () => void {
  let place: Place | null = null;
  // Enter in a field also clicks the form's button.
  const ignorePress = (event: Event) => {
    if (!(event.target as Element).closest?.(WAITING)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const rememberPlace = ({ target }: Event) => {
    place = placeOf(target as HTMLElement);
  };
  const observer = new MutationObserver(() => {
    if (!place || place.element.isConnected || document.activeElement !== document.body) return;
    // After a navigation the reader begins at the top of the new page.
    if (place.path === location.pathname) focusNear(place);
    place = null;
  });
  addEventListener("click", ignorePress, true);
  document.addEventListener("focusin", rememberPlace);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener("click", ignorePress, true);
    document.removeEventListener("focusin", rememberPlace);
    observer.disconnect();
  };
}

interface Place {
  element: HTMLElement;
  /** The ancestors of the element, from the inside to the outside. */
  around: HTMLElement[];
  /** The address of the element's form. */
  action: string | null;
  path: string;
  is_keyboard: boolean;
}

function placeOf(element: HTMLElement): Place {
  const around: HTMLElement[] = [];
  for (let each = element.parentElement; each && each !== document.body; each = each.parentElement) around.push(each);
  const action = element.closest("form")?.getAttribute("action") ?? null;
  return { element, around, action, path: location.pathname, is_keyboard: element.matches(":focus-visible") };
}

/** Focuses the form that has replaced the element's form, for example an empty one for the next comment; else what is left around. */
function focusNear({ around, action, is_keyboard }: Place): void {
  const rest = around.find((each) => each.isConnected);
  if (!rest) return;
  const form = [...rest.querySelectorAll("form")].find((each) => each.getAttribute("action") === action);
  const closed = form?.closest("details:not([open])")?.querySelector<HTMLElement>("summary");
  // A field that is focused without a keyboard would open the one on the screen.
  const field = is_keyboard ? form?.querySelector<HTMLElement>(FIELDS) : null;
  const target = closed ?? field ?? form ?? rest;
  if (target === form || target === rest) focusOnce(target);
  else target.focus({ preventScroll: true });
}

/** Focuses an element that the Tab key does not reach. */
function focusOnce(element: HTMLElement): void {
  element.tabIndex = -1;
  element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  element.focus({ preventScroll: true });
}

/** Focuses the heading of a list whose other page was opened: the pressed link is below the list, or gone. */
export function focusList(): void {
  const { activeElement } = document;
  if (activeElement !== document.body && !activeElement?.closest(".pager")) return;
  const heading = document.querySelector(".pager")?.closest("section, main")?.querySelector<HTMLElement>("h1, h2");
  if (heading) focusOnce(heading);
}
