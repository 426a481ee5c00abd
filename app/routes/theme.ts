import { redirect } from "react-router";
import { isTheme, themeCookie } from "../browser/themes.ts";
import { safeTo } from "../request/to.ts";
import type { Route } from "./+types/theme.ts";

/** Stores the chosen theme in a cookie and redirects back to the page. Visitors may use it too. */
export async function action({ request }: Route.ActionArgs) {
  const form = await request.formData();
  const theme = form.get("theme");
  const answer = redirect(safeTo(form.get("to")), 303);
  if (isTheme(theme)) answer.headers.append("set-cookie", themeCookie(theme, request.url.startsWith("https:")));
  return answer;
}

export const loader = () => redirect("/");
