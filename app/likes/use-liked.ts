import { useEffect, useState } from "react";
import { type Liked, rememberLike } from "../browser/liked.ts";
import { useStored } from "../browser/use-stored.ts";

/**
 * Whether a member likes something: as the server says until the page is alive, and from then on as this browser remembers,
 * so that what is liked in one tab shows in the others. A browser that keeps nothing goes by the server.
 *
 * @param is_idle whether no like is on its way; then what the server says is noted, also after a like that it refused.
 */
export function useLiked(liked: Liked, id: string, is_liked: boolean, is_idle: boolean): boolean {
  const [ids] = useStored(liked);
  const [is_kept, setIsKept] = useState(false);
  useEffect(() => {
    if (!is_idle) return;
    rememberLike(liked, id, is_liked);
    setIsKept(liked.read().includes(id) === is_liked);
  }, [liked, id, is_liked, is_idle]);
  return is_kept ? ids.includes(id) : is_liked;
}
