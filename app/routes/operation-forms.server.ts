import * as z from "zod";
import { createEventComment, createPaidEventComment } from "../../workers/contract/comments.ts";
import { createEventCategory } from "../../workers/contract/events.ts";
import { id, MAX_PAGE_NUMBER } from "../../workers/contract/fields.ts";
import { createMembership } from "../../workers/contract/memberships.ts";
import { checkPaidLength, paidLetter, sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { decideReport } from "../../workers/contract/operator.ts";
import { updateBank } from "../../workers/contract/payouts.ts";
import { createRadioCaption } from "../../workers/contract/radio-captions.ts";
import { createChatMessage, updateChatRoom } from "../../workers/contract/radio-chat.ts";
import { createRadioComment, radioBody, updateRadio } from "../../workers/contract/radios.ts";
import { updateReactions } from "../../workers/contract/reactions.ts";
import { appealRemoval, reportEvent } from "../../workers/contract/reports.ts";
import { updateStreaming } from "../../workers/contract/streaming.ts";
import { LINE_ENDS } from "../../workers/contract/text.ts";
import { createProfile, updateExternalLinks, updateGenres, updateProfile } from "../../workers/contract/users.ts";
import { typedNumber, typedYen } from "../forms/typed-number.ts";
import { ofTokyo } from "../text/tokyo-time.ts";
import { LETTER_PRICES, OWN_PRICE } from "./creator/letter-prices.ts";

/**
 * The schemas of forms whose fields become the body of an operation. Each derives from the operation's body, so a new
 * field of the contract works here without a change. tests/app/operation-forms.test.ts lists the fields that no form
 * has. On the server only: browsers get no zod.
 */

/** A checkbox as a form sends it: browsers leave out an unchecked checkbox. */
const checkbox = z.boolean().default(false);

/** The form for a letter. It has no receiver: the action takes the receiver from the page's creator. */
export const letterForm = sendFreeOfuse.body.omit({ receiver_user_id: true }).extend({ is_public: checkbox });

const { amount: letterAmount, donation_percent: donationPercent, ...letterFields } = paidLetter.shape;
const ownAmount = typedYen("金額").pipe(letterAmount);

/** Returns the amount of a paid letter's form: a price of the list, or the one that was typed. */
export const amountOf = ({ price, own_amount }: { price: string; own_amount?: string | undefined }) =>
  ownAmount.safeParse(price === OWN_PRICE ? own_amount : price);

/** `price` is a price of the list, or says that `own_amount` has one. */
const amountFields = {
  price: z.enum([...LETTER_PRICES, OWN_PRICE], "金額を選んでください。"),
  own_amount: z.string().trim().max(20, "金額は、数字だけで入力してください。").optional(),
};

/** Refuses an amount that was typed wrong, or beside a chosen price: only one of the two can be meant. */
function checkOwnAmount(fields: { price: string; own_amount?: string | undefined }, context: z.RefinementCtx): void {
  if (fields.price !== OWN_PRICE && fields.own_amount) {
    const message =
      "この金額を送るには「金額を自分で決める」を選んでください。選んだ金額を送るには、この欄を空にしてください。";
    context.addIssue({ code: "custom", path: ["own_amount"], message });
  }
  for (const { message } of amountOf(fields).error?.issues ?? []) {
    context.addIssue({ code: "custom", path: ["own_amount"], message });
  }
}

/** The form for a paid comment. */
export const paidCommentForm = createPaidEventComment.body
  .omit({ amount: true })
  .extend(amountFields)
  .superRefine(checkOwnAmount);

/** The form for a paid letter. */
export const paidLetterForm = z
  .object({
    ...amountFields,
    ...letterFields,
    is_public: checkbox,
    is_anonymous: checkbox,
    // A button is always chosen. The action leaves it out for a letter without a campaign.
    donation_percent: z.string().transform(Number).pipe(donationPercent.unwrap().unwrap()).nullable().default(null),
  })
  .superRefine((letter, context) => {
    checkOwnAmount(letter, context);
    const { data: amount } = amountOf(letter);
    if (amount !== undefined) checkPaidLength({ amount, message: letter.message }, context);
  });

/** The form for a reply to a letter. updateOfuse accepts one of three bodies; the first is a reply. */
export const letterReplyForm = updateOfuse.body.options[0];

/** A comment under a post. `page` is the page of comments to return to. */
export const commentForm = createEventComment.body.extend({
  page: z.coerce.number().int().min(1).max(MAX_PAGE_NUMBER).catch(1),
});

/** A reply on the page of received comments, which lists the comments of several posts. */
export const receivedCommentForm = createEventComment.body.extend({ event_id: id, parent_comment_id: id });

/** A comment on a radio. */
export const radioCommentForm = createRadioComment.body;

/** Joins the lines of a text that has no line breaks, but whose field takes them. */
const joinLines = (typed: string): string =>
  typed
    .replace(LINE_ENDS, "\n")
    .trim()
    .replace(/(?<!\s)\s*\n\s*/g, " ");

/** A message in a chat. */
export const chatMessageForm = z.object({
  message: z.string().default("").transform(joinLines).pipe(createChatMessage.body.shape.message),
});

/** A caption of a radio on air. */
export const captionForm = createRadioCaption.body;

const { slow_mode_seconds: slowModeSeconds, ng_words: ngWords } = updateChatRoom.body.shape;
/** NG words as lines of one field. */
const ngWordLines = z
  .string()
  .default("")
  .transform((typed, context) => {
    const lines = typed
      .replace(LINE_ENDS, "\n")
      .split("\n")
      .map((line) => line.trim());
    const words = ngWords.unwrap().safeParse(lines.filter(Boolean));
    // The faults belong to the one field, not to its lines.
    for (const { message } of words.error?.issues ?? []) context.addIssue({ code: "custom", message });
    return words.data ?? z.NEVER;
  });
/** The settings of a chat. */
export const chatRoomForm = updateChatRoom.body.extend({
  slow_mode_seconds: z.string().default("0").transform(Number).pipe(slowModeSeconds.unwrap()),
  ng_words: ngWordLines,
});

const overlay = updateStreaming.body.shape;
/** The settings of overlays. An empty amount is none, and an empty day is the first one. */
export const overlayForm = updateStreaming.body.extend({
  min_amount: typedYen("金額").pipe(overlay.min_amount.unwrap()).default(0),
  // Not optional: Conform then reads every checkbox, and none as an empty list.
  stamp_ids: overlay.stamp_ids.unwrap(),
  hides_names: checkbox,
  ng_words: ngWordLines,
  duration_seconds: typedNumber("表示する秒数").pipe(overlay.duration_seconds.unwrap()),
  volume: typedNumber("音量").pipe(overlay.volume.unwrap()),
  is_read_aloud: checkbox,
  font_size: typedNumber("文字の大きさ").pipe(overlay.font_size.unwrap()),
  card_opacity: typedNumber("背景の濃さ").pipe(overlay.card_opacity.unwrap()),
  shows_latest: checkbox,
  shows_best: checkbox,
  goal_amount: typedYen("目標の金額").pipe(overlay.goal_amount.unwrap().unwrap()).nullable().default(null),
  goal_from: z.iso.date("日付を正しく入力してください。").nullable().default(null),
});

/** A radio. `starts_at` is Japanese time, as the field of a date has it; empty when it is not decided. */
export const radioForm = radioBody.omit({ image_id: true }).extend({
  publish_target_type: radioBody.shape.publish_target_type.default("public"),
  starts_at: z
    .string()
    .refine((typed) => ofTokyo(typed) !== null, "日時を正しく入力してください。")
    .transform(ofTokyo)
    .nullable()
    .default(null),
  is_chat_on: checkbox,
});

/** A radio that exists, as it was when the form was opened. */
export const editedRadioForm = radioForm.extend({ seen_updated_at: updateRadio.body.shape.seen_updated_at });

export const categoryForm = createEventCategory.body;

const { amount: planPrice, members_limit: membersLimit } = createMembership.body.shape;

/** A new plan, or a draft of one. An empty description is stored as such. Buttons choose whether the plan is open. */
export const planForm = createMembership.body.omit({ active_state: true }).extend({
  amount: typedYen("月額").pipe(planPrice),
  /** Empty for a plan without a limit. */
  members_limit: typedNumber("定員").pipe(membersLimit.unwrap().unwrap()).nullable().default(null),
});

/** A plan that has been open: its price is fixed. */
export const openedPlanForm = planForm.omit({ amount: true });

/** The form for a report. Reports of posts, comments and letters have the same body. */
export const reportForm = reportEvent.body.extend({
  reason: z.enum(reportEvent.body.shape.reason.options, "理由を選んでください。"),
});

/** The owner's appeal against a removal. */
export const appealForm = appealRemoval.body;

/** An operator's words. */
export const operatorNote = z
  .string("入力してください。")
  .transform(joinLines)
  .pipe(decideReport.body.shape.note.unwrap().unwrap());

const reactions = updateReactions.body.shape;
/** An empty field, which forms otherwise treat as missing, removes the reaction in this form. */
export const reactionsForm = z.object(
  Object.fromEntries(Object.entries(reactions).map(([name, message]) => [name, message.default(null)])) as {
    [Name in keyof typeof reactions]: z.ZodDefault<(typeof reactions)[Name]>;
  },
);

/** The form requires the year of birth; only old API clients may omit it. */
export const registrationForm = createProfile.body.extend({
  birth_year: createProfile.body.shape.birth_year.unwrap(),
  guardian_consent: z
    .literal("on")
    .transform(() => true as const)
    .optional(),
});

/** The form for a bank account. The address of the page has the bank and the branch. */
export const bankAccountForm = updateBank.body.omit({ bank_code: true, branch_code: true });

/** Telephones write the first letter in upper case. */
export const linkIdForm = z.object({
  link_id: z.string("ユーザーIDを入力してください。").toLowerCase().pipe(updateProfile.body.shape.link_id.unwrap()),
});

/** The text fields of the profile. Links, genres and pictures have fields of their own (settings/profile-values.ts). */
export const profileForm = z.object({
  name: updateProfile.body.shape.name.unwrap(),
  bio: updateProfile.body.shape.bio,
});

export const linkUrl = updateExternalLinks.body.shape.external_links.element.shape.url;
export const seenLinks = updateExternalLinks.body.shape.seen_external_links.unwrap();
export const chosenGenres = updateGenres.body.shape.genre_ids;
