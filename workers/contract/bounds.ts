/**
 * How long texts may be, for the schemas that refuse them and the fields that say so beforehand. Imports nothing, so that
 * a browser may load it alone. Source: decisions, "Bounds".
 */

export const NAME_GRAPHEMES = 50;

export const PASSWORD_GRAPHEMES = { min: 8, max: 150 };

/** A free letter. Source: decisions, "free ofuse". */
export const LETTER_GRAPHEMES = 200;
export const LETTER_BYTES = 8192;

/** A reply has the room of a comment. */
export const REPLY_GRAPHEMES = 1000;
export const REPLY_BYTES = 16_384;
