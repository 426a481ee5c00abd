import type { FormEvent } from "react";
import { useLocation, useRouteLoaderData } from "react-router";
import type { Theme } from "../browser/themes.ts";
import { useTheme } from "./use-theme.ts";

const names: Record<Theme, string> = { light: "ライト", dark: "ダーク", system: "端末に合わせる" };

/**
 * Light, dark, or as the system has it. A form that comes back to the page; with script it takes effect at once (for
 * visitors app/visitor/theme.ts does the same, so its markup is known there).
 */
export function ThemeForm() {
  const told = useRouteLoaderData<{ theme: Theme }>("root")?.theme ?? "system";
  const theme = useTheme(told);
  const { pathname, search } = useLocation();
  const applyAtOnce = (event: FormEvent<HTMLFormElement>) => {
    const submitter = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null;
    if (!submitter) return;
    event.preventDefault();
    // At hand already, as the page's own (shell/member-page.tsx); no page waits for it to be alive.
    import("../browser/theme.ts").then(({ chooseTheme }) => chooseTheme(submitter.value as Theme));
  };
  return (
    <form method="post" action="/theme" className="theme-form" onSubmit={applyAtOnce}>
      <fieldset aria-label="テーマ">
        <input type="hidden" name="to" value={pathname + search} />
        {Object.entries(names).map(([value, name]) => (
          <button key={value} type="submit" name="theme" value={value} aria-pressed={theme === value}>
            {name}
          </button>
        ))}
      </fieldset>
    </form>
  );
}
