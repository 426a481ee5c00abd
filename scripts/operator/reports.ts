/** `npm run operator -- reports list|show|decide`: members' reports, and the decisions on them. */

import { parseArgs } from "node:util";
import { ID_PATTERN } from "../../workers/contract/fields.ts";
import { toNormalForm } from "../../workers/contract/normal-form.ts";
import {
  decideReport,
  getReport,
  listReports,
  type Report,
  type ReportedSubject,
  reportDecision,
} from "../../workers/contract/operator.ts";
import { Refusal } from "../refusal.ts";
import { CallRefused, type Site } from "./site.ts";
import type { Subject } from "./subject.ts";

type Reached = Pick<Site, "call">;
type Decision = NonNullable<Report["decision"]>;

const usage = `reports list [--all]   open reports, oldest first; with --all also decided ones
reports show <report_id>
reports decide <report_id> removed|kept [--note "…"]   decides all open reports about the same thing; the note goes to the people concerned`;

/** Limits the note, because a notification shows it on one line. */
const NOTE_CHARACTERS = 300;

export const reportsSubject: Subject = {
  usage,
  read(args) {
    const { values, positionals } = readArguments(args);
    const [action, report_id, word, ...more] = positionals;
    const { all, note } = values;
    if (action === "list" && report_id === undefined && note === undefined)
      return (site) => describeReports(site, all === true);
    if (all !== undefined || more.length > 0 || report_id === undefined) throw new Refusal(usage);
    if (!ID_PATTERN.test(report_id))
      throw new Refusal(`"${report_id}" is no id of a report: \`reports list\` shows them.`);
    if (action === "show" && word === undefined && note === undefined) return (site) => showReport(site, report_id);
    const decision = reportDecision.safeParse(word).data;
    if (action !== "decide" || !decision) throw new Refusal(usage);
    const line = (note && toNormalForm(note.trim())) || null;
    if (line !== null && (line.length > NOTE_CHARACTERS || /[\u0000-\u001f\u007f]/.test(line)))
      throw new Refusal(`A note is one line of at most ${NOTE_CHARACTERS} characters.`);
    return (site) => decideOnReport(site, report_id, decision, line);
  },
};

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { all: { type: "boolean" }, note: { type: "string" } },
    });
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n${usage}`);
  }
}

async function describeReports({ call }: Reached, is_all: boolean): Promise<string> {
  const lines: string[] = [];
  let after: string | undefined;
  for (let has_next = true; has_next; ) {
    const page = await call(listReports, { query: { is_all, after } });
    lines.push(...page.reports.map(lineOf));
    has_next = page.has_next;
    after = page.reports.at(-1)?.report_id;
  }
  if (lines.length === 0) return is_all ? "Nothing has been reported." : "Nothing waits.";
  return lines.join("\n");
}

/** Names people by their link_id. */
function lineOf(report: Report): string {
  return [
    report.report_id,
    report.created_at,
    report.decision ?? "waits",
    `${report.subject_type} of ${report.owner_link_id ?? "a guest"}`,
    report.reason,
    `by ${report.reporter_link_id}`,
    `${report.same_subject_count} of the same`,
  ].join("  ");
}

async function showReport({ call }: Reached, report_id: string): Promise<string> {
  const { report, subject, others } = await call(getReport, { params: { report_id } }).catch(rethrowNaming(report_id));
  const { decision, decided_at, decision_note, subject_type } = report;
  const lines = [
    `report    ${report_id}, ${report.created_at}`,
    `by        ${report.reporter_link_id}`,
    `reason    ${report.reason}`,
    `detail    ${indentLines(report.detail)}`,
    `decision  ${decision ?? "waits"}${decided_at ? `, ${decided_at}` : ""}${decision_note ? `: ${decision_note}` : ""}`,
    `what      ${subject_type} ${report.subject_id} of ${report.owner_link_id ?? "a guest"}`,
    ...(subject ? [`where     ${placeOf(subject)}`, `state     ${stateOf(subject, subject_type)}`] : []),
    `text      ${subject ? indentLines(subject.text) : "(it is no more)"}`,
    ...others.map(
      (other) =>
        `also      ${other.report_id} by ${other.reporter_link_id}, ${other.reason}, ${other.decision ?? "waits"}: ${indentLines(other.detail)}`,
    ),
  ];
  return lines.join("\n");
}

function placeOf({ page_link_id, event_id, radio_id }: ReportedSubject): string {
  if (radio_id !== null) return `radio ${radio_id} of ${page_link_id}`;
  return event_id === null ? `to ${page_link_id}` : `/${page_link_id}/events/${event_id}`;
}

function stateOf({ state, since }: ReportedSubject, subject_type: Report["subject_type"]): string {
  const words = {
    event: state === "removed" ? "private, removed" : state,
    event_comment: state === "removed" ? "hidden" : state,
    ofuse: state === "between_two" ? "between the two" : state,
    radio_comment: state === "removed" ? "hidden" : state,
  };
  return `${words[subject_type]}${since ? ` ${since}` : ""}`;
}

const indentLines = (text: string) => text.replaceAll("\n", "\n          ") || "-";

async function decideOnReport(
  { call }: Reached,
  report_id: string,
  decision: Decision,
  note: string | null,
): Promise<string> {
  const body = { decision, note };
  const decided = await call(decideReport, { params: { report_id }, body }).catch(async (error: unknown) => {
    if (error instanceof CallRefused && error.code === "report_already_decided") {
      const { report } = await call(getReport, { params: { report_id } });
      throw new Refusal(`It was decided already: ${report.decision}.`);
    }
    return rethrowNaming(report_id)(error);
  });
  const reports = decided.reports_count === 1 ? "1 report" : `${decided.reports_count} reports of the same`;
  return `${reports} decided: ${decision}. Those concerned hear of it within a minute.`;
}

/** Rethrows a refused call; an unknown report gets a sentence with its id. */
const rethrowNaming =
  (report_id: string) =>
  (error: unknown): never => {
    const is_unknown = error instanceof CallRefused && error.code === "not_found";
    throw is_unknown ? new Refusal(`There is no report ${report_id}.`) : error;
  };
