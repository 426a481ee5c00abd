/** `npm run operator -- reports list|show|decide`: what people have reported, and what becomes of it. */
import { parseArgs } from "node:util";
import { Refusal } from "../refusal.ts";
import { literal } from "./literal.ts";
import type { Product, Subject } from "./subject.ts";

type Run = Pick<Product, "run">;

const usage = `reports list [--all]   what waits, oldest first; with --all also what was decided
reports show <report_id>
reports decide <report_id> removed|kept [--note "…"]   for all that wait about the same thing; the note is told to those concerned`;

const ID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const DECISIONS = ["removed", "kept"];
/** It stands in a notification. */
const NOTE_CHARACTERS = 300;

export const reportsSubject: Subject = {
  usage,
  read(args, now_ms) {
    const { values, positionals } = readArguments(args);
    const [action, report_id, decision, ...more] = positionals;
    const { all, note } = values;
    if (action === "list" && report_id === undefined && note === undefined)
      return (product) => list(product, all === true);
    if (all !== undefined || more.length > 0 || report_id === undefined) throw new Refusal(usage);
    if (!ID.test(report_id)) throw new Refusal(`"${report_id}" is no id of a report: \`reports list\` shows them.`);
    if (action === "show" && decision === undefined && note === undefined) return (product) => show(product, report_id);
    if (action !== "decide" || !DECISIONS.includes(decision ?? "")) throw new Refusal(usage);
    const told = note?.trim().normalize("NFC") || null;
    if (told !== null && (told.length > NOTE_CHARACTERS || /[\u0000-\u001f\u007f]/.test(told)))
      throw new Refusal(`A note is one line of at most ${NOTE_CHARACTERS} characters.`);
    return (product) => decide(product, report_id, decision ?? "", told, new Date(now_ms).toISOString());
  },
};

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { all: { type: "boolean" }, note: { type: "string" } },
    });
  } catch {
    throw new Refusal(usage);
  }
}

/** Who it is by the name in the address of their page, which is how anybody is found. */
const linkOf = (column: string) => `(SELECT link_id FROM users WHERE users.user_id = ${column})`;

async function list({ run }: Run, all: boolean): Promise<string> {
  const rows = await run(`SELECT report_id, subject_type, reason, created_at, coalesce(decision, 'waits') AS state,
    ${linkOf("subject_user_id")} AS owner, ${linkOf("reporter_user_id")} AS reporter,
    (SELECT COUNT(*) FROM reports same
      WHERE same.subject_type = reports.subject_type AND same.subject_id = reports.subject_id) AS of_the_same
    FROM reports ${all ? "" : "WHERE processing_status = 'processing'"} ORDER BY report_id`);
  if (rows.length === 0) return all ? "Nothing has been reported." : "Nothing waits.";
  const lines = rows.map((row) =>
    [
      row.report_id,
      row.created_at,
      row.state,
      `${row.subject_type} of ${row.owner}`,
      row.reason,
      `by ${row.reporter}`,
      `${row.of_the_same} of the same`,
    ].join("  "),
  );
  return lines.join("\n");
}

async function show({ run }: Run, report_id: string): Promise<string> {
  const [report] =
    await run(`SELECT subject_type, subject_id, reason, detail, created_at, decision, decision_note, decided_at,
    ${linkOf("subject_user_id")} AS owner, ${linkOf("reporter_user_id")} AS reporter
    FROM reports WHERE report_id = '${report_id}'`);
  if (!report) throw new Refusal(`There is no report ${report_id}.`);
  const { subject_type, subject_id } = report;
  const [subject] = await run(subjectStatement(subject_type, subject_id));
  const others = await run(`SELECT report_id, reason, detail, coalesce(decision, 'waits') AS state,
    ${linkOf("reporter_user_id")} AS reporter FROM reports
    WHERE subject_type = '${subject_type}' AND subject_id = '${subject_id}' AND report_id <> '${report_id}'
    ORDER BY report_id`);
  const lines = [
    `report    ${report_id}, ${report.created_at}`,
    `by        ${report.reporter}`,
    `reason    ${report.reason}`,
    `detail    ${indented(report.detail)}`,
    `decision  ${report.decision ?? "waits"}${report.decided_at ? `, ${report.decided_at}` : ""}${report.decision_note ? `: ${report.decision_note}` : ""}`,
    `what      ${subject_type} ${subject_id} of ${report.owner}`,
    ...(subject ? [`where     ${subject.place}`, `state     ${subject.state}`] : []),
    `text      ${subject ? indented(subject.text) : "(it is no more)"}`,
    ...others.map(
      (other) =>
        `also      ${other.report_id} by ${other.reporter}, ${other.reason}, ${other.state}: ${indented(other.detail)}`,
    ),
  ];
  return lines.join("\n");
}

/** What was reported: its whole text, where it is, and whether people see it. */
function subjectStatement(subject_type: unknown, subject_id: unknown): string {
  switch (subject_type) {
    case "event":
      return `SELECT title || char(10) || body AS text, '/' || ${linkOf("events.user_id")} || '/events/' || event_id AS place,
        status || iif(removed_at IS NULL, '', ', removed ' || removed_at) AS state
        FROM events WHERE event_id = '${subject_id}'`;
    case "event_comment":
      return `SELECT message AS text, '/' || ${linkOf("events.user_id")} || '/events/' || event_id AS place,
        CASE WHEN hidden_at IS NOT NULL THEN 'hidden ' || hidden_at
          WHEN deleted_at IS NOT NULL THEN 'deleted ' || deleted_at ELSE 'shown' END AS state
        FROM event_comments JOIN events USING (event_id) WHERE comment_id = '${subject_id}'`;
    default:
      return `SELECT message AS text, 'to ' || ${linkOf("receiver_user_id")} AS place,
        iif(removed_at IS NOT NULL, 'removed ' || removed_at, iif(is_public, 'public', 'between the two')) AS state
        FROM ofuses WHERE ofuse_id = '${subject_id}'`;
  }
}

const indented = (text: unknown) => String(text).replaceAll("\n", "\n          ") || "-";

/** One statement; its trigger takes the thing down and lets the API tell those concerned (0012_publishing.sql). */
async function decide(
  { run }: Run,
  report_id: string,
  decision: string,
  note: string | null,
  now: string,
): Promise<string> {
  const decided = await run(`UPDATE reports SET processing_status = 'completed', decision = '${decision}',
      decision_note = ${literal(note)}, decided_at = '${now}'
    WHERE processing_status = 'processing' AND (subject_type, subject_id) = (
      SELECT subject_type, subject_id FROM reports WHERE report_id = '${report_id}' AND processing_status = 'processing')
    RETURNING report_id`);
  if (decided.length === 0) {
    const [report] = await run(`SELECT decision FROM reports WHERE report_id = '${report_id}'`);
    throw new Refusal(report ? `It was decided already: ${report.decision}.` : `There is no report ${report_id}.`);
  }
  return `${decided.length === 1 ? "1 report" : `${decided.length} reports of the same`} decided: ${decision}. Those concerned hear of it within a minute.`;
}
