import type { FormEvent } from "react";
import { useLocation, useRouteLoaderData } from "react-router";
import { chooseTheme } from "../browser/theme.ts";
import { isTheme, type Theme, themes } from "../session/theme.ts";
import { useTheme } from "./use-theme.ts";

const names: Record<Theme, string> = { light: "ライト", dark: "ダーク", system: "自動" };

/**
 * Light, dark, or as the system has it. A form that comes back to the page; with script it takes effect at once (for
 * visitors app/visitor/theme.ts does the same, so its markup is known there).
 */
export function ThemeForm() {
  const told = useRouteLoaderData<{ theme: Theme }>("root")?.theme ?? "system";
  const theme = useTheme(told);
  const { pathname, search } = useLocation();
  const applyAtOnce = (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    const wanted = (submitter as HTMLButtonElement | null)?.value;
    if (!isTheme(wanted)) return;
    event.preventDefault();
    chooseTheme(wanted);
  };
  return (
    <form method="post" action="/theme" className="theme-form" onSubmit={applyAtOnce}>
      <fieldset>
        <legend className="visually-hidden">テーマ</legend>
        <input type="hidden" name="to" value={pathname + search} />
        {themes.map((value) => (
          <button key={value} type="submit" name="theme" value={value} aria-pressed={theme === value}>
            {names[value]}
          </button>
        ))}
      </fieldset>
    </form>
  );
}
