/** Carried by members' forms: whose words they are. Nobody else who signs in on this browser gets to see them. */
export const AUTHOR_FIELD = "author";
