import { useOutletContext } from "react-router";
import type { JoinedPlan, Membership } from "../../../workers/contract/memberships.ts";
import type { User } from "../../../workers/contract/users.ts";
import type { SecondPlan } from "../my/subscription-words.ts";

/** The data of the creator layout's loader that its child pages use. */
export interface CreatorContext {
  creator: User;
  memberships: Membership[];
  /** The plans of the creator that the viewer has joined. `label` is that of the viewer's own list of plans. */
  joined_plans: (JoinedPlan & SecondPlan & { label: string })[];
  /** The radio that the creator has on air, and what it shows of letters. */
  on_air_radio: { radio_id: string; title: string; letter_note: string } | null;
  /** The creator's links to other sites. Each path is our page that warns before leaving the site. */
  links: { name: string; path: string }[];
  /** The signed-in member; null for a visitor. */
  viewer_id: string | null;
  is_own: boolean;
  /** The sentence about free letters of a day: the general limit for a visitor, the remaining ones for a member. */
  letters_left: string;
  /**
   * The idempotency key for members' forms, created once per page. Null for a visitor: then the server creates the key
   * when it receives the form.
   */
  idempotency_key: string | null;
}

export const useCreator = () => useOutletContext<CreatorContext>();
