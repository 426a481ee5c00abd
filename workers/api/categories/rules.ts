/** Converts a category title to the form in which one person's titles are compared. Case does not count. */
export function toTitleKey(title: string): string {
  return title.normalize("NFC").toLowerCase();
}

/** Returns the list with one item moved to `position`. A position past the end means the end. */
export function moveItem<Thing>(things: readonly Thing[], thing: Thing, position: number): Thing[] {
  return things.filter((each) => each !== thing).toSpliced(position, 0, thing);
}
