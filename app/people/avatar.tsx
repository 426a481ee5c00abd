import type { ReactNode } from "react";
import { Link } from "react-router";
import { LEFT_LINK_ID } from "../../workers/contract/bounds.ts";
import type { Image, UserSummary } from "../../workers/contract/fields.ts";

interface AvatarProps {
  image: Image | null;
  /**
   * The sizes of avatars in pixels, from the spec: 32 in the header, 48 in the drawer, 40 elsewhere, 96 on a profile.
   */
  size?: 32 | 40 | 48 | 96;
  /** The placeholder of an account without a picture: a person's or the service's. */
  fallback?: "person" | "service";
}

/** A person's round picture. Its `alt` is empty, because the name is always beside it. */
export function Avatar({ image, size = 40, fallback = "person" }: AvatarProps) {
  if (!image) {
    return (
      <svg className="avatar" width={size} height={size} viewBox="0 0 40 40" aria-hidden="true">
        {fallback === "person" ? (
          <>
            <rect width="40" height="40" className="avatar-ground" />
            <circle cx="20" cy="15.5" r="7" className="avatar-figure" />
            <path d="M6 40c0-9 6.3-14.5 14-14.5S34 31 34 40z" className="avatar-figure" />
          </>
        ) : (
          <>
            <rect width="40" height="40" className="brand-ground" />
            <path d="M9 14h22v13H9zm0 1 11 7 11-7" className="brand-line" />
          </>
        )}
      </svg>
    );
  }
  return <img className="avatar" src={image.medium_url} alt="" width={size} height={size} loading="lazy" />;
}

/**
 * A picture that links to the person's page, for mouse and touch only: keyboards and screen readers use the name beside
 * it. Source: spec section 2, Avatar.
 */
export function AvatarLink({ link_id, ...avatar }: AvatarProps & { link_id: string }) {
  if (!hasPage({ link_id })) return <Avatar {...avatar} />;
  return (
    <Link to={`/${link_id}`} className="avatar-link" tabIndex={-1} aria-hidden="true">
      <Avatar {...avatar} />
    </Link>
  );
}

/** Whether the person has deleted their account. Their letters to others stay, but they have no page. */
export const hasLeft = ({ link_id }: { link_id: string }): boolean => link_id.startsWith(LEFT_LINK_ID);

/** Whether the person has a page. Somebody who has left, a guest and an anonymous sender have none. */
const hasPage = (person: { link_id: string }): boolean => person.link_id !== "" && !hasLeft(person);

/** Returns the name to show to others. */
export const calledOf = (person: { link_id: string; name: string }): string =>
  hasPage(person) ? `${person.name}さん` : person.name;

/** Returns whom a letter shows as its sender: a guest and an anonymous sender have only a name. */
export const senderOf = ({
  sender,
  sender_name: name,
}: {
  sender: UserSummary | null;
  sender_name: string;
}): Pick<UserSummary, "link_id" | "name" | "icon_image"> => sender ?? { link_id: "", name, icon_image: null };

/**
 * A link to a person's page; plain text if there is none. `<bdi>` keeps a right-to-left name from reordering
 * other words.
 */
export function NameLink({
  link_id,
  className,
  children,
}: {
  link_id: string;
  className?: string;
  children: ReactNode;
}) {
  const words = <bdi>{children}</bdi>;
  if (!hasPage({ link_id })) return <span className={className}>{words}</span>;
  return (
    <Link to={`/${link_id}`} className={className}>
      {words}
    </Link>
  );
}
