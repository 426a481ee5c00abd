/**
 * The field of members' forms that names the author. The form's text is never shown to another member of this browser.
 */
export const AUTHOR_FIELD = "author";
