import visitorScript from "virtual:visitor-script";
import { startTransition, useCallback, useEffect, useState } from "react";
import {
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useMatches,
  useRouteLoaderData,
} from "react-router";
import { listOwnNewsletters } from "../workers/contract/newsletters.ts";
import { listNotifications } from "../workers/contract/notifications.ts";
import type { Route } from "./+types/root.ts";
import { displayAttributes } from "./browser/displays.ts";
import { maintenanceAttributes } from "./browser/maintenance-attributes.ts";
import { pageMeta } from "./crawlers/page-meta.ts";
import { completenessMiddleware } from "./middleware/completeness.ts";
import { inadmissibleMiddleware } from "./middleware/inadmissible.ts";
import { maintenanceMiddleware } from "./middleware/maintenance.ts";
import { responseMiddleware } from "./middleware/response.ts";
import { createViewerMiddleware } from "./middleware/viewer.ts";
import { edgeContext, inadmissibleContext, maintenanceContext, pausedContext, v4Context } from "./request/context.ts";
import { readDisplay } from "./request/display.ts";
import { readFlash } from "./request/flash.ts";
import { readTheme } from "./request/theme.ts";
import { beginReads, UNREAD } from "./routes/begin-reads.ts";
import { type Viewer, viewerContext } from "./session/context.ts";
import { isOperator } from "./session/operator.ts";
import { Flash } from "./shell/flash.tsx";
import { keepPage } from "./shell/keep-page.ts";
import { KeptData, useKept } from "./shell/kept-context.tsx";
import { documentTheme, layoutOf } from "./shell/layout.ts";
import { Drawer, FailureView, Footer, Header, MaintenanceNotice, MemberPage } from "./shell/lazy-around.tsx";
import type { ShellViewer } from "./shell/shell-viewer.ts";
import { ThemeMeta } from "./shell/theme-meta.tsx";
import { useTheme } from "./shell/use-theme.ts";
import { shellOf } from "./site/site.ts";
import { siteContext } from "./site/site-context.ts";
import { inlineStyles } from "./styles/inline.ts";
import type { V4 } from "./v4/client.ts";
import { type Failure, NO_CONNECTION_STATUS } from "./v4/failure.ts";
import "./styles/app.css";
import "./styles/members.css";

const OPERATOR_PATTERN = /^\/?operator(?:\/|$)/;

export const middleware: Route.MiddlewareFunction[] = [
  responseMiddleware,
  inadmissibleMiddleware,
  createViewerMiddleware(beginReads),
  maintenanceMiddleware,
  completenessMiddleware,
];

export const clientMiddleware: Route.ClientMiddlewareFunction[] = [keepPage];

export const meta: Route.MetaFunction = (args) => pageMeta(args, undefined);

/** Never throws, so that the error page can show the shell and the person's text. */
export async function loader({ request, url, pattern, context }: Route.LoaderArgs) {
  const viewer = context.get(viewerContext);
  // To all other viewers an operators' page is an unknown address.
  const is_hidden = OPERATOR_PATTERN.test(pattern) && !(viewer && isOperator(viewer.session));
  return {
    viewer: viewer && (await shellViewer(viewer, context.get(v4Context))),
    flash: readFlash(context),
    maintenance: context.get(maintenanceContext),
    origin: url.origin,
    site: shellOf(context.get(siteContext)),
    takes_money: context.get(siteContext).takes_money,
    paused_features: context.get(pausedContext),
    theme: readTheme(request),
    display: readDisplay(request),
    styles: viewer ? null : inlineStyles(pattern),
    script: viewer ? null : visitorScript,
    pattern: is_hidden ? "/*" : `/${pattern.replace(/^\//, "")}`,
    build: import.meta.env.VITE_BUILD_ID ?? "",
    request_id: context.get(edgeContext).request_id,
    is_rejected: context.get(inadmissibleContext) !== null,
  };
}

/**
 * Loads what the shell shows about the member, and leaves out the parts whose calls fail. Source: spec section 7: the
 * counts the shell asks for.
 */
async function shellViewer({ session, profile }: Viewer, v4: V4): Promise<ShellViewer> {
  const [notified, newsletters] = await Promise.all([
    profile && v4.send(listNotifications, UNREAD),
    profile?.is_creator ? v4.send(listOwnNewsletters, { query: { page_size: 1, is_draft: false } }) : null,
  ]);
  return {
    account_id: session.id,
    user_id: profile?.user_id ?? null,
    name: profile?.name ?? session.displayName ?? "",
    link_id: profile?.link_id ?? null,
    icon_image: profile?.icon_image ?? null,
    followings_count: profile?.followings_count ?? 0,
    is_creator: profile?.is_creator ?? false,
    ...(isOperator(session) && { is_operator: true as const }),
    has_unread: notified?.ok === true && notified.answer.has_unopened,
    newsletters_left: newsletters?.ok ? newsletters.answer.remaining_count : null,
  };
}

