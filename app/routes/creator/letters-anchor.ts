/** The `id` of the list of public letters, which is below the form on a phone. */
export const LETTERS_ANCHOR = "letters";
