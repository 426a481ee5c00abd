import { useEffect } from "react";
import {
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteLoaderData,
} from "react-router";
import { listNotifications } from "../workers/contract/notifications.ts";
import type { Route } from "./+types/root.ts";
import { completenessMiddleware } from "./middleware/completeness.ts";
import { edgeContext, keptContext, maintenanceContext, v4Context, viewerContext } from "./middleware/context.ts";
import { inadmissibleMiddleware } from "./middleware/inadmissible.ts";
import { maintenanceMiddleware } from "./middleware/maintenance.ts";
import { responseMiddleware } from "./middleware/response.ts";
import { viewerMiddleware } from "./middleware/viewer.ts";
import { readFlash } from "./session/flash.ts";
import { type Theme, themeOf } from "./session/theme.ts";
import { FailureView } from "./shell/failure-view.tsx";
import { Flash } from "./shell/flash.tsx";
import { Footer } from "./shell/footer.tsx";
import { Header } from "./shell/header.tsx";
import { MaintenanceNotice } from "./shell/maintenance-notice.tsx";
import { MaintenanceView } from "./shell/maintenance-view.tsx";
import { pageMeta } from "./shell/page-meta.ts";
import { inlineStyles } from "./styles/inline.ts";
import type { Failure } from "./v4/failure.ts";
import "./styles/app.css";

export const middleware: Route.MiddlewareFunction[] = [
  responseMiddleware,
  inadmissibleMiddleware,
  viewerMiddleware,
  maintenanceMiddleware,
  completenessMiddleware,
];

export const meta: Route.MetaFunction = (args) => pageMeta(args, undefined);

/** Never throws: whatever else fails, the shell and what somebody typed are still shown. */
export async function loader({ request, url, context }: Route.LoaderArgs) {
  const viewer = context.get(viewerContext);
  const sent = viewer?.profile ? await context.get(v4Context).send(listNotifications, {}) : null;
  return {
    viewer: viewer && {
      name: viewer.profile?.name ?? viewer.session.displayName ?? "",
      link_id: viewer.profile?.link_id ?? null,
      icon_image: viewer.profile?.icon_image ?? null,
      followings_count: viewer.profile?.followings_count ?? 0,
      has_unread: sent?.ok === true && sent.answer.notifications.some((notification) => !notification.is_opened),
    },
    flash: readFlash(context),
    maintenance: context.get(maintenanceContext),
    origin: url.origin,
    theme: themeOf(request),
    styles: viewer ? null : inlineStyles,
    request_id: context.get(edgeContext).request_id,
    kept: context.get(keptContext),
  };
}

/**
 * The document. Members' pages load the app's scripts; visitors' pages load none, so everything on them works as HTML.
 */
export function Layout({ children }: { children: React.ReactNode }) {
  const root = useRouteLoaderData<typeof loader>("root");
  const viewer = root?.viewer ?? null;
  const theme = root?.theme ?? "system";
  const styles = root?.styles ?? null;
  // Under maintenance nobody is signed in, and there is nowhere to sign in: spec section 4.
  const is_closed = root?.maintenance.status === "UNDER_MAINTENANCE";
  return (
    <html lang="ja" data-theme={theme === "system" ? undefined : theme}>
      <head>
        <meta charSet="utf-8" />
        {/* Source: spec section 1, page defaults: zoom from 0.5 to 2. */}
        <meta name="viewport" content="width=device-width, initial-scale=1, minimum-scale=0.5, maximum-scale=2" />
        <ThemeMeta theme={theme} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        {/* Source: spec section 1, page defaults. */}
        <meta property="og:site_name" content="ofuse" />
        <meta property="og:locale" content="ja_JP" />
        <meta name="twitter:card" content="summary_large_image" />
        <Meta />
        {styles ? (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: our own style sheet, exactly as its hash in the policy.
          <style dangerouslySetInnerHTML={{ __html: styles }} />
        ) : (
          // A style sheet needs no nonce, and the router's own would differ from what the browser shows of it.
          <Links nonce={viewer ? "" : undefined} />
        )}
      </head>
      <body>
        <a className="skip-link" href="#main">
          本文へ移動
        </a>
        <Header viewer={viewer} is_closed={is_closed} />
        {root && <MaintenanceNotice reading={root.maintenance} />}
        <main id="main">
          <Flash message={root?.flash ?? null} is_member={viewer !== null} />
          {children}
        </main>
        <Footer is_member={viewer !== null} is_closed={is_closed} />
        {viewer && <ScrollRestoration />}
        {viewer && <Scripts />}
      </body>
    </html>
  );
}

const grounds = { light: "#ffffff", dark: "#12181b" };

/** What the browser paints around the page: the theme chosen, or whichever the system has. */
function ThemeMeta({ theme }: { theme: Theme }) {
  if (theme !== "system") {
    return (
      <>
        <meta name="color-scheme" content={theme} />
        <meta name="theme-color" content={grounds[theme]} />
      </>
    );
  }
  return (
    <>
      <meta name="color-scheme" content="light dark" />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={grounds.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={grounds.dark} />
    </>
  );
}

export default function App({ loaderData }: Route.ComponentProps) {
  useEffect(() => {
    // Tells the tests, and nobody else, that the page is alive.
    document.documentElement.dataset.hydrated = "true";
  }, []);
  const is_member = loaderData.viewer !== null;
  useEffect(() => {
    // The session ended elsewhere: the visitor's page is another document, without scripts and without members' data.
    if (!is_member) window.location.reload();
  }, [is_member]);
  return <Outlet />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  const root = useRouteLoaderData<typeof loader>("root");
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const failure = isRouteErrorResponse(error) ? (error.data as Partial<Failure> | null) : null;
  const request_id = failure?.request_id ?? root?.request_id;
  if (failure?.code === "under_maintenance") {
    return <MaintenanceView finished_at={failure.finished_at ?? null} kept={failure.kept ?? null} />;
  }
  return (
    <FailureView status={status} failure={{ ...failure, request_id }} kept={failure?.kept ?? root?.kept ?? null} />
  );
}