/**
 * The HTML document. Members' pages load the app's scripts. Visitors' pages load one small script and work without it.
 */
export function Layout({ children }: { children: React.ReactNode }) {
  const root = useRouteLoaderData<typeof loader>("root");
  // The page's data at the time of the server's word about a notification. Newer data includes the notification.
  const [told, setTold] = useState<typeof root>();
  const shown = root?.viewer ?? null;
  const viewer = shown && told === root ? { ...shown, has_unread: true } : shown;
  // The page of a rejected form is that of /404 at the form's address, where the app would start another page.
  const has_scripts = viewer !== null && !root?.is_rejected;
  const onUnread = useCallback(() => startTransition(() => setTold(root)), [root]);
  const matches = useMatches();
  const { theme, attributes } = documentTheme(matches, useTheme(root?.theme ?? "system"));
  const site = root?.site ?? null;
  // Under maintenance the shell has no sign-in and no navigation. Source: spec section 4.
  const is_closed = root?.maintenance.status === "UNDER_MAINTENANCE";
  const is_plain = layoutOf(matches) === "plain" || is_closed;
  return (
    <html
      lang="ja"
      {...attributes}
      {...(root && displayAttributes(root.display))}
      {...(root && maintenanceAttributes(root.maintenance))}
    >
      <head>
        {import.meta.env.SSR && <SameHead />}
        <ThemeMeta theme={theme} />
        <Meta />
        {import.meta.env.SSR && !viewer && <VisitorsHead styles={root?.styles} script={root?.script} />}
      </head>
      {/* app/browser/collect.ts reads these attributes. */}
      <body data-build={root?.build} data-pattern={root?.pattern}>
        <a className="skip-link" href="#main">
          本文へ移動
        </a>
        <Header viewer={viewer} is_plain={is_plain} is_closed={is_closed} />
        {!is_closed && <Drawer viewer={viewer} site={site} is_plain={is_plain} />}
        <div className={is_plain ? "shell shell-plain" : "shell"}>
          {root && <MaintenanceNotice reading={root.maintenance} />}
          <main id="main">
            <Flash message={root?.flash ?? null} />
            {children}
          </main>
          <Footer site={site} />
        </div>
        {viewer && <MemberPage viewer={viewer} onUnread={onUnread} />}
        {/* The page is painted before it has loaded (styles/member-document.ts). Style sheets need no nonce: with React
            Router's, hydration would report a mismatch, because browsers hide nonces from scripts. */}
        {(viewer || !import.meta.env.SSR) && <Links nonce="" />}
        {has_scripts && <ScrollRestoration />}
        {has_scripts && <Scripts />}
      </body>
    </html>
  );
}

/** What the head of every page has. Only the server renders it: React leaves it in the document. */
function SameHead() {
  return (
    <>
      <meta charSet="utf-8" />
      {/* The zoom range: from 0.5 to 2. Source: spec section 1, page defaults. */}
      <meta name="viewport" content="width=device-width, initial-scale=1, minimum-scale=0.5, maximum-scale=2" />
      <link rel="icon" href="/favicon.ico" sizes="32x32" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <link rel="manifest" href="/manifest.webmanifest" />
      {/* The defaults of every page. Source: spec section 1, page defaults. */}
      <meta property="og:site_name" content="ofuse" />
      <meta property="og:locale" content="ja_JP" />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** The style sheet and the script of a visitor's page. Browsers render no page of a visitor. */
function VisitorsHead({ styles, script }: { styles?: string | null; script?: string | null }) {
  return (
    <>
      {styles ? (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own style sheet, whose hash the CSP contains.
        <style dangerouslySetInnerHTML={{ __html: styles }} />
      ) : (
        <Links />
      )}
      {script && <script type="module" src={script} fetchPriority="low" />}
    </>
  );
}

export default function App({ loaderData, params }: Route.ComponentProps) {
  const is_member = loaderData.viewer !== null;
  useEffect(() => {
    // The session ended in another tab. Reload to get the visitor's page, without members' scripts and data.
    if (!is_member) window.location.reload();
  }, [is_member]);
  // React replaces the page of another creator: its forms must not keep the words of the page before. The layouts do the same
  // for another post, letter or plan.
  return <Outlet key={params.link_id} />;
}

/** How browsers name a lost connection, and React Router an answer that breaks off. */
const LOST = /fetch|Load failed|turbo-stream/;

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  const root = useRouteLoaderData<typeof loader>("root");
  const status = isRouteErrorResponse(error) ? error.status : LOST.test(String(error)) ? NO_CONNECTION_STATUS : 500;
  const failure = isRouteErrorResponse(error) ? (error.data as Partial<Failure> | null) : null;
  const request_id = failure?.request_id ?? root?.request_id;
  const sent = useKept();
  return (
    <>
      <FailureView status={status} failure={{ ...failure, request_id }} kept={failure?.kept ?? sent} />
      {root?.viewer && sent && !failure?.kept && <KeptData kept={sent} />}
    </>
  );
}
