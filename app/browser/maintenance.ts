import {
  type MaintenanceReading,
  type MaintenanceRecord,
  type MaintenanceStatus,
  readingAt,
  statusAt,
} from "../../workers/contract/maintenance-status.ts";
import { BEGUN, OVER } from "./maintenance-words.ts";

/** Open pages and maintenance: what members' app and the visitors' script share. Knows no framework. */

export interface MaintenanceWatch {
  /** Looks whether the clock has made something else of what is known; asks before it is told. */
  recompute: () => Promise<void>;
  /** Asks the site at once. */
  check: () => Promise<void>;
}

interface Told {
  record: MaintenanceRecord;
  now_ms: number;
}

/** What the site says, and what time it has: a page's own clock may be wrong. Null when it does not answer. */
async function askSite(): Promise<Told | null> {
  try {
    const response = await fetch("/api/maintenance");
    const now_ms = Date.parse(response.headers.get("x-now") ?? "");
    return response.ok && now_ms ? { record: await response.json(), now_ms } : null;
  } catch {
    return null;
  }
}

/** Tells of every change of the reading a page was made with, once the site confirms it. When to look: maintenance-clock.ts. */
export function followMaintenance({
  reading,
  changed,
  now = Date.now,
  ask = askSite,
}: {
  reading: MaintenanceReading;
  changed: (reading: MaintenanceReading) => void;
  now?: () => number;
  ask?: () => Promise<Told | null>;
}): MaintenanceWatch {
  let known = reading;
  let ahead_ms = 0;
  const check = async () => {
    const told = await ask();
    if (!told) return;
    ahead_ms = told.now_ms - now();
    const next = readingAt(told.record, told.now_ms);
    if (JSON.stringify(next) === JSON.stringify(known)) return;
    known = next;
    changed(next);
  };
  return {
    check,
    async recompute() {
      if (statusAt(known, now() + ahead_ms) !== known.status) await check();
    },
  };
}

/** Of a field of a form, what tells whether somebody changed it. */
export type FieldState = Pick<HTMLInputElement, "type" | "value" | "defaultValue" | "checked" | "defaultChecked"> & {
  /** Of a list to choose from. */
  options?: Iterable<Pick<HTMLOptionElement, "selected" | "defaultSelected">>;
};

/** Whether a field is in another state than the page gave it. A list without a choice of its own stands at its first. */
export function isChanged({ type, value, defaultValue, checked, defaultChecked, options }: FieldState): boolean {
  if (type === "checkbox" || type === "radio") return checked !== defaultChecked;
  if (options) {
    const all = [...options];
    const is_chosen = all.some(({ defaultSelected }) => defaultSelected);
    return all.some(({ selected, defaultSelected }, at) => selected !== (is_chosen ? defaultSelected : at === 0));
  }
  // Of other kinds without a text of their own, both are the attribute.
  return defaultValue !== undefined && linesOf(value) !== linesOf(defaultValue);
}

const linesOf = (text: string) => text.replace(/\r\n?/g, "\n");

/**
 * Whether the page holds words that would be lost: typed and not sent; or given back by a refused form, whose fields came
 * with them.
 */
export function hasWords(): boolean {
  return [...document.querySelectorAll<HTMLFormElement>("form[method=post]")].some((form) => {
    const fields = [...form.elements] as unknown as FieldState[];
    const is_refused = form.querySelector('[role="alert"], [aria-invalid="true"]') !== null;
    return fields.some((field) => isChanged(field) || (is_refused && field.type === "textarea" && field.value !== ""));
  });
}

/**
 * For visitors' pages. The banner comes and goes by itself; when maintenance begins or ends the page is loaded anew, unless
 * words would be lost: then it says so and stays.
 *
 * @public for the visitors' script.
 */
export function watchMaintenance(): MaintenanceWatch {
  const { maintenance, startedAt, finishedAt } = document.documentElement.dataset;
  let status = (maintenance ?? "NO_MAINTENANCE_SCHEDULED") as MaintenanceStatus;
  return followMaintenance({
    reading: { status, started_at: startedAt ?? null, finished_at: finishedAt ?? null },
    changed: (next) => {
      const was_closed = status === "UNDER_MAINTENANCE";
      const is_closed = next.status === "UNDER_MAINTENANCE";
      status = next.status;
      if (was_closed === is_closed) replaceBanner();
      else if (hasWords()) say(is_closed ? BEGUN : OVER);
      else location.reload();
    },
  });
}

/** Puts the banner of the page as it is made now where this page's was. */
async function replaceBanner(): Promise<void> {
  const html = await (await fetch(location.href)).text();
  const banner = new DOMParser().parseFromString(html, "text/html").querySelector(".maintenance-banner");
  document.querySelector(".maintenance-banner")?.remove();
  if (banner) document.querySelector("main")?.insertAdjacentElement("beforebegin", banner);
}

function say(text: string): void {
  document.querySelector(".maintenance-banner")?.remove();
  const banner = document.createElement("aside");
  banner.className = "maintenance-banner";
  banner.role = "alert";
  banner.textContent = text;
  document.querySelector("main")?.insertAdjacentElement("beforebegin", banner);
}
