/** The name of the hidden field with the account that was signed in when the page of the form was made. */
export const OWNER_FIELD = "owner";
