import type { Embed } from "../../workers/contract/embeds.ts";
import { escapeXml } from "../text/xml.ts";

/** The sandbox permissions of another site's frame: it may play, and open its own page in a new window. */
const SANDBOX = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-presentation";
const ALLOWED = ["autoplay", "encrypted-media", "fullscreen", "picture-in-picture"];

/**
 * An embedded video or audio of another site. Sends nothing there until the reader presses play: the frame first shows
 * our own page with one link, which loads the player into the frame. So it needs no script.
 * @param out our path that leads to the provider's page; null if links may not lead there.
 * @param poster our picture that is shown before playing.
 */
export function EmbedFrame({ embed, out, poster }: { embed: Embed; out: string | null; poster?: string }) {
  const { provider_name, kind, frame_url } = embed;
  const { origin } = new URL(frame_url);
  const name = `${provider_name}の${kind === "video" ? "動画" : "音声"}`;
  return (
    <figure className={`embed embed-${kind}`}>
      <iframe
        title={name}
        srcDoc={facadeOf(embed, `${name}を再生する`, poster)}
        loading="lazy"
        sandbox={SANDBOX}
        allow={ALLOWED.map((feature) => `${feature} ${origin}`).join("; ")}
        referrerPolicy="strict-origin-when-cross-origin"
      />
      <figcaption>
        再生すると{provider_name}に接続します。
        {out && (
          <a href={out} rel="nofollow ugc">
            {provider_name}で開く
          </a>
        )}
      </figcaption>
    </figure>
  );
}

/**
 * The HTML that the frame shows first. It contains only our own text and `frame_url`, whose only user input is an id of
 * letters and digits (contract/embeds.ts). It inherits our CSP, which forbids inline styles, so it uses presentational
 * attributes.
 */
function facadeOf({ frame_url, kind }: Embed, label: string, poster: string | undefined): string {
  const player = new URL(frame_url);
  // The player may start at once, because the reader has already pressed play.
  player.searchParams.set("autoplay", "1");
  const [size, box, y] = kind === "video" ? ["", "0 0 160 90", 45] : [` height="152"`, "0 0 160 34", 17];
  const image = poster
    ? `<image href="${escapeXml(poster)}" width="160" height="90" preserveAspectRatio="xMidYMid slice"/>`
    : "";
  return `<!doctype html><html lang="ja"><title>${label}</title><body bgcolor="#12181b" marginwidth="0" marginheight="0"><a href="${escapeXml(player.href)}" aria-label="${label}"><svg display="block" width="100%"${size} viewBox="${box}">${image}<circle cx="80" cy="${y}" r="9" fill="#2882a7"/><path d="M77.500 ${Number(y) - 4}v8l7-4z" fill="#fff"/></svg></a>`;
}
