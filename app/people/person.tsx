import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { Avatar } from "./avatar.tsx";

interface Person {
  link_id: string;
  name: string;
  icon_image: Image | null;
}

/** A link to a person's page: picture, name and bio. */
export function PersonLink({ user, is_card = false }: { user: Person & { bio: string }; is_card?: boolean }) {
  return (
    <Link to={`/${user.link_id}`} className={is_card ? "card person" : "person"}>
      <Avatar image={user.icon_image} size={48} />
      <Name user={user} note_class="person-bio" note={user.bio} />
    </Link>
  );
}

/** A row of a list of people; `children` are its buttons or notes. */
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
