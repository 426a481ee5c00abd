/** The address of a radio, optionally with a page of its comments and a fragment. */
export function radioPath(radio: { link_id: string; radio_id: string }, page = 1, id?: string): string {
  const search = page > 1 ? `?page=${page}` : "";
  return `/${radio.link_id}/radios/${radio.radio_id}${search}${id ? `#${id}` : ""}`;
}

/** The page on which a member gets an address for podcast apps. */
export const podcastPagePath = (link_id: string) => `/${link_id}/radio/podcast`;
