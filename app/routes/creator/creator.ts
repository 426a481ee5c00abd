import { useOutletContext } from "react-router";
import type { Membership } from "../../../workers/contract/memberships.ts";
import type { User } from "../../../workers/contract/users.ts";

/** What the creator's layout has loaded, for the pages inside it. */
export interface CreatorContext {
  creator: User;
  memberships: Membership[];
  /** The creator's links to other sites, each by the page of ours that says where it leads. */
  links: { name: string; path: string }[];
  /** Who looks; null for a visitor. */
  viewer_id: string | null;
  is_own: boolean;
  /** How many free letters the viewer may still send to the creator today; null for a visitor and on one's own page. */
  free_ofuses_left: number | null;
  /** Made once per page for members' forms; a visitor's form has none and the server makes it. */
  idempotency_key: string | null;
}

export const useCreator = () => useOutletContext<CreatorContext>();
