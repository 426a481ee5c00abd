import type { Stored } from "./stored-keys.ts";

/** A stored list of the ids that this browser liked. */
export type Liked = Stored<readonly string[]>;

/** Adds an id to the list, or removes it. */
export function rememberLike(liked: Liked, id: string, is_liked: boolean): void {
  const ids = liked.read();
  if (ids.includes(id) === is_liked) return;
  liked.write(is_liked ? [...ids, id] : ids.filter((each) => each !== id));
}
