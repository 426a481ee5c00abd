import { groupDigits } from "../../../../workers/contract/group-digits.ts";
import { PAYOUT_MIN_YEN } from "../../../../workers/contract/limits.ts";
import type { CreatorAccount } from "../../../../workers/contract/payouts.ts";
import { MONETIZE_PATH } from "./paths.ts";

/** Whether a creator has taken every step of the registration, and the gateway has refused nothing since. */
export function isRegistrationDone(account: CreatorAccount | null): boolean {
  if (!account?.steps.includes("payouts_enabled")) return false;
  return account.identity_verification !== "unverified" && !account.is_bank_refused;
}

/** What a creator has to do before a payout can be asked for; null when nothing is missing. */
export interface MissingStep {
  sentence: string;
  link: { to: string; label: string } | null;
}

/** Returns what is missing for a payout, the first thing first. The API decides; this explains. */
export function findMissingStep(state: {
  account: CreatorAccount | null;
  has_bank: boolean;
  available: number;
}): MissingStep | null {
  const { account, has_bank, available } = state;
  if (!account?.steps.includes("tos_accepted")) {
    return {
      sentence: "振込を受け取るには、規約への同意と本人確認が必要です。",
      link: { to: MONETIZE_PATH, label: "受け取りの手続きへ" },
    };
  }
  if (!has_bank) {
    return {
      sentence: "振込先の口座を登録してください。",
      link: { to: "/my/settings/bank", label: "口座の登録へ" },
    };
  }
  if (account.is_bank_refused) {
    return {
      sentence:
        "登録された口座を、決済サービスが受け付けませんでした。口座の内容をご確認のうえ、登録し直してください。",
      link: { to: "/my/settings/bank", label: "口座を確認する" },
    };
  }
  if (!account.steps.includes("payouts_enabled")) {
    return {
      sentence: "受け取りの手続きがまだ終わっていません。",
      link: { to: MONETIZE_PATH, label: "手続きの状態を見る" },
    };
  }
  if (available < PAYOUT_MIN_YEN) {
    return { sentence: `残高が${groupDigits(PAYOUT_MIN_YEN)}円以上になると、振り込めます。`, link: null };
  }
  return null;
}
