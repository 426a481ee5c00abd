import { z } from "zod";

/** Shapes that more than one group of calls shares. JSON is snake_case, times are ISO 8601 UTC, money is integer yen. */

/** An identifier: a lower-case ULID. A malformed one names nothing, so it is answered like an unknown one: 404. */
export const id = z.string().regex(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/, "IDの形式が正しくありません。");

export const time = z.iso.datetime();
export const currency = z.literal("jpy");
/** Integer yen. */
export const amount = z.int().min(0).max(100_000_000);

/** A flag in a query string. */
export const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")]);

/** Source: decisions, "Bounds": page size 20, at most 100; 25 for callers without a token. */
const PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;
export const MAX_ANONYMOUS_PAGE_SIZE = 25;
export const MAX_PAGE_NUMBER = 10_000;

export const pageQuery = {
  page_number: z.coerce.number().int().min(1).max(MAX_PAGE_NUMBER).default(1),
  page_size: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(PAGE_SIZE),
};

/** Closing fields of a numbered list. `has_next` spares the count of everything. */
export const pageAnswer = {
  page_number: z.int(),
  page_size: z.int(),
  has_next: z.boolean(),
};

export const sortBy = z.enum(["newest", "oldest", "amount"]);

/** A stored picture. URLs are paths on the product's own origin. */
export const image = z.object({
  image_id: id,
  alt: z.string(),
  width: z.int(),
  height: z.int(),
  medium_url: z.string(),
});
export type Image = z.output<typeof image>;

/** What every mention of a person shows. */
export const userSummary = z.object({
  user_id: id,
  link_id: z.string(),
  name: z.string(),
  is_creator: z.boolean(),
  icon_image: image.nullable(),
});
export type UserSummary = z.output<typeof userSummary>;
