import { ITEMS_OF_AN_IMPORT, MEDIA_FILE_BYTES } from "../../contract/bounds.ts";

/** What an archive can be cut at, in the order of its parts. */
export const UNIT_KINDS = ["newsletter", "post", "radio", "image", "media"] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

/** The kinds whose files have numbers in their names. */
const NUMBERED_KINDS = ["newsletter", "post", "radio"] as const;
type NumberedKind = (typeof NUMBERED_KINDS)[number];

/** Something of an archive that is in one part with all of its files. Images and media are those that no other unit has. */
export interface ArchiveUnit {
  kind: UnitKind;
  id: string;
  /** What it takes at most, by the stored sizes of its files. */
  bytes: number;
  /** How many items an import makes of it. */
  items: number;
  created_at: string;
}

/** How large a part may become. */
export interface PartLimits {
  bytes: number;
  items: number;
}

/** Leaves room for the tables and texts that a part has besides its units, and for categories and plans. */
export const PART_LIMITS: PartLimits = { bytes: MEDIA_FILE_BYTES * 0.9, items: ITEMS_OF_AN_IMPORT * 0.8 };

export interface ArchivePart {
  /** From 1. */
  number: number;
  bytes: number;
  ids: Record<UnitKind, Set<string>>;
  /** How many posts, newsletters and radios the parts before have: file names are unique over all parts. */
  before: Record<NumberedKind, number>;
  /** The key of the last post before this part (`created_at event_id`); undefined without one. */
  after_post: string | undefined;
  /** When the oldest and the newest post of this part were made; null without posts. */
  posts_from: string | null;
  posts_to: string | null;
}

/**
 * Cuts an archive into parts. Each part is as full as its units allow, in their order, so that a new post changes only the
 * last parts. A unit larger than a part is alone. The first part has `base_bytes` besides, and exists without units too.
 */
export async function* cutIntoParts(
  units: AsyncIterable<ArchiveUnit>,
  limits: PartLimits,
  base_bytes: number,
): AsyncGenerator<ArchivePart> {
  let part = emptyPart(1, { post: 0, newsletter: 0, radio: 0 }, undefined);
  part.bytes = base_bytes;
  let items = 0;
  let last_post: string | undefined;
  for await (const unit of units) {
    const is_full = part.bytes + unit.bytes > limits.bytes || items + unit.items > limits.items;
    if (is_full && items > 0) {
      yield part;
      const before = { ...part.before };
      for (const kind of NUMBERED_KINDS) before[kind] += part.ids[kind].size;
      part = emptyPart(part.number + 1, before, last_post);
      items = 0;
    }
    part.ids[unit.kind].add(unit.id);
    part.bytes += unit.bytes;
    items += unit.items;
    if (unit.kind !== "post") continue;
    part.posts_from ??= unit.created_at;
    part.posts_to = unit.created_at;
    last_post = `${unit.created_at} ${unit.id}`;
  }
  yield part;
}

function emptyPart(number: number, before: ArchivePart["before"], after_post: string | undefined): ArchivePart {
  const ids = { newsletter: new Set<string>(), post: new Set<string>(), radio: new Set<string>() };
  return {
    ...{ number, before, after_post, bytes: 0, posts_from: null, posts_to: null },
    ids: { ...ids, image: new Set(), media: new Set() },
  };
}
