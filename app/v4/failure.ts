/** A form whose words must not be lost: where it goes, the field with the words, and its other fields. */
export interface Kept {
  action: string;
  name: string;
  text: string;
  hidden: Record<string, string>;
}

/** What a boundary receives in place of a page. `request_id` is for the person to quote. */
export interface Failure {
  code: string;
  detail: string;
  request_id: string;
  /** What somebody typed, where the page that fails is the answer to their form. */
  kept?: Kept | null;
}
