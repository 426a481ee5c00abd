import { redirect } from "react-router";
import { DISPLAY_COOKIE, DISPLAY_MAX_AGE_S, displayOf, displayValue } from "../browser/displays.ts";
import { isTheme, themeCookie } from "../browser/themes.ts";
import { pageMeta } from "../crawlers/page-meta.ts";
import { jarContext } from "../request/context.ts";
import { readDisplay } from "../request/display.ts";
import { setFlash } from "../request/flash.ts";
import { safeTo } from "../request/to.ts";
import { viewerContext } from "../session/context.ts";
import type { Route } from "./+types/theme.ts";
import { DisplayForm } from "./display-form.tsx";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "画面の表示", is_unlisted: true });

/** Members have the same form among their settings. */
export function loader({ request, context }: Route.LoaderArgs) {
  if (context.get(viewerContext)) throw redirect("/my/settings/display");
  return { display: readDisplay(request) };
}

/**
 * Stores the chosen theme, or the chosen text size and motion, in a cookie and redirects back to the page. Visitors may
 * use it too.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const theme = form.get("theme");
  const answer = redirect(safeTo(form.get("to")), 303);
  if (isTheme(theme)) answer.headers.append("set-cookie", themeCookie(theme, request.url.startsWith("https:")));
  if (form.has("text_size") || form.has("motion")) {
    const display = displayOf(form.get("text_size"), form.get("motion"));
    context.get(jarContext).set(DISPLAY_COOKIE, displayValue(display), DISPLAY_MAX_AGE_S);
    setFlash(context, "settings_saved");
  }
  return answer;
}

export default function DisplayPage({ loaderData }: Route.ComponentProps) {
  return (
    <div className="page page-narrow settings-body">
      <h1 className="page-title">画面の表示</h1>
      <DisplayForm display={loaderData.display} path="/theme" />
    </div>
  );
}
