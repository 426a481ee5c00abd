import { toNormalForm } from "../../contract/normal-form.ts";
/** Converts a category title to the form in which one person's titles are compared. Case does not count. */
export function toTitleKey(title: string): string {
  return toNormalForm(title).toLowerCase();
}
