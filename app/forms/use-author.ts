import { useRouteLoaderData } from "react-router";

/**
 * Returns the author that a form names: the viewer. On the page of a form that was refused because another member has signed in,
 * the one who sent it, so that pressing the button again does not send the words as the other's.
 */
export function useAuthor<Id extends string | null | undefined>(viewer_id: Id): Id | string {
  const root = useRouteLoaderData("root") as { refused_author?: string } | undefined;
  return root?.refused_author ?? viewer_id;
}
