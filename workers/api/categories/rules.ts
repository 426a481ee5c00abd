/** Converts a category title to the form in which one person's titles are compared. Case does not count. */
export function toTitleKey(title: string): string {
  return title.normalize("NFC").toLowerCase();
}
