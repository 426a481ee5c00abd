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

/**
 * Whether the page holds words that would be lost: typed and not sent, or given back. Any text in a textarea counts: where
 * React controls one, its default value is what was typed.
 */
export function hasWords(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>("form[method=post] :is(input, textarea)");
  return [...fields].some(
    ({ type, value, defaultValue, checked, defaultChecked }) =>
      value !== defaultValue || checked !== defaultChecked || (type === "textarea" && value !== ""),
  );
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
