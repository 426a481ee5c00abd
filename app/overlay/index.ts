/**
 * The script of overlays: the stage over a stream, and the timeline on a second screen. It loads no framework. Built by
 * scripts/visitor-script.ts. Source: docs/decisions/0045.
 */
import { OVERLAY_PATH, TIMELINE_ID_PREFIX } from "../../workers/contract/overlay-names.ts";
import type { OverlayLetter, OverlaySettings } from "../../workers/contract/streaming.ts";
import { letterCard, letterSentence, standingHtml } from "./card.ts";
import { openFeed } from "./news-feed.ts";
import { playSound, readAloud } from "./sounds.ts";

/** What the server writes into the page. */
export interface OverlayPageData {
  kind: "alerts" | "timeline";
  token: string;
  last_number: number;
  settings: OverlaySettings;
}

const HEARTBEAT_MS = 30_000;
/** A timeline is loaded again so often, because letters may have to disappear. */
const REFRESH_MS = 60_000;
/** How long a card takes to leave. The style sheet has the same. */
const LEAVING_MS = 400;

const { kind, token, last_number, settings }: OverlayPageData = JSON.parse(
  document.getElementById("overlay")?.textContent ?? "",
);
const address = `${OVERLAY_PATH}${token}`;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Says that this page is open. */
function beat(id: string): void {
  fetch(`${address}/news.json`, { method: "POST", body: new URLSearchParams({ id }) }).catch(() => {});
  setTimeout(beat, HEARTBEAT_MS, id);
}
beat(`${kind === "timeline" ? TIMELINE_ID_PREFIX : ""}${crypto.randomUUID()}`);

if (kind === "timeline") startTimeline();
else startAlerts();

function startAlerts(): void {
  const stage = document.querySelector<HTMLElement>(".stage");
  const standing = document.querySelector<HTMLElement>(".standing");
  if (!stage || !standing) return;
  const waiting: OverlayLetter[] = [];
  let is_playing = false;
  let is_outdated = false;

  /** Shows one letter after the other. New settings are taken over between two letters. */
  async function play(): Promise<void> {
    if (is_playing || !stage) return;
    is_playing = true;
    for (let letter = waiting.shift(); letter; letter = waiting.shift()) await show(letter, stage);
    is_playing = false;
    if (is_outdated) location.reload();
  }

  openFeed({
    token,
    last_number,
    onNews(news) {
      standing.innerHTML = standingHtml(news);
      waiting.push(...news.letters);
      play();
    },
    onSettings() {
      is_outdated = true;
      play();
    },
    onGone() {
      waiting.length = 0;
      stage.replaceChildren();
      standing.replaceChildren();
    },
  });
}

async function show(letter: OverlayLetter, stage: HTMLElement): Promise<void> {
  stage.innerHTML = letterCard(letter);
  stage.className = "stage coming";
  playSound(settings);
  const words = `${letterSentence(letter)}。${letter.message ?? ""}`;
  const voice = settings.is_read_aloud ? readAloud(words, settings) : undefined;
  await Promise.all([wait(settings.duration_seconds * 1000), voice]);
  stage.className = "stage leaving";
  await wait(LEAVING_MS);
  stage.replaceChildren();
}

/** The server alone renders a timeline: at each news, its page is loaded again and put in place. */
function startTimeline(): void {
  const refresh = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.status === 404) document.querySelector("main")?.replaceChildren();
    if (!answer?.ok) return;
    // Not the whole document: parsing it would try to apply its style, whose nonce is another one.
    const [html] = /<main>.*<\/main>/s.exec(await answer.text()) ?? [];
    const main = document.querySelector("main");
    if (html && main) main.outerHTML = html;
  };
  openFeed({
    token,
    last_number,
    onNews({ letters }) {
      if (letters.length > 0) refresh();
    },
    onSettings: () => location.reload(),
    onGone: refresh,
  });
  setInterval(refresh, REFRESH_MS);
}
