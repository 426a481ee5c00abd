import { standingHtml } from "../../overlay/card.ts";
import type { Route } from "./+types/alerts.ts";
import { answerOverlayPage } from "./overlay-page.ts";
import { readOverlay } from "./read-overlay.ts";

/** The stage that streaming software draws over a stream. It shows the letters that arrive from now on. */
export async function loader({ params: { overlay_token }, context }: Route.LoaderArgs) {
  const { settings, last_number, ...news } = await readOverlay(context, overlay_token);
  return answerOverlayPage({
    kind: "alerts",
    title: "配信画面",
    settings,
    body: `<div class="standing">${standingHtml(news)}</div><main class="stage" aria-live="polite"></main>`,
    script: { kind: "alerts", token: overlay_token, last_number, settings },
  });
}
