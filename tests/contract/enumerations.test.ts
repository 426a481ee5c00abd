import { expect, test } from "vitest";
import type * as z from "zod";
import { commentFilter } from "../../workers/contract/comment-filter.ts";
import { eventKind, eventStatusFilter, eventVisibility } from "../../workers/contract/events.ts";
import { currency } from "../../workers/contract/fields.ts";
import {
  buttonShape,
  buttonSize,
  buttonVariant,
  registeredUserType,
  theme,
  toastVariant,
} from "../../workers/contract/interface.ts";
import { transactionKind } from "../../workers/contract/ledger.ts";
import { maintenanceStatus } from "../../workers/contract/maintenance.ts";
import { activeState, subscriptionStatus } from "../../workers/contract/memberships.ts";
import { fanScope, newsletterListing } from "../../workers/contract/newsletters.ts";
import { notificationType } from "../../workers/contract/notifications.ts";
import {
  accountLinkStep,
  accountType,
  identityVerification,
  payoutFailureReason,
  payoutStatus,
  verification,
} from "../../workers/contract/payouts.ts";
import { radioRecordingVisibility, radioStatus, radioVisibility } from "../../workers/contract/radios.ts";
import { followListFilter, relationshipFilter } from "../../workers/contract/relationships.ts";
import { reportReason } from "../../workers/contract/reports.ts";
import { statsScope } from "../../workers/contract/stats.ts";
import { processingStatus } from "../../workers/contract/uploads.ts";

/** Every enumeration of the spec's sections 3 and 4, word by word. `{product}` is read as `ofuse`. */
const spec: [name: string, enumeration: z.ZodEnum, words: string][] = [
  ["comment filter", commentFilter, "all, paid_only, none"],
  ["account type", accountType, "individual, company"],
  ["identity verification", identityVerification, "none, pending, unverified, verified"],
  ["active state", activeState, "active, inactive"],
  ["currency", currency, "jpy"],
  ["fan scope", fanScope, "fans, memberships"],
  ["event kind", eventKind, "image, video, text, blog"],
  ["event visibility", eventVisibility, "public, fans, memberships"],
  ["event status filter", eventStatusFilter, "is_publish_pending, is_published, is_private"],
  ["relationship filter", relationshipFilter, "all, active, passive"],
  [
    "payout failure reasons",
    payoutFailureReason,
    "account_closed, account_frozen, bank_account_restricted, bank_ownership_changed, could_not_process, debit_not_authorized, declined, insufficient_funds, invalid_account_number, incorrect_account_holder_name, invalid_currency, no_account, unsupported_card",
  ],
  ["payout status", payoutStatus, "paid, pending, in_transit, canceled, failed"],
  ["processing status", processingStatus, "processing, completed, failed"],
  ["radio visibility", radioVisibility, "public, fans, memberships, url"],
  ["radio visibility of another setting", radioRecordingVisibility, "public, fans, memberships, url, none"],
  ["radio status", radioStatus, "scheduled, on_air, finished"],
  ["verification", verification, "none, pending, verified"],
  ["subscription status", subscriptionStatus, "active, canceled, past_due"],
  ["transaction kinds", transactionKind, "ofuse_v3, fan_letter_support, membership, comment_support, payout"],
  ["search/stat scope", statsScope, "all, events, ofuses"],
  ["account link steps", accountLinkStep, "tos_accepted, payouts_enabled"],
  ["follow list filter", followListFilter, "all, subscribing"],
  ["newsletter listing", newsletterListing, "all, published, scheduled, draft"],
  ["report reasons", reportReason, "sexual, fan_fiction, slander, others"],
  ["user type for the registration modal", registeredUserType, "fan, creator"],
  ["theme", theme, "light, dark, system"],
  ["toast variant", toastVariant, "info, alert"],
  [
    "button variants",
    buttonVariant,
    "black, primary, primary-outline, secondary, gray, gray-outline, alert, alert-outline, anchor-disabled, dark-outline",
  ],
  ["button sizes", buttonSize, "default, sm, lg, icon"],
  ["button shapes", buttonShape, "pill, rectangle"],
  [
    "notification types",
    notificationType,
    "custom, get_ofuse, get_free_ofuse, get_ofuse_reply, event_created, news_letter_received, subscription_renewed, subscription_past_due, subscription_canceled, membership_disabled, new_subscriber, new_event_comment, payout_failed, get_reply_comment, new_paid_event_comment, radio_started",
  ],
  ["maintenance status", maintenanceStatus, "NO_MAINTENANCE_SCHEDULED, MAINTENANCE_SCHEDULED, UNDER_MAINTENANCE"],
];

test.each(spec)("%s has exactly the spec's words", (_name, enumeration, words) => {
  expect(enumeration.options).toEqual(words.split(", "));
});
