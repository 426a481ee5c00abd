import type { Stored } from "./stored-keys.ts";

/** Lists of what this browser liked. */
export type Liked = Stored<readonly string[]>;

/** Notes that something is liked here, or is no longer. */
export function rememberLike(liked: Liked, id: string, is_liked: boolean): void {
  const ids = liked.read();
  if (ids.includes(id) === is_liked) return;
  liked.write(is_liked ? [...ids, id] : ids.filter((each) => each !== id));
}
