import {
  type MaintenanceReading,
  type MaintenanceRecord,
  type MaintenanceStatus,
  readingAt,
  statusAt,
} from "../../workers/contract/maintenance-status.ts";
import { BEGUN, OVER } from "./maintenance-words.ts";

/** The maintenance watch of open pages, shared by members' app and the visitors' script. Independent of React. */

export interface MaintenanceWatch {
  /**
   * Checks whether the maintenance status has changed according to the known schedule. If so, asks the server before
   * reporting the change.
   */
  recompute: () => Promise<void>;
  /** Asks the server for the maintenance status now. */
  check: () => Promise<void>;
}

interface SiteAnswer {
  record: MaintenanceRecord;
  now_ms: number;
}

/**
 * Loads the schedule and the server's time, because the browser's clock may be wrong. Returns null without an answer.
 */
async function askSite(): Promise<SiteAnswer | null> {
  try {
    const response = await fetch("/api/maintenance");
    const now_ms = Date.parse(response.headers.get("x-now") ?? "");
    return response.ok && now_ms ? { record: await response.json(), now_ms } : null;
  } catch {
    return null;
  }
}

/**
 * Calls `changed` for every change of the maintenance status, once the server has confirmed it. maintenance-clock.ts
 * decides when to check.
 */
export function followMaintenance({
  reading,
  changed,
  now = Date.now,
  ask = askSite,
}: {
  reading: MaintenanceReading;
  changed: (reading: MaintenanceReading) => void;
  now?: () => number;
  ask?: () => Promise<SiteAnswer | null>;
}): MaintenanceWatch {
  let known = reading;
  let ahead_ms = 0;
  const checkStatus = async () => {
    const answer = await ask();
    if (!answer) return;
    ahead_ms = answer.now_ms - now();
    const next = readingAt(answer.record, answer.now_ms);
    if (JSON.stringify(next) === JSON.stringify(known)) return;
    known = next;
    changed(next);
  };
  return {
    check: checkStatus,
    async recompute() {
      if (statusAt(known, now() + ahead_ms) !== known.status) await checkStatus();
    },
  };
}

/** The properties of a form control that say whether a person changed it. */
export type FieldState = Pick<HTMLInputElement, "type" | "value" | "defaultValue" | "checked" | "defaultChecked"> & {
  /** The options of a `<select>` control. */
  options?: Iterable<Pick<HTMLOptionElement, "selected" | "defaultSelected">>;
};

/** Whether a field differs from its initial state. A `<select>` without a selected option starts with its first. */
export function isChanged({ type, value, defaultValue, checked, defaultChecked, options }: FieldState): boolean {
  if (type === "checkbox" || type === "radio") return checked !== defaultChecked;
  if (options) {
    const all = [...options];
    const is_chosen = all.some(({ defaultSelected }) => defaultSelected);
    return all.some(({ selected, defaultSelected }, at) => selected !== (is_chosen ? defaultSelected : at === 0));
  }
  // For other input types `value` and `defaultValue` are both the attribute, so comparing them finds no change.
  return defaultValue !== undefined && linesOf(value) !== linesOf(defaultValue);
}

const linesOf = (text: string) => text.replace(/\r\n?/g, "\n");

/**
 * Whether leaving the page would lose text: typed text that was not sent, or text that a refused form returned as its
 * default values.
 */
export function hasWords(): boolean {
  return [...document.querySelectorAll<HTMLFormElement>("form[method=post]")].some((form) => {
    const fields = [...form.elements] as unknown as FieldState[];
    const is_refused = form.querySelector('[role="alert"], [aria-invalid="true"]') !== null;
    return fields.some((field) => isChanged(field) || (is_refused && field.type === "textarea" && field.value !== ""));
  });
}

/**
 * The maintenance watch on visitors' pages. Updates the banner. When maintenance begins or ends, reloads the page, or
 * only says so if text would be lost.
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
      else if (hasWords()) replaceBannerText(is_closed ? BEGUN : OVER);
      else location.reload();
    },
  });
}

/** Fetches this page again and replaces its maintenance banner with the current one. */
async function replaceBanner(): Promise<void> {
  const html = await (await fetch(location.href)).text();
  const banner = new DOMParser().parseFromString(html, "text/html").querySelector(".maintenance-banner");
  document.querySelector(".maintenance-banner")?.remove();
  if (banner) document.querySelector("main")?.insertAdjacentElement("beforebegin", banner);
}

function replaceBannerText(text: string): void {
  document.querySelector(".maintenance-banner")?.remove();
  const banner = document.createElement("aside");
  banner.className = "maintenance-banner";
  banner.role = "alert";
  banner.textContent = text;
  document.querySelector("main")?.insertAdjacentElement("beforebegin", banner);
}
