import { getStreaming } from "../../../workers/contract/streaming.ts";
import { letterCard, standingHtml } from "../../overlay/card.ts";
import { v4Context } from "../../request/context.ts";
import { answerOverlayPage } from "../overlay/overlay-page.ts";
import type { Route } from "./+types/streaming-preview.ts";

/** The overlay with the member's settings and a letter as an example, for the frame on the page of settings. */
export async function loader({ context }: Route.LoaderArgs) {
  const { settings, goal } = await context.get(v4Context).read(getStreaming, {});
  const example = {
    number: 0,
    is_test: false,
    is_paid: true,
    amount: 1100,
    message: "配信、楽しんでいます。いつもありがとうございます！",
    sender_name: settings.hides_names ? null : "たろう",
    icon_url: null,
    stamp: { stamp_id: "cheer" as const, name: "応援してます" },
    created_at: "",
  };
  const standing = standingHtml({
    goal,
    latest: settings.shows_latest ? { ...example, is_paid: false, amount: null } : null,
    best: settings.shows_best ? example : null,
  });
  return answerOverlayPage({
    kind: "preview",
    title: "配信画面の見本",
    settings,
    body: `<div class="standing">${standing}</div><main class="stage coming">${letterCard(example)}</main>`,
    script: null,
  });
}
