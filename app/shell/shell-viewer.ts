import type { Image } from "../../workers/contract/fields.ts";

/** The data about the signed-in member that the shell shows. */
export interface ShellViewer {
  /** The account at the identity provider, which people without a registration have too. Forms name it (ui/hidden-fields.tsx). */
  account_id: string;
  /** The member's id. Null until the registration is complete, or if the profile could not be loaded. */
  user_id: string | null;
  name: string;
  /** The member's link_id. Null until the registration is complete. */
  link_id: string | null;
  icon_image: Image | null;
  followings_count: number;
  is_creator: boolean;
  /** Present for operators alone, who see a link to their pages. */
  is_operator?: true;
  has_unread: boolean;
  /**
   * How many newsletters the member may still send this month. Null for members who are not creators, or if the call
   * failed.
   */
  newsletters_left: number | null;
}
