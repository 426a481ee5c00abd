/** Returns the list with one item moved to `position`. A position past the end means the end. */
export function moveItem<Thing>(things: readonly Thing[], thing: Thing, position: number): Thing[] {
  return things.filter((each) => each !== thing).toSpliced(position, 0, thing);
}
