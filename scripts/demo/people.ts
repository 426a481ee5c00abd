/** The people of the demo world: eight creators and twelve fans with complete accounts. */
import { creators } from "./people/creators.ts";
import { fans } from "./people/fans.ts";
import type { Person } from "./people/person.ts";

export type { Person };

export const people: readonly Person[] = [...creators, ...fans];
