/** The fields of a form that could not be answered. Its text must not be lost. */
export interface Kept {
  /** The address that the form posts to. */
  action: string;
  /** The text fields, which the error page shows, to be copied or sent again. */
  words: [name: string, value: string][];
  /** The hidden fields, which are sent again unchanged. */
  others: [name: string, value: string][];
  /** False if a secret or a file is missing and has to be entered again before sending. */
  is_whole: boolean;
}

/** The data of an error page. `request_id` is for support requests. */
export interface Failure {
  code: string;
  detail: string;
  request_id: string;
  /** The site's origin for the metadata. Present only if the root loader did not run. */
  origin?: string;
  /** The text of the form that this error answers, if any. */
  kept?: Kept | null;
}

/** The status of an error page that no server answered for. */
export const NO_CONNECTION_STATUS = 0;
