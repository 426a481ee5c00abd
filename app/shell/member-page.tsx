import { lazy, Suspense, useEffect, useRef, useState } from "react";
import {
  useBlocker,
  useFetchers,
  useLocation,
  useMatches,
  useNavigation,
  useNavigationType,
  useRevalidator,
  useRouteLoaderData,
} from "react-router";
import { openAboutLetterOnce } from "../browser/about-letter.ts";
import { pageShown, scrollToSearch } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { hasAboutFanLetterOpened, type SideMenuRole, showRegisterCompleteModal } from "../browser/stored-keys.ts";
import { keepThemesInStep } from "../browser/theme.ts";
import { forgetOthers, hasKeptWords } from "../forms/kept-words.ts";
import type { FlashMessage } from "../request/flash.ts";
import { useHydrated } from "../ui/hydrated.ts";
import { focusList, keepFocus } from "./keep-focus.ts";
import { keepKeys } from "./keep-keys.ts";
import { limitWaiting } from "./limit-waiting.ts";
import { LoadingBar } from "./loading-bar.tsx";
import { keepFormsWhileOffline } from "./offline-forms.ts";
import { patternOf } from "./page-pattern.ts";
import { reloadAfterFailures } from "./reload-after-failures.ts";
import type { ShellViewer } from "./shell-viewer.ts";
import { asksToStay } from "./unsent-words.ts";

// Without their scripts they are missing: an error would replace the page, with the words in its forms.
const nothing = () => ({ default: () => <></> });
const RegisteredModal = lazy(() => import("./registered-modal.tsx").catch(nothing));
const SignedOutNotice = lazy(() => import("./signed-out-notice.tsx").catch(nothing));

/**
 * How long the watches wait. The session was valid when the page was rendered, so the page's own scripts load first.
 */
const WATCH_AFTER_MS = 2000;

/**
 * The background work of a member's page; app/visitor/index.ts is the visitors' counterpart. Loaded after hydration.
 * @param viewer the member. The ids are null before registration, or if the profile could not be loaded.
 * @param onUnread called when the member has unread notifications.
 */
export function MemberPage(props: MemberPageProps) {
  return useHydrated() ? <BackgroundWork {...props} /> : null;
}

interface MemberPageProps {
  viewer: Pick<ShellViewer, "user_id" | "link_id" | "has_unread">;
  onUnread: () => void;
}

