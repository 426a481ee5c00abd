import type { Image } from "../../workers/contract/fields.ts";

/** Of the person signed in, what the shell shows. */
export interface ShellViewer {
  /** Null until the registration is complete, and where the profile was not learnt. */
  user_id: string | null;
  name: string;
  /** Null until the registration is complete. */
  link_id: string | null;
  icon_image: Image | null;
  followings_count: number;
  is_creator: boolean;
  has_unread: boolean;
  /** How many newsletters may still be sent this month; null for who sends none, or when it was not learnt. */
  newsletters_left: number | null;
}
