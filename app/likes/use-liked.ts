import { useEffect, useState } from "react";
import { type Liked, rememberLike } from "../browser/liked.ts";
import { useStored } from "../browser/use-stored.ts";

/**
 * Whether a member likes something. Uses the server's value until hydration and then this browser's storage, so that
 * all tabs show the same. Without storage, uses the server's value. While idle, this hook stores the server's value,
 * also after the server refused a like.
 * @param is_idle false while a like is being sent.
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
