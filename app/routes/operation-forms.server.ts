import * as z from "zod";
import { createEventComment } from "../../workers/contract/comments.ts";
import { createEventCategory } from "../../workers/contract/events.ts";
import { id, MAX_PAGE_NUMBER } from "../../workers/contract/fields.ts";
import { sendFreeOfuse, updateOfuse } from "../../workers/contract/ofuses.ts";
import { updateReactions } from "../../workers/contract/reactions.ts";
import { reportEvent } from "../../workers/contract/reports.ts";
import { createProfile, updateExternalLinks, updateProfile } from "../../workers/contract/users.ts";

/**
 * The schemas of forms whose fields become the body of an operation. Each is made from that body, so that a new field of the
 * contract is read, checked, sent and kept without a change here. tests/app/operation-forms.test.ts lists the fields that no form asks
 * for. On the server only: browsers get no zod.
 */

/** A checkbox that is not ticked sends nothing. */
const checkbox = z.boolean().default(false);

/** The action sets the receiver: the creator of the page. */
export const letterForm = sendFreeOfuse.body.omit({ receiver_user_id: true }).extend({ is_public: checkbox });

/** updateOfuse takes one of three bodies; the first is a reply. */
export const letterReplyForm = updateOfuse.body.options[0];

/** A comment under a post. `page` is the page of comments to come back to. */
export const commentForm = createEventComment.body.extend({
  page: z.coerce.number().int().min(1).max(MAX_PAGE_NUMBER).catch(1),
});

/** A reply from the list of received comments, which are those of several posts. */
export const receivedCommentForm = createEventComment.body.extend({ event_id: id, parent_comment_id: id });

export const categoryForm = createEventCategory.body;

/** The body is the same for posts, comments and letters. */
export const reportForm = reportEvent.body.extend({
  reason: z.enum(reportEvent.body.shape.reason.options, "理由を選んでください。"),
});

const reactions = updateReactions.body.shape;
/** An empty field counts as missing in a form; here it means that nothing is answered. */
export const reactionsForm = z.object(
  Object.fromEntries(Object.entries(reactions).map(([name, message]) => [name, message.default(null)])) as {
    [Name in keyof typeof reactions]: z.ZodDefault<(typeof reactions)[Name]>;
  },
);

/** The year of birth is asked of everybody; only old clients of the API may leave it out. */
export const registrationForm = createProfile.body.extend({
  birth_year: createProfile.body.shape.birth_year.unwrap(),
  guardian_consent: z
    .literal("on")
    .transform(() => true as const)
    .optional(),
});

export const linkIdForm = z.object({ link_id: updateProfile.body.shape.link_id.unwrap() });

/** The text fields of the profile. Links, genres and pictures have fields of their own (settings/profile-values.ts). */
export const profileForm = z.object({
  name: updateProfile.body.shape.name.unwrap(),
  bio: updateProfile.body.shape.bio,
});

export const linkUrl = updateExternalLinks.body.shape.external_links.element.shape.url;
