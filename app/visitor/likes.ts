import { groupDigits } from "../../workers/contract/group-digits.ts";
import { type Liked, rememberLike } from "../browser/liked.ts";

/* A visitor's likes. Her page is a shared copy without them, but her browser stores them. Loaded on pages with a
   like button. Depends on the markup of routes/creator/like-form.tsx. */

/** @param lists the stored lists of likes. Arguments, because the scripts of visitors' pages must not share a chunk. */
export function startLikes(lists: readonly Liked[]): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-liked]")) {
    const { liked = "", likeId = "", likeTold } = form.dataset;
    const list = lists.find(({ name }) => name === liked);
    if (!list) continue;
    if (likeTold) rememberLike(list, likeId, likeTold === "true");
    if (list.read().includes(likeId)) showLike(form, true);
  }
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const { liked = "", likeId = "" } = form.dataset;
    const list = lists.find(({ name }) => name === liked);
    if (!list) return;
    event.preventDefault();
    sendLike(form, (is_liked) => rememberLike(list, likeId, is_liked));
  });
}

async function sendLike(form: HTMLFormElement, remember: (is_liked: boolean) => void): Promise<void> {
  const button = form.querySelector("button");
  // Ignore a second press while the first like is being sent.
  if (!button || button.ariaBusy === "true") return;
  const is_liked = button.value === "true";
  const body = new URLSearchParams({ is_liked: String(is_liked), quiet: "yes" });
  for (const { name, value } of form.querySelectorAll("input")) body.set(name, value);
  button.ariaBusy = "true";
  showLike(form, is_liked, is_liked ? 1 : -1);
  // Do not follow the redirect: it leads back to this page.
  const { type } = await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => Response.error());
  button.ariaBusy = "false";
  if (type === "opaqueredirect") return remember(is_liked);
  showLike(form, !is_liked, is_liked ? -1 : 1);
  // The server refused the like: send the form again without this script, so that a page says why.
  const input = Object.assign(document.createElement("input"), { type: "hidden", name: "is_liked", value: is_liked });
  form.append(input);
  form.submit();
}

function showLike(form: HTMLFormElement, is_liked: boolean, more = 0): void {
  const button = form.querySelector("button");
  if (!button) return;
  button.value = String(!is_liked);
  button.ariaPressed = String(is_liked);
  const count = form.querySelector<HTMLDataElement>("data");
  if (!count) return;
  const likes = Math.max(Number(count.value) + more, 0);
  count.value = String(likes);
  count.textContent = groupDigits(likes);
}
