/**
 * Whose films and sound a post may show inside itself, and by which addresses. What is not here is never framed.
 * Imports nothing, so that a browser may load it alone. Source: decisions, "Bounds" (allow-listed provider URL).
 */

export interface Embed {
  provider: string;
  /** What the frame is called to who cannot see it, and where it comes from. */
  provider_name: string;
  kind: "video" | "audio";
  /** The one address a page of the provider is stored under, whatever form of it was typed. */
  url: string;
  /** What the frame loads. Its origin stands in {@link FRAME_ORIGINS}. */
  frame_url: string;
}

interface Provider extends Pick<Embed, "provider" | "provider_name" | "kind"> {
  hosts: readonly string[];
  /** The id in an address of the provider, or undefined. */
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

/** Every origin a frame of ours may come from, for the page's Content-Security-Policy. */
export const FRAME_ORIGINS = [
  "https://www.youtube-nocookie.com",
  "https://player.vimeo.com",
  "https://embed.nicovideo.jp",
  "https://open.spotify.com",
] as const;

/** The names to tell a writer, in the order of the list. */
export const providerNames = (kind?: Embed["kind"]): string[] =>
  providers.filter((provider) => !kind || provider.kind === kind).map(({ provider_name }) => provider_name);

/** What an address typed by a writer shows, or null: no such provider, or nothing of theirs that can be framed. */
export function embedOf(typed: string): Embed | null {
  const url = URL.parse(typed.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return null;
  const found = providers.find(({ hosts }) => hosts.includes(url.hostname));
  const embed_id = found?.idOf(url);
  if (!found || !embed_id) return null;
  const { provider, provider_name, kind } = found;
  return { provider, provider_name, kind, url: found.urlOf(embed_id), frame_url: found.frameOf(embed_id) };
}
