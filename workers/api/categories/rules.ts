/** What tells the titles of one person's categories apart: not whether letters are large or small. */
export function titleKey(title: string): string {
  return title.normalize("NFC").toLowerCase();
}

/** The order of things when one of them moves to a place; past the end is the end. */
export function moved<Thing>(things: readonly Thing[], thing: Thing, position: number): Thing[] {
  return things.filter((each) => each !== thing).toSpliced(position, 0, thing);
}
