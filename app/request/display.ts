import { DISPLAY_COOKIE, type Display, displayOf } from "../browser/displays.ts";
import { readCookie } from "./cookies.ts";

/** Returns the display chosen in this browser. */
export function readDisplay(request: Request): Display {
  const [text_size, motion] = (readCookie(request, DISPLAY_COOKIE) ?? "").split("-");
  return displayOf(text_size, motion);
}
