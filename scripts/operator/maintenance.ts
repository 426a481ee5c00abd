/** `npm run operator -- maintenance show|set|clear`: the record that `GET /api/maintenance` answers. */
import { parseArgs } from "node:util";
import { getMaintenance } from "../../workers/contract/maintenance.ts";
import { type MaintenanceRecord, statusAt } from "../../workers/contract/maintenance-status.ts";
import { clearMaintenance, getMaintenanceRecord, setMaintenance } from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import type { Site } from "./site.ts";
import type { Subject } from "./subject.ts";

const usage = `maintenance show
maintenance set --from <moment> [--to <moment>]   without --to it lasts until it is cleared
maintenance clear
  <moment>   "2026/12/01 17:00" in Japanese time, an ISO 8601 moment, or the word now`;

const MOMENT = /^(\d{4})[-/](\d{2})[-/](\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:[0-5]\d)?$/;
/** Refuses mistyped years, which would close the site for centuries or never. */
const [FIRST_YEAR, LAST_YEAR] = [2000, 2999];
/** The largest offset from UTC on earth. */
const MAX_OFFSET = "14:00";

/**
 * Reads a moment as an operator writes it. Without an offset it is Japanese time.
 *
 * @throws Refusal for a text that is no moment, a day that no month has, and a year or offset out of range.
 */
export function readMoment(text: string, now_ms: number): string {
  if (text === "now") return new Date(now_ms).toISOString();
  const [, year, month, day, hour, minute, second = "00", offset = "+09:00"] = MOMENT.exec(text.trim()) ?? [];
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const same = Date.parse(`${written}Z`);
  // February 30th would be read as March 2nd.
  const is_real = !Number.isNaN(same) && new Date(same).toISOString().startsWith(written);
  if (!is_real) throw new Refusal(`"${text}" is no moment. Write it like "2026/12/01 17:00" (Japanese time).`);
  if (Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR)
    throw new Refusal(`"${text}" has a year that is not from ${FIRST_YEAR} to ${LAST_YEAR}.`);
  if (offset !== "Z" && offset.slice(1) > MAX_OFFSET)
    throw new Refusal(`"${text}" has an offset that no place has: they go from -${MAX_OFFSET} to +${MAX_OFFSET}.`);
  return new Date(`${written}${offset}`).toISOString();
}

/** @throws Refusal for a window that ends before it begins, or has ended already. */
function readWindow({ from, to }: { from: string; to?: string }, now_ms: number) {
  const started_at = readMoment(from, now_ms);
  const finished_at = to === undefined ? null : readMoment(to, now_ms);
  if (finished_at !== null) {
    const end_ms = Date.parse(finished_at);
    if (end_ms <= Date.parse(started_at)) throw new Refusal(`It would end (${to}) before it begins (${from}).`);
    if (end_ms <= now_ms) throw new Refusal(`Its end (${to}) is over already.`);
  }
  return { started_at, finished_at };
}

const format = new Intl.DateTimeFormat("ja-JP", {
  timeZone: "Asia/Tokyo",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const formatMoment = (iso: string | null) => (iso === null ? "-" : `${format.format(new Date(iso))} JST (${iso})`);

function describeStatus(record: MaintenanceRecord, now_ms: number): string {
  return `status  ${statusAt(record, now_ms)}\nfrom    ${formatMoment(record.started_at)}\nto      ${formatMoment(record.finished_at)}`;
}

const REACH =
  'Visitors\' pages know within a second, every worker within five minutes: docs/operations.md, "Maintenance".';

/** Asks through the site, so that the web worker that answers learns the record at once. Others take five minutes. */
const tellWorker = ({ call }: Pick<Site, "call">) => call(getMaintenance, {}).catch(() => {});

export const maintenanceSubject: Subject = {
  usage,
  read(args, now_ms) {
    const [action, ...rest] = args;
    const { from, to } = readOptions(rest);
    if (action === "set" && from !== undefined) {
      const window = readWindow({ from, to }, now_ms);
      return async (site) => {
        const record = await site.call(setMaintenance, { body: window });
        await tellWorker(site);
        return `${describeStatus(record, now_ms)}\n${REACH}`;
      };
    }
    if (from !== undefined || to !== undefined) throw new Refusal(usage);
    if (action === "clear") {
      return async (site) => {
        const record = await site.call(clearMaintenance, {});
        await tellWorker(site);
        return `${describeStatus(record, now_ms)}\n${REACH}`;
      };
    }
    if (action !== "show") throw new Refusal(usage);
    return async ({ call }) => describeStatus(await call(getMaintenanceRecord, {}), now_ms);
  },
};

function readOptions(args: string[]): { from?: string; to?: string } {
  try {
    return parseArgs({ args, options: { from: { type: "string" }, to: { type: "string" } } }).values;
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`);
  }
}
