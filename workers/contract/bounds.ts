/**
 * How long texts may be, for the schemas that refuse them and the fields that say so beforehand. Imports nothing, so that
 * a browser may load it alone. Source: decisions, "Bounds".
 */

export const NAME_GRAPHEMES = 50;

/** Of a profile. Source: docs/decisions/0019. */
export const BIO_GRAPHEMES = 1000;
export const EXTERNAL_LINKS = 10;
export const GENRES_OF_A_PERSON = 5;
export const URL_LENGTH = 500;

/** Who may register, by the age reached this year. Source: the terms, article 3. */
export const MIN_AGE = 13;
export const AGE_OF_MAJORITY = 18;
export const FIRST_BIRTH_YEAR = 1900;

/** For so long a link_id that was given up leads to its owner and is nobody else's; and how often it may be changed. */
export const LINK_ID_HELD_DAYS = 90;
export const LINK_ID_CHANGES = { times: 3, days: 30 };

/** How whoever left is called where letters and reports name them; their `link_id` begins with the second and has no page. */
export const LEFT_NAME = "退会したユーザー";
export const LEFT_LINK_ID = "left-";

export const PASSWORD_GRAPHEMES = { min: 8, max: 150 };

/** A free letter. Source: decisions, "free ofuse". */
export const LETTER_GRAPHEMES = 200;
export const LETTER_BYTES = 8192;

/** A reply has the room of a comment. */
export const REPLY_GRAPHEMES = 1000;
export const REPLY_BYTES = 16_384;

export const TITLE_GRAPHEMES = 100;
export const CATEGORY_GRAPHEMES = 30;
/** All a document says, as plain text. */
export const BLOG_GRAPHEMES = 50_000;
export const BLOG_BYTES = 4 * BLOG_GRAPHEMES;
export const DOCUMENT_BLOCKS = 3000;
/** In one document: each embed is a frame and each link an address that we sign for every reader. */
export const EMBEDS_IN_A_DOCUMENT = 20;
export const LINKS_IN_A_DOCUMENT = 200;
/** All their addresses together: a page writes each byte as up to three. */
export const LINK_BYTES_IN_A_DOCUMENT = 64 * 1024;
export const COMMENT_GRAPHEMES = 1000;
export const COMMENT_BYTES = 16_384;
export const ALT_GRAPHEMES = 200;
/** What a reporter adds in her own words. */
export const REPORT_DETAIL_GRAPHEMES = 500;
/** What an operator adds to a decision; it stands in notifications. */
export const OPERATOR_NOTE_GRAPHEMES = 300;
/** What a creator answers with by itself. */
export const REACTION_GRAPHEMES = 200;
export const IMAGES_IN_A_POST = 20;
export const IMAGES_IN_A_DOCUMENT = 100;
export const MEDIA_IN_A_DOCUMENT = 20;
export const CATEGORIES_OF_A_CREATOR = 50;
export const DRAFTS_OF_A_PERSON = 50;

/** The JSON of one call: enough for the longest text there is, escaped. */
export const JSON_BYTES = 512 * 1024;
/** The body of one call of the identity service. */
export const IDENTITY_BODY_BYTES = 64 * 1024;

/** Uploads, in bytes. Source: decisions, "Bounds". */
export const IMAGE_FILE_BYTES = 10 * 1024 * 1024;
export const MEDIA_FILE_BYTES = 200 * 1024 * 1024;
/** All uploads of one person. */
export const STORAGE_BYTES = 20 * 1024 * 1024 * 1024;