function BackgroundWork({ viewer, onUnread }: MemberPageProps) {
  const { user_id, link_id, has_unread } = viewer;
  const { pathname, search, key } = useLocation();
  const type = useNavigationType();
  const is_new = type !== "POP";
  const page = useMatches().at(-1);
  const pattern = patternOf(page?.pathname, page?.params);
  const shown = useRef<{ address: string; key: string; pathname: string }>(undefined);
  const [arrived, setArrived] = useState<{ key: string; title: string }>();
  useEffect(() => {
    const address = pathname + search;
    const last = shown.current;
    shown.current = { address, key, pathname };
    if (last?.address === address) {
      // The same words were searched again.
      if (last.key !== key && is_new) scrollToSearch();
      return;
    }
    // For the document's first page use the browser's navigation type. For later pages use the router's.
    const is_first = last === undefined;
    // The server set only the first page's pattern, so update it.
    document.body.dataset.pattern = pattern;
    // The home page replaces its address by that of the last filter. That is no other page.
    if (type !== "REPLACE" || last?.pathname !== pathname) {
      pageShown(is_first ? isNavigatedTo() : is_new, is_first ? undefined : "");
    }
    if (is_first) return;
    setArrived({ key, title: document.title });
    closeOverlays();
    if (type === "PUSH" && last.pathname === pathname) focusList();
  }, [pathname, search, key, pattern, type, is_new]);
  useEffect(() => {
    if (user_id) forgetOthers(user_id);
  }, [user_id]);
  useAskBeforeLeaving();
  useEffect(() => {
    keepThemesInStep();
    openAboutLetterOnce(hasAboutFanLetterOpened);
    startMonitoring();
    const ends = [keepFormsWhileOffline(), keepFocus(), keepKeys(), limitWaiting()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const [is_signed_out, setSignedOut] = useState(false);
  const is_busy = useRef(false);
  const { state } = useNavigation();
  // A sent form may be redirected to the sign-in page. Do not leave the document now, because that would cancel the
  // redirect.
  const is_sending = useFetchers().some((fetcher) => fetcher.state !== "idle");
  useEffect(() => {
    is_busy.current = state !== "idle" || is_sending;
  }, [state, is_sending]);
  useEffect(
    () =>
      whenIdle(async () => {
        const { watchSignOut } = await import("./sign-out-watch.ts");
        return watchSignOut(
          () => setSignedOut(true),
          () => is_busy.current,
        );
      }),
    [],
  );
  const { revalidate } = useRevalidator();
  useEffect(() => reloadAfterFailures(revalidate), [revalidate]);
  const told = useRef({ onUnread: (_is_new: boolean) => {}, onRead: () => {} });
  useEffect(() => {
    told.current = {
      onUnread(is_new) {
        onUnread();
        if (is_new && pathname === "/my/notifications") void revalidate();
      },
      // They were read elsewhere. The server is asked, because a newer notification may have come before this word.
      onRead() {
        if (has_unread) void revalidate();
      },
    };
  });
  useEffect(() => {
    if (!user_id) return;
    return whenIdle(async () => {
      const { watchNotifications } = await import("./notification-watch.ts");
      return watchNotifications(
        (is_new) => told.current.onUnread(is_new),
        () => told.current.onRead(),
      );
    });
  }, [user_id]);
  return (
    <>
      <LoadingBar />
      {/* Says which page has come: a screen reader does not notice a navigation that loads no document. */}
      <p className="visually-hidden" aria-live="polite">
        {arrived && <span key={arrived.key}>{arrived.title}</span>}
      </p>
      <Registered pathname={pathname} link_id={link_id} />
      {is_signed_out && (
        <Suspense>
          <SignedOutNotice path={pathname + search} />
        </Suspense>
      )}
    </>
  );
}

/** Closes the drawer and the menus, which the browser's back button would leave open over the next page. */
function closeOverlays(): void {
  for (const sheet of document.querySelectorAll<HTMLDialogElement>("dialog.sheet[open]")) sheet.close();
  for (const menu of document.querySelectorAll<HTMLElement>(".menu[popover]")) menu.hidePopover?.();
}

/**
 * Asks before a client-side navigation if the page has an unsaved draft or a running upload. The browser's own
 * `beforeunload` covers only document loads. Submitting a form asks nothing. A page with `data-leaving` asks with those
 * words.
 */
function useAskBeforeLeaving(): void {
  const last_submit = useRef<Event>(null);
  useEffect(() => {
    const noteSubmit = (event: Event) => {
      last_submit.current = event;
    };
    addEventListener("submit", noteSubmit, true);
    return () => removeEventListener("submit", noteSubmit, true);
  }, []);
  // React Router calls this while the event is dispatched, and its phase is 0 afterwards. A timer would be too late on a
  // busy page: the browser handles a press on a link first.
  const blocker = useBlocker(() => !last_submit.current?.eventPhase && asksToStay());
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    const own = document.querySelector<HTMLElement>("[data-leaving]")?.dataset.leaving;
    if (confirm(own ?? "保存できていない内容があります。このページを離れますか？")) blocker.proceed();
    else blocker.reset();
  }, [blocker]);
}

/** Calls `begin` after a delay. Returns a function that stops what `begin` started, or prevents it from starting. */
function whenIdle(begin: () => Promise<() => void>): () => void {
  let end: (() => void) | undefined;
  let is_over = false;
  const timer = setTimeout(async () => {
    // After a deployment, the script of the watch may have been deleted. The next request then notices the ended
    // session.
    const begun = await begin().catch(() => undefined);
    if (is_over) begun?.();
    else end = begun;
  }, WATCH_AFTER_MS);
  return () => {
    is_over = true;
    clearTimeout(timer);
    end?.();
  };
}

function isNavigatedTo(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "navigate";
}

/**
 * The dialog after a registration, shown once. Not under /signup, while deleting the account, on the step that it
 * recommends, or over words that wait to be sent: the next page shows it. On the member's own page it is always the fan's
 * dialog. Source: spec section 2, Shell.
 */
function Registered({ pathname, link_id }: { pathname: string; link_id: string | null }) {
  const [kind, setKind] = useState<SideMenuRole | null>(null);
  const flash = useRouteLoaderData<{ flash: FlashMessage | null }>("root")?.flash;
  const has_words = useRef(false);
  has_words.current = flash?.has_words === true;
  useEffect(() => {
    // The dialog is not shown under /dev either: people read a demo's mails there between the steps of signing up.
    if (/^\/(signup|dev|my\/settings\/(leave|bank))(\/|$)/.test(pathname)) return;
    if (has_words.current || hasKeptWords()) return;
    const role = showRegisterCompleteModal.take();
    if (role) setKind(pathname === `/${link_id}` ? "fan" : role);
  }, [pathname, link_id]);
  if (!kind) return null;
  return (
    <Suspense>
      <RegisteredModal kind={kind} link_id={link_id} onClose={() => setKind(null)} />
    </Suspense>
  );
}
