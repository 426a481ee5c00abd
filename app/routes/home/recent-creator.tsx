import { useEffect } from "react";
import { useFetcher } from "react-router";
import { lastViewCreatorId } from "../../browser/stored-keys.ts";
import { useStored } from "../../browser/use-stored.ts";
import { PersonLink } from "../../people/person.tsx";
import type { loader } from "../my/recent-creator.ts";

/**
 * The creator whose page this member viewed last. Only localStorage has this creator's id, so the browser renders the
 * section after hydration, below the main content.
 */
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
          <PersonLink user={creator} is_card />
        </li>
      </ul>
    </section>
  );
}
