import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { Avatar } from "./avatar.tsx";

interface Person {
  link_id: string;
  name: string;
  icon_image: Image | null;
}

/** Somebody as the way to their page: picture, name, and what they say of themselves. */
export function PersonLink({ user, is_card = false }: { user: Person & { bio: string }; is_card?: boolean }) {
  return (
    <Link to={`/${user.link_id}`} className={is_card ? "card person" : "person"}>
      <Avatar image={user.icon_image} size={48} />
      <Name user={user} note_class="person-bio" note={user.bio} />
    </Link>
  );
}

/** A line of a list of people, with what may be done about them or is to be said beside it. */
export function PersonRow({ user, children }: { user: Person; children: ReactNode }) {
  return (
    <li className="card row">
      <Link to={`/${user.link_id}`} className="person row-text">
        <Avatar image={user.icon_image} />
        <Name user={user} note_class="row-note" note={`@${user.link_id}`} />
      </Link>
      {children}
    </li>
  );
}

function Name({ user, note_class, note }: { user: Person; note_class: string; note: string }) {
  return (
    <span className="person-text">
      <span className="person-name">
        <bdi>{user.name}</bdi>
      </span>
      <span className={note_class}>{note}</span>
    </span>
  );
}
