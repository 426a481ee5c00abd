import type { Ofuse } from "../../../workers/contract/ofuses.ts";

/** How a letter looks. The pictures are in public/letter-looks, the papers in app/styles/letter-looks.css. */

/** The stamp of a letter, or nothing. */
export const Stamp = ({ id, names }: { id: Ofuse["stamp_id"]; names: StampNames }) =>
  id && <img className="stamp" src={`/letter-looks/${id}.svg`} alt={names[id]} />;

/** The names of the stamps, from the page's loader: scripts do without the list. */
export type StampNames = Record<string, string>;

/** The classes of an element with the words of a letter: those of its paper, too. */
export const paperClass = (id: Ofuse["letter_appearance_id"]): string =>
  `letter-message${id ? ` paper paper-${id}` : ""}`;
