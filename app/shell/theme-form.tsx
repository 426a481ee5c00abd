import { type FormEvent, useRef } from "react";
import { useLocation, useRouteLoaderData } from "react-router";
import type { Theme } from "../browser/themes.ts";
import { useTheme } from "./use-theme.ts";

const names: Record<Theme, string> = { light: "ライト", dark: "ダーク", system: "端末に合わせる" };

/**
 * Chooses the light, dark or system theme. A form that redirects back; with JavaScript the choice applies at once. On
 * visitors' pages app/visitor/theme.ts does the same and depends on this markup.
 */
export function ThemeForm() {
  const server_theme = useRouteLoaderData<{ theme: Theme }>("root")?.theme ?? "system";
  const theme = useTheme(server_theme);
  const { pathname, search } = useLocation();
  const is_script_missing = useRef(false);
  const applyAtOnce = (event: FormEvent<HTMLFormElement>) => {
    const submitter = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null;
    if (!submitter || is_script_missing.current) return;
    event.preventDefault();
    // Loaded on demand, so that hydration does not wait for it. shell/member-page.tsx usually has loaded it already.
    import("../browser/theme.ts").then(
      ({ chooseTheme }) => chooseTheme(submitter.value as Theme),
      () => {
        is_script_missing.current = true;
        submitter.form?.requestSubmit(submitter);
      },
    );
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
