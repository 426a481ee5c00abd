import { letterCard, standingHtml } from "../../overlay/card.ts";
import { minuteOf } from "../../text/tokyo-time.ts";
import type { Route } from "./+types/timeline.ts";
import { answerOverlayPage } from "./overlay-page.ts";
import { readOverlay } from "./read-overlay.ts";

/** The last letters for a second screen, newest first. Without a script, the page reloads itself. */
export async function loader({ params: { overlay_token }, context }: Route.LoaderArgs) {
  const { settings, last_number, letters, ...news } = await readOverlay(context, overlay_token);
  const items = letters
    .toReversed()
    .map(
      (letter) =>
        `<li><time datetime="${letter.created_at}">${minuteOf(letter.created_at)}</time>${letterCard(letter)}</li>`,
    );
  const list =
    items.length > 0
      ? `<ol>${items.join("")}</ol>`
      : '<p class="empty">まだofuseは届いていません。届くと、ここに新しい順で並びます。</p>';
  return answerOverlayPage({
    kind: "timeline",
    title: "届いたofuse",
    settings,
    body: `<main><h1>届いたofuse</h1><div class="standing">${standingHtml(news)}</div>${list}</main>`,
    script: { kind: "timeline", token: overlay_token, last_number, settings },
  });
}
