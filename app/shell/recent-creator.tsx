import { useEffect } from "react";
import { Link, useFetcher } from "react-router";
import { lastViewCreatorId } from "../browser/stored-keys.ts";
import { useStored } from "../browser/use-stored.ts";
import type { loader } from "../routes/my/recent-creator.ts";
import { Avatar } from "../ui/avatar.tsx";

/** The creator this member looked at last. Only the browser knows: it belongs below what the page itself says. */
export function RecentCreator() {
  const [user_id] = useStored(lastViewCreatorId);
  const { data, load } = useFetcher<typeof loader>();
  useEffect(() => {
    if (user_id) load(`/my/recent-creator.json?${new URLSearchParams({ user_id })}`);
  }, [user_id, load]);
  const creator = data?.creator;
  if (!creator) return null;
  return (
    <section>
      <h2 className="section-title">最近見たクリエイター</h2>
      <ul className="people">
        <li>
          <Link to={`/${creator.link_id}`} className="card person">
            <Avatar image={creator.icon_image} size={48} />
            <span className="person-text">
              <span className="person-name">{creator.name}</span>
              <span className="person-bio">{creator.bio}</span>
            </span>
          </Link>
        </li>
      </ul>
    </section>
  );
}
