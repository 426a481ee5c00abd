/**
 * The name of the hidden field with the form's author. The form's text is never shown to another member of this
 * browser.
 */
export const AUTHOR_FIELD = "author";
