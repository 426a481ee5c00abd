import { createEventCategory } from "../../contract/events.ts";
import { createMembership as createMembershipCall } from "../../contract/memberships.ts";
import { newId } from "../../kernel/ids.ts";
import { createCategory } from "../categories/commands.ts";
import { listCategories } from "../categories/queries.ts";
import { toTitleKey } from "../categories/rules.ts";
import { addImportedEvent } from "../events/commands.ts";
import { commitAnswer, memberId } from "../http/request-context.ts";
import { createMembership } from "../memberships/commands.ts";
import { listOwnMemberships } from "../memberships/queries.ts";
import { addImportedNewsletter } from "../newsletters/commands.ts";
import { addImportedCaptions } from "../radio-captions/commands.ts";
import { addImportedPins } from "../radio-chat/commands.ts";
import { addImportedRadio } from "../radios/commands.ts";
import { findUploadedSound } from "../radios/queries.ts";
import type { Change } from "../storage/commit.ts";
import { importFile } from "../uploads/commands.ts";
import { makeProfilePart } from "./profile-maker.ts";
import { findKnown, findResults, type OnceKind, type PlannedItem } from "./queries.ts";
import {
  mendedNote,
  refusalOfPrice,
  sourceKeyOf,
  toImportedNewsletter,
  toImportedPost,
  toImportedRadio,
  toLabel,
} from "./rules.ts";
import { type Source, SourceFault } from "./sources/source.ts";
import { ALREADY_HERE, alreadyHere, noteItem, noteOf, type Step } from "./step.ts";

/** Makes each kind of item. */
export const makers: Record<PlannedItem["kind"], (step: Step, item: PlannedItem) => Promise<void>> = {
  profile: makeProfilePart,

  async category(step, item) {
    const title = toLabel(item.title, createEventCategory.body.shape.title);
    const body = createEventCategory.body.safeParse({ title });
    if (!body.success) {
      return void (await noteItem(step, item, { state: "refused", reason: body.error.issues[0]?.message ?? null }));
    }
    const own = await listCategories(step.context, memberId(step.context), false);
    const known = own.find(({ title }) => toTitleKey(title) === toTitleKey(body.data.title));
    const { event_category_id } = known ?? (await createCategory(step.context, body.data));
    const reason = title === item.title ? null : mendedNote("カテゴリー名");
    await noteItem(
      step,
      item,
      known ? alreadyHere(event_category_id) : { state: "done", reason, result_id: event_category_id },
    );
  },

  /** A plan comes as a draft: its creator decides whether somebody can join it. */
  async plan(step, item) {
    const plan = step.source.readPlan?.(item.item_key);
    if (!plan) throw new SourceFault("no such plan");
    const { amount } = plan;
    const refusal = refusalOfPrice(amount);
    if (refusal !== null) return void (await noteItem(step, item, { state: "refused", reason: refusal }));
    const title = toLabel(plan.title, createMembershipCall.body.shape.title);
    const body = createMembershipCall.body.safeParse({
      title,
      description: plan.description,
      amount,
      active_state: "inactive",
    });
    if (!body.success) {
      return void (await noteItem(step, item, { state: "refused", reason: body.error.issues[0]?.message ?? null }));
    }
    const own = await listOwnMemberships(step.context, memberId(step.context));
    const known = own.find((each) => each.title === body.data.title && each.amount === amount);
    if (known) return void (await noteItem(step, item, alreadyHere(known.membership_id)));
    const { membership_id } = await createMembership(step.context, body.data);
    const reason = title === plan.title ? null : mendedNote("プランの名前");
    await noteItem(step, item, { state: "done", reason, result_id: membership_id });
  },

  async file(step, item) {
    const file = await step.source.readFile?.(item.item_key);
    if (!file) throw new SourceFault("no such file");
    await importFile(step.context, step.stores, file, (id) => noteOf(step, item, { state: "done", result_id: id }));
  },

  async post(step, item) {
    const { context, import_id, kind, restores_status } = step;
    const { database, now_ms } = context;
    const source = await step.source.readPost(item.item_key);
    const ids = await findResults(database, import_id, keysOf(source));
    const post = toImportedPost(source, { ids, restores_status, now_ms });
    if ("refusal" in post) return void (await noteItem(step, item, { state: "refused", reason: post.refusal }));
    const { body, notes, ...dates } = post;
    await makeUnlessKnown(step, item, "post", (user_id) => {
      const event_id = newId(now_ms);
      const added = addImportedEvent(context, user_id, body, { event_id, ...dates });
      const source_key = sourceKeyOf(kind, item.item_key);
      const came = database.insertInto("imported_posts").values({ user_id, source_key, event_id }).compile();
      return { result_id: event_id, notes, ...added, statements: [...added.statements, came] };
    });
  },

  /** A newsletter comes as a draft, whatever it was: nothing is sent and nobody is notified. */
  async newsletter(step, item) {
    const { context, import_id, kind } = step;
    const { database, now_ms } = context;
    const source = await step.source.readNewsletter?.(item.item_key);
    if (!source) throw new SourceFault("no such newsletter");
    const named = [...source.images.map(({ image_id }) => image_id), source.membership_id];
    const ids = await findResults(database, import_id, withoutNull(named));
    const newsletter = toImportedNewsletter(source, { ids, now_ms });
    if ("refusal" in newsletter) {
      return void (await noteItem(step, item, { state: "refused", reason: newsletter.refusal }));
    }
    const { body, created_at, notes } = newsletter;
    await makeUnlessKnown(step, item, "newsletter", (user_id) => {
      // Lists order newsletters by their ids.
      const newsletter_id = newId(Date.parse(created_at));
      const added = addImportedNewsletter(context, body, { newsletter_id, created_at });
      const source_key = sourceKeyOf(kind, item.item_key);
      const came = database.insertInto("imported_newsletters").values({ user_id, source_key, newsletter_id }).compile();
      return { result_id: newsletter_id, notes, ...added, statements: [...added.statements, came] };
    });
  },

  /** A radio comes with its recording, which is an uploaded file here. Nobody is notified. */
  async radio(step, item) {
    const { context, import_id, kind, restores_status } = step;
    const { database, now_ms } = context;
    const source = await step.source.readRadio?.(item.item_key);
    if (!source) throw new SourceFault("no such radio");
    const named = [source.image_id, source.recording_id, source.publish_target_membership_id];
    const ids = await findResults(database, import_id, withoutNull(named));
    const radio = toImportedRadio(source, { ids, restores_status, now_ms });
    if ("refusal" in radio) return void (await noteItem(step, item, { state: "refused", reason: radio.refusal }));
    const { body, chapters, captions, ...facts } = radio;
    const notes = [...radio.notes];
    const recording = radio.started_at === null ? null : await findRecording(step, ids.get(source.recording_id ?? ""));
    if (recording === "unreadable") notes.push("録音の長さを読み取れないため、録音なしで取り込みました。");
    await makeUnlessKnown(step, item, "radio", async (user_id) => {
      // Lists order radios by their ids.
      const radio_id = newId(Date.parse(radio.created_at));
      const added = await addImportedRadio(context, body, {
        ...{ ...facts, radio_id },
        recording: recording === "unreadable" ? null : recording,
      });
      const source_key = sourceKeyOf(kind, item.item_key);
      const came = database.insertInto("imported_radios").values({ user_id, source_key, radio_id }).compile();
      const words = [...addImportedCaptions(context, radio_id, captions), addImportedPins(context, radio_id, chapters)];
      return { result_id: radio_id, notes, ...added, statements: [...added.statements, ...words, came] };
    });
  },
};

