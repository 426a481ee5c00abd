import type * as z from "zod";
import { EXTERNAL_LINKS } from "../../contract/bounds.ts";
import { nameRefusal } from "../../contract/names.ts";
import {
  type Profile,
  updateExternalLinks as updateExternalLinksCall,
  updateGenres,
  updateProfile,
} from "../../contract/users.ts";
import { commitAnswer, memberId } from "../http/request-context.ts";
import { findExternalSite, findGenres } from "../references/queries.ts";
import type { Change } from "../storage/commit.ts";
import { importFile } from "../uploads/commands.ts";
import { type RestoredPart, restorePart, updateExternalLinks } from "../users/commands.ts";
import { getOwnProfile } from "../users/queries.ts";
import { linkRefusal } from "../users/rules.ts";
import type { PlannedItem } from "./queries.ts";
import { type ProfilePart, SourceFault, type SourceProfile } from "./sources/source.ts";
import { ALREADY_HERE, noteItem, noteOf, type Outcome, type Step } from "./step.ts";

/** Restores a part of the profile of an archive. */
export async function makeProfilePart(step: Step, item: PlannedItem): Promise<void> {
  const { context, stores, source, overwrites_profile } = step;
  const { profile } = source;
  if (!profile) throw new SourceFault("no profile");
  const part = item.item_key as ProfilePart;
  if (part === "links") return restoreLinks(step, item, profile.external_links);
  const own = await getOwnProfile(context, memberId(context));
  if (!overwrites_profile && !isEmptyPart(own, part)) {
    return void (await noteItem(step, item, { state: "skipped", reason: KEPT }));
  }
  const restore = (what: RestoredPart, outcome: Outcome): Change => {
    const noted = noteOf(step, item, outcome);
    const written = restorePart(context, memberId(context), what, overwrites_profile);
    return {
      preconditions: [...noted.preconditions, ...(written.preconditions ?? [])],
      statements: [...written.statements, ...noted.statements],
    };
  };
  if (part === "icon" || part === "cover") {
    const file = await source.readFile?.(profile[part] ?? "");
    if (file?.kind !== "image") throw new SourceFault("no such picture");
    return importFile(context, stores, file, (id) =>
      restore(part === "icon" ? { icon_image_id: id } : { cover_image_id: id }, { state: "done" }),
    );
  }
  const checked = checkPart(part, profile, own);
  if ("refusal" in checked) {
    return void (await noteItem(step, item, { state: "refused", reason: checked.refusal }));
  }
  await commitAnswer(context, restore(checked.part, { state: "done", reason: checked.note }), null);
}

const KEPT = "いまのプロフィールに入っているため、そのままにしました。";

function isEmptyPart(own: Profile, part: Exclude<ProfilePart, "links">): boolean {
  if (part === "icon" || part === "cover") return own[`${part}_image`] === null;
  if (part === "genres") return own.genre_ids.length === 0;
  return own[part] === "";
}

type CheckedPart = { part: RestoredPart; note: string | null } | { refusal: string };

/** Checks a text or the genres of an archive's profile as their form checks them. */
function checkPart(part: "name" | "bio" | "genres", profile: SourceProfile, own: Profile): CheckedPart {
  const { name, bio } = updateProfile.body.shape;
  if (part === "genres") {
    const genre_ids = findGenres(profile.genre_ids).map(({ genre_id }) => genre_id);
    const parsed = updateGenres.body.safeParse({ genre_ids });
    if (!parsed.success || genre_ids.length === 0) return { refusal: refusalOfForm(parsed.error) };
    const lost = new Set(profile.genre_ids).size - genre_ids.length;
    return { part: { genre_ids }, note: lost > 0 ? `いまはないジャンルを${lost}個、取り込めませんでした。` : null };
  }
  if (part === "bio") {
    const parsed = bio.unwrap().safeParse(profile.bio);
    return parsed.success ? { part: { bio: parsed.data }, note: null } : { refusal: refusalOfForm(parsed.error) };
  }
  const parsed = name.unwrap().safeParse(profile.name);
  if (!parsed.success) return { refusal: refusalOfForm(parsed.error) };
  const refusal = parsed.data === own.name ? null : nameRefusal(parsed.data);
  return refusal === null ? { part: { name: parsed.data }, note: null } : { refusal };
}

const refusalOfForm = (error: z.ZodError | undefined) => error?.issues[0]?.message ?? "読み取れない内容です。";

/** Adds the links that the person does not have yet, in their order, after those that they have. */
async function restoreLinks(step: Step, item: PlannedItem, links: SourceProfile["external_links"]): Promise<void> {
  const { context } = step;
  const { external_links: own } = await getOwnProfile(context, memberId(context));
  const wanted = links.filter(
    (link) => !own.some(({ external_site_id, url }) => external_site_id === link.external_site_id && url === link.url),
  );
  const usable = wanted.filter(isUsableLink).slice(0, EXTERNAL_LINKS - own.length);
  if (wanted.length === 0) return void (await noteItem(step, item, { state: "skipped", reason: ALREADY_HERE }));
  const lost = wanted.length - usable.length;
  const reason =
    lost > 0 ? `使えないリンクと、${EXTERNAL_LINKS}件を超えるリンクを${lost}件、取り込めませんでした。` : null;
  if (usable.length > 0) {
    const external_links = [...own, ...usable];
    await updateExternalLinks(context, { external_links, seen_external_links: own });
  }
  await noteItem(step, item, { state: usable.length > 0 ? "done" : "refused", reason });
}

function isUsableLink(link: SourceProfile["external_links"][number]): boolean {
  const site = findExternalSite(link.external_site_id);
  const { element } = updateExternalLinksCall.body.shape.external_links;
  return Boolean(site && element.safeParse(link).success && linkRefusal(site, link.url) === null);
}
