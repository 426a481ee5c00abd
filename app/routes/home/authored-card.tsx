import type { ComponentProps } from "react";
import { AvatarLink, NameLink } from "../../people/avatar.tsx";
import { EventCard } from "../../post/event-card.tsx";

/** A post in a list of posts of several people: the card with its author, who has a link of their own above the card's. */
export function AuthoredCard(props: Omit<ComponentProps<typeof EventCard>, "byline">) {
  const { link_id, name, icon_image } = props.event.user;
  const byline = (
    <p className="byline">
      <AvatarLink link_id={link_id} image={icon_image} size={32} />
      <NameLink link_id={link_id} className="byline-name">
        {name}
      </NameLink>
    </p>
  );
  return <EventCard {...props} byline={byline} />;
}
