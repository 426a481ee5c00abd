import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

const SUBJECTS = { event: "投稿", event_comment: "コメント", ofuse: "ofuse", radio_comment: "コメント" };

const fromOperator = { actor_user_id: null, type: "custom" as const };
const noteText = (note: string | null) => (note === null ? "" : `（運営より：${note}）`);

/**
 * Notifies the reporter of the decision. When the decision took the subject down, also notifies its owner, once for all
 * reports of it. The spec has no notification type for this, so it is `custom` (docs/decisions/0001).
 */
export function noticesOfDecision(decided: OutboxEvents["report_decided"]): Notice[] {
  const { report_id, reporter_user_id, subject_type, subject_id, subject_user_id, decision, note, removal_id } =
    decided;
  const subject = SUBJECTS[subject_type];
  // Its author may have deleted the subject before the decision.
  const was_gone = decision === "removed" && removal_id === null;
  const outcome = {
    removed: was_gone
      ? `通報いただいた${subject}は、確認したときには、すでに削除されていました。ご連絡ありがとうございました。`
      : `通報いただいた${subject}を確認し、公開を停止しました。ご連絡ありがとうございました。`,
    kept: `通報いただいた${subject}を確認しましたが、今回は公開を続けることにしました。ご連絡ありがとうございました。`,
  }[decision];
  const toReporter: Notice = {
    ...fromOperator,
    user_id: reporter_user_id,
    occasion: `report_decided ${report_id}`,
    path: "/terms",
    message: outcome + noteText(note),
  };
  if (decision !== "removed" || was_gone || subject_user_id === null) return [toReporter];
  if (removal_id) return [toReporter, ...noticesOfRemoval({ ...decided, removal_id, owner_user_id: subject_user_id })];
  // A row of an earlier version, which names no removal.
  return [
    toReporter,
    {
      ...fromOperator,
      user_id: subject_user_id,
      occasion: `subject_removed ${subject_type} ${subject_id}`,
      path: "/help#contact",
      message: `あなたの${subject}は、利用規約にもとづいて運営が公開を停止しました。${noteText(note)}ご不明な点や異議がありましたら、お問い合わせからご連絡ください。`,
    },
  ];
}

/** Tells the owner of a removal, once, and where to appeal. */
export function noticesOfRemoval({
  removal_id,
  subject_type,
  owner_user_id,
  note,
}: OutboxEvents["subject_removed"]): Notice[] {
  if (owner_user_id === null) return [];
  return [
    {
      ...fromOperator,
      user_id: owner_user_id,
      occasion: `subject_removed ${removal_id}`,
      path: `/my/removals/${removal_id}`,
      message: `あなたの${SUBJECTS[subject_type]}は、利用規約にもとづいて運営が公開を停止しました。${noteText(note)}異議があるときは、ここから一度だけ申し出ることができます。`,
    },
  ];
}

/** Tells the owner that the subject is as it was before the removal. */
export function noticesOfReturn({
  removal_id,
  subject_type,
  owner_user_id,
  note,
  is_appeal,
}: OutboxEvents["subject_given_back"]): Notice[] {
  if (owner_user_id === null) return [];
  const reason = is_appeal ? "異議の申し出を確認し、" : "";
  return [
    {
      ...fromOperator,
      user_id: owner_user_id,
      occasion: `subject_given_back ${removal_id}`,
      path: `/my/removals/${removal_id}`,
      message: `${reason}あなたの${SUBJECTS[subject_type]}の公開の停止を解き、もとの状態に戻しました。${noteText(note)}`,
    },
  ];
}

export function noticesOfRefusal({
  removal_id,
  subject_type,
  owner_user_id,
  note,
}: OutboxEvents["appeal_refused"]): Notice[] {
  if (owner_user_id === null) return [];
  return [
    {
      ...fromOperator,
      user_id: owner_user_id,
      occasion: `appeal_refused ${removal_id}`,
      path: `/my/removals/${removal_id}`,
      message: `異議の申し出を確認しましたが、あなたの${SUBJECTS[subject_type]}の公開の停止は続けることにしました。${noteText(note)}`,
    },
  ];
}