/** What is made of an item, and the change that makes it. */
interface Made extends Change {
  result_id: string;
  notes: string[];
}

/**
 * Makes a post, a newsletter or a radio, unless the person has it already. The table of what has come refuses the second
 * of two imports of the same one that run at the same time.
 */
async function makeUnlessKnown(
  step: Step,
  item: PlannedItem,
  kind: OnceKind,
  make: (user_id: string) => Made | Promise<Made>,
): Promise<void> {
  const { context } = step;
  const user_id = memberId(context);
  const named = [{ source_key: sourceKeyOf(step.kind, item.item_key), key: item.item_key }];
  const isKnown = async () => (await findKnown(context.database, user_id, kind, named)).size > 0;
  if (await isKnown()) return void (await noteItem(step, item, { state: "skipped", reason: ALREADY_HERE }));
  const { result_id, notes, preconditions = [], statements } = await make(user_id);
  const reason = notes.length > 0 ? notes.join("") : null;
  const noted = noteOf(step, item, { state: "done", reason, result_id });
  const change: Change = {
    preconditions: [...noted.preconditions, ...preconditions],
    statements: [...statements, ...noted.statements],
  };
  try {
    await commitAnswer(context, change, null);
  } catch (error) {
    if (!(await isKnown())) throw error;
    await noteItem(step, item, { state: "skipped", reason: ALREADY_HERE });
  }
}

/** Finds the file that becomes a recording. Its length is read from its headers, and not from what the archive says. */
async function findRecording({ context }: Step, media_id: string | undefined) {
  if (media_id === undefined) return null;
  const sound = await findUploadedSound(context, media_id);
  if (!sound || sound.duration_ms === null) return "unreadable";
  return { media_id, bytes: sound.bytes, duration_ms: sound.duration_ms };
}

function keysOf(post: Awaited<ReturnType<Source["readPost"]>>): string[] {
  const named = [
    ...post.images.map(({ image_id }) => image_id),
    ...post.document.flatMap((block) =>
      block.type === "image" ? [block.image_id] : block.type === "audio" ? [block.media_id] : [],
    ),
    ...[post.cover_image_id, post.video_media_id, post.event_category_id, post.publish_target_membership_id],
  ];
  return withoutNull(named);
}

const withoutNull = (keys: readonly (string | null)[]) => keys.filter((key) => key !== null);
