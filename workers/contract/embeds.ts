/**
 * The allow-list of providers whose films and sound a post may embed, and the addresses they use. Pages never frame any
 * other site. This file imports nothing, so that a browser can load it without zod. Source: product decisions, "Bounds"
 * (allow-listed provider URL).
 */

export interface Embed {
  provider: string;
  /** The provider's name, for the frame's title and for the line that says where it comes from. */
  provider_name: string;
  kind: "video" | "audio";
  /** The canonical address at the provider. The API stores it for every form that a writer may type. */
  url: string;
  /** The address that the frame loads. {@link FRAME_ORIGINS} holds its origin. */
  frame_url: string;
}

interface Provider extends Pick<Embed, "provider" | "provider_name" | "kind"> {
  hosts: readonly string[];
  /** Returns the id of the film or sound from the provider's address, or undefined. */
  idOf(url: URL): string | undefined;
  urlOf(id: string): string;
  frameOf(id: string): string;
}

const match = (text: string, pattern: RegExp) => pattern.exec(text)?.[1];

const providers: readonly Provider[] = [
  {
    provider: "youtube",
    provider_name: "YouTube",
    kind: "video",
    hosts: ["youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be", "www.youtube-nocookie.com"],
    idOf: (url) =>
      match(
        url.hostname === "youtu.be" ? url.pathname.slice(1) : (url.searchParams.get("v") ?? url.pathname),
        /^(?:\/(?:shorts|live|embed)\/)?([\w-]{11})\/?$/,
      ),
    urlOf: (id) => `https://www.youtube.com/watch?v=${id}`,
    frameOf: (id) => `https://www.youtube-nocookie.com/embed/${id}`,
  },
  {
    provider: "vimeo",
    provider_name: "Vimeo",
    kind: "video",
    hosts: ["vimeo.com", "www.vimeo.com", "player.vimeo.com"],
    idOf: (url) => match(url.pathname, /^\/(?:video\/)?(\d{5,12})\/?$/),
    urlOf: (id) => `https://vimeo.com/${id}`,
    frameOf: (id) => `https://player.vimeo.com/video/${id}?dnt=1`,
  },
  {
    provider: "niconico",
    provider_name: "ニコニコ動画",
    kind: "video",
    hosts: ["www.nicovideo.jp", "nicovideo.jp", "sp.nicovideo.jp", "nico.ms", "embed.nicovideo.jp"],
    idOf: (url) => match(url.pathname, /^\/(?:watch\/)?((?:sm|nm|so)\d{1,12})\/?$/),
    urlOf: (id) => `https://www.nicovideo.jp/watch/${id}`,
    frameOf: (id) => `https://embed.nicovideo.jp/watch/${id}`,
  },
  {
    provider: "spotify",
    provider_name: "Spotify",
    kind: "audio",
    hosts: ["open.spotify.com"],
    idOf: (url) => match(url.pathname, /^\/(?:intl-\w+\/)?((?:track|album|playlist|episode|show)\/\w{22})\/?$/),
    urlOf: (id) => `https://open.spotify.com/${id}`,
    frameOf: (id) => `https://open.spotify.com/embed/${id}`,
  },
];

/** Every origin that a frame on our pages may load, for the Content-Security-Policy. */
export const FRAME_ORIGINS = [
  "https://www.youtube-nocookie.com",
  "https://player.vimeo.com",
  "https://embed.nicovideo.jp",
  "https://open.spotify.com",
] as const;

/** Returns the providers' names to show to a writer, in the order of the list. */
export const providerNames = (kind?: Embed["kind"]): string[] =>
  providers.filter((provider) => !kind || provider.kind === kind).map(({ provider_name }) => provider_name);

/**
 * Returns the embed for an address that a writer typed. Returns null when the provider is not on the list, or the
 * address cannot be framed.
 */
export function embedOf(typed: string): Embed | null {
  const url = URL.parse(typed.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return null;
  const found = providers.find(({ hosts }) => hosts.includes(url.hostname));
  const embed_id = found?.idOf(url);
  if (!found || !embed_id) return null;
  const { provider, provider_name, kind } = found;
  return { provider, provider_name, kind, url: found.urlOf(embed_id), frame_url: found.frameOf(embed_id) };
}
