/**
 * Bounds of text lengths. Schemas refuse longer texts, and form fields show the bound beforehand. This file imports
 * nothing, so that a browser can load it without zod. Source: product decisions, "Bounds".
 */

export const NAME_GRAPHEMES = 50;

/** The most characters that a search takes, in code points. */
export const SEARCHED_LENGTH = 100;
/** The `maxlength` of a search's field. Browsers count UTF-16 units, and a code point has up to two. */
export const SEARCHED_UNITS = 2 * SEARCHED_LENGTH;
/** A search of follows looks at this many of the latest, one by one. */
export const SEARCHED_FOLLOWS = 20_000;

/** Bounds of a profile. Source: docs/decisions/0019. */
export const BIO_GRAPHEMES = 1000;
export const EXTERNAL_LINKS = 10;
export const GENRES_OF_A_PERSON = 5;
export const URL_LENGTH = 500;

/** Age limits at registration, counted as the age a person reaches this year. Source: the terms, article 3. */
export const MIN_AGE = 13;
export const AGE_OF_MAJORITY = 18;
export const FIRST_BIRTH_YEAR = 1900;

/**
 * An old link_id redirects to its owner for this many days, and nobody else can take it in that time. Below: how often
 * a person may change it.
 */
export const LINK_ID_HELD_DAYS = 90;
export const LINK_ID_CHANGES = { times: 3, days: 30 };

/**
 * Letters and reports show this name after their author left. The author's `link_id` then begins with
 * {@link LEFT_LINK_ID} and has no page.
 */
export const LEFT_NAME = "退会したユーザー";
export const LEFT_LINK_ID = "left-";
/** The names of senders who show none. */
export const ANONYMOUS_NAME = "匿名";
export const GUEST_NAME = "ゲスト";
/** Shown for a blocked creator in notifications about the money of a plan, which must still go out. */
export const BLOCKED_NAME = "ブロックしたクリエイター";

export const PASSWORD_GRAPHEMES = { min: 8, max: 150 };
/** One emoji of a family has 25 bytes, and 150 of them must fit. */
export const PASSWORD_BYTES = 4096;

/** Bounds of a free letter. Source: product decisions, "free ofuse". */
export const LETTER_GRAPHEMES = 200;
export const LETTER_BYTES = 8192;

/** Bound of a paid letter in bytes. Its amount bounds its characters. */
export const PAID_LETTER_BYTES = 32_768;

/** A reply has the same bounds as a comment. */
export const REPLY_GRAPHEMES = 1000;
export const REPLY_BYTES = 16_384;

/** Bounds of a membership plan. Source: product decisions, "Money"; docs/decisions/0029. */
export const PLAN_TITLE_GRAPHEMES = 50;
export const PLAN_DESCRIPTION_GRAPHEMES = 1000;
export const PLAN_YEN = { min: 100, max: 10_000 };
export const PLANS_OF_A_CREATOR = 10;

export const TITLE_GRAPHEMES = 100;
export const CATEGORY_GRAPHEMES = 30;
/** Bounds of a whole document as plain text. */
export const BLOG_GRAPHEMES = 50_000;
export const BLOG_BYTES = 4 * BLOG_GRAPHEMES;
export const DOCUMENT_BLOCKS = 3000;
/** Bounds of one document. Each embed becomes a frame, and each link an address that we sign for every reader. */
export const EMBEDS_IN_A_DOCUMENT = 20;
export const LINKS_IN_A_DOCUMENT = 200;
/** Bound of all link addresses of a document together. A page writes each of their bytes as up to three. */
export const LINK_BYTES_IN_A_DOCUMENT = 64 * 1024;
export const COMMENT_GRAPHEMES = 1000;
export const COMMENT_BYTES = 16_384;
export const ALT_GRAPHEMES = 200;
export const RADIO_DESCRIPTION_GRAPHEMES = 1000;
/** The words of three hours: a person says 300 to 350 characters in a minute. */
export const RADIO_TRANSCRIPT_GRAPHEMES = 70_000;
export const RADIO_TRANSCRIPT_BYTES = 4 * RADIO_TRANSCRIPT_GRAPHEMES;
/** Bounds of a radio's chat. Source: product decisions, "Bounds"; docs/decisions/0044. */
export const CHAT_GRAPHEMES = 200;
/** A caption: two lines of a phone's width. Ours. */
export const CAPTION_GRAPHEMES = 200;
export const NG_WORD_GRAPHEMES = 30;
export const NG_WORDS = 100;
export const SLOW_MODE_SECONDS = 300;
/** Bound of the free text in a report. */
export const REPORT_DETAIL_GRAPHEMES = 500;
export const APPEAL_GRAPHEMES = 1000;
/** Bound of an operator's note on a decision; notifications show it. */
export const OPERATOR_NOTE_GRAPHEMES = 300;
/** Bound of a creator's automatic answer. */
export const REACTION_GRAPHEMES = 200;
export const IMAGES_IN_A_POST = 20;
export const IMAGES_IN_A_DOCUMENT = 100;
export const MEDIA_IN_A_DOCUMENT = 20;
export const CATEGORIES_OF_A_CREATOR = 50;
export const DRAFTS_OF_A_PERSON = 50;

/** Bound of one call's JSON body: enough for the longest text, escaped. */
export const JSON_BYTES = 512 * 1024;
/**
 * Bound of the words in the form of a post, a newsletter or a radio, in bytes. The longest post with a hundred long descriptions fits,
 * and the longest transcript. A refused form's
 * page returns its words, and takes up to 100 ms of CPU for this many.
 */
export const POST_FORM_BYTES = 400 * 1024;
/** Bound of the words in any other form, in bytes. A letter far over its limit still fits, so that its writer gets the text back. */
export const FORM_BYTES = 128 * 1024;
/** Bound of the body of one call to the identity service. */
export const IDENTITY_BODY_BYTES = 64 * 1024;

/** Bounds of uploads in bytes. Source: product decisions, "Bounds". */
export const IMAGE_FILE_BYTES = 10 * 1024 * 1024;
export const MEDIA_FILE_BYTES = 200 * 1024 * 1024;
/** Bound of all uploads of one person together. */
export const STORAGE_BYTES = 20 * 1024 * 1024 * 1024;

/** Bounds of an import. A file of text is parsed whole, and a ZIP, which has the bound of a film, entry by entry. Source: docs/decisions/0048. */
/** An archive that holds one file of the largest size has its texts besides. */
export const IMPORT_FILE_BYTES = MEDIA_FILE_BYTES + 10 * 1024 * 1024;
export const IMPORT_TEXT_BYTES = 16 * 1024 * 1024;
export const ITEMS_OF_AN_IMPORT = 5000;
/** How long the report of an import is kept. */
export const IMPORT_DAYS = 30;

/** The largest limit of members that a plan can have. */
export const PLAN_MEMBERS_LIMIT = 10_000;

/** The last page that a list of transactions has. Older ones are found by their month, or in the report. */
export const LAST_TRANSACTION_PAGE = 500;
/** The longest report of transactions: a year, for a tax return. */
export const REPORT_DAYS = 366;
/** The most transactions in one report. */
export const REPORT_TRANSACTIONS = 20_000;

/** The most days of a creator's statistics, and the most of which each day is shown. */
export const STATS_DAYS = 366;
export const STATS_DAILY_DAYS = 92;

/** The longest name of a host. Source: RFC 1035, section 2.3.4. */
export const VISIT_REFERRER_LENGTH = 253;
