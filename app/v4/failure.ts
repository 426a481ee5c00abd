/** A form whose words must not be lost. */
export interface Kept {
  /** Where it goes. */
  action: string;
  /** What somebody wrote, field by field: to be seen, copied and sent again. */
  words: [name: string, value: string][];
  /** What goes along unseen. */
  others: [name: string, value: string][];
  /** Whether it can be sent again as it is: not where a secret or a file has to be given once more. */
  is_whole: boolean;
}

/** What a boundary receives in place of a page. `request_id` is for the person to quote. */
export interface Failure {
  code: string;
  detail: string;
  request_id: string;
  /** The site's, for what crawlers are told, where no loader ran. */
  origin?: string;
  /** What somebody typed, where the page that fails is the answer to their form. */
  kept?: Kept | null;
}
