import type { Notice } from "../domain.ts";
import type { OutboxEvents } from "../storage/outbox.ts";

const SUBJECTS = { event: "投稿", event_comment: "コメント", ofuse: "ofuse", radio_comment: "コメント" };

/**
 * Notifies the reporter of the decision. When the subject was removed, also notifies its owner, once for all reports of
 * it. The spec has no notification type for this, so it is `custom` (docs/decisions/0001).
 */
export function noticesOfDecision(decided: OutboxEvents["report_decided"]): Notice[] {
  const { report_id, reporter_user_id, subject_type, subject_id, subject_user_id, decision, note } = decided;
  const subject = SUBJECTS[subject_type];
  const fromOperator = { actor_user_id: null, type: "custom" as const };
  const noteText = note === null ? "" : `（運営より：${note}）`;
  const outcome =
    decision === "removed"
      ? `通報いただいた${subject}を確認し、公開を停止しました。ご連絡ありがとうございました。`
      : `通報いただいた${subject}を確認しましたが、今回は公開を続けることにしました。ご連絡ありがとうございました。`;
  const toReporter: Notice = {
    ...fromOperator,
    user_id: reporter_user_id,
    occasion: `report_decided ${report_id}`,
    path: "/terms",
    message: outcome + noteText,
  };
  if (decision !== "removed" || subject_user_id === null) return [toReporter];
  return [
    toReporter,
    {
      ...fromOperator,
      user_id: subject_user_id,
      occasion: `subject_removed ${subject_type} ${subject_id}`,
      path: "/help#contact",
      message: `あなたの${subject}は、利用規約にもとづいて運営が公開を停止しました。${noteText}ご不明な点や異議がありましたら、お問い合わせからご連絡ください。`,
    },
  ];
}
