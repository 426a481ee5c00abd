import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useBlocker, useFetchers, useLocation, useMatches, useNavigation, useNavigationType } from "react-router";
import { openAboutLetterOnce } from "../browser/about-letter.ts";
import { pageShown } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { hasAboutFanLetterOpened, type SideMenuRole, showRegisterCompleteModal } from "../browser/stored-keys.ts";
import { keepThemesInStep } from "../browser/theme.ts";
import { forgetOthers } from "../forms/kept-words.ts";
import { LoadingBar } from "./loading-bar.tsx";
import { keepFormsWhileOffline } from "./offline-forms.ts";
import { patternOf } from "./page-pattern.ts";
import { asksToStay } from "./unsent-words.ts";

const RegisteredModal = lazy(() => import("./registered-modal.tsx"));
const SignedOutNotice = lazy(() => import("./signed-out-notice.tsx"));

/** The page has just been made for who is signed in: watching may wait for all it needs to work. */
const WATCH_AFTER_MS = 2000;

/**
 * What a member's page does beside being read, as app/visitor/index.ts does on a visitor's. Loaded once the page is alive.
 *
 * @param user_id the member's own, and so is link_id. Null before registration, and where the profile was not learnt.
 */
export default function MemberPage({ user_id, link_id }: { user_id: string | null; link_id: string | null }) {
  const { pathname, search } = useLocation();
  const is_new = useNavigationType() !== "POP";
  const page = useMatches().at(-1);
  const pattern = patternOf(page?.pathname, page?.params);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const address = pathname + search;
    if (shown.current === address) return;
    // The first page of the document counts as the browser says; the rest as the router does.
    const is_first = shown.current === undefined;
    shown.current = address;
    // The document was made for its first page.
    document.body.dataset.pattern = pattern;
    pageShown(is_first ? isNavigatedTo() : is_new);
  }, [pathname, search, pattern, is_new]);
  useEffect(() => {
    if (user_id) forgetOthers(user_id);
  }, [user_id]);
  useAskBeforeLeaving();
  useEffect(() => {
    keepThemesInStep();
    openAboutLetterOnce(hasAboutFanLetterOpened);
    startMonitoring();
    return keepFormsWhileOffline();
  }, []);
  const [is_signed_out, setSignedOut] = useState(false);
  const is_busy = useRef(false);
  const { state } = useNavigation();
  // A form that was sent may be redirected to the sign-in page: leaving for another document would cancel that.
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
  return (
    <>
      <LoadingBar />
      <Registered pathname={pathname} link_id={link_id} />
      {is_signed_out && (
        <Suspense>
          <SignedOutNotice path={pathname + search} />
        </Suspense>
      )}
    </>
  );
}

/**
 * What asks before the document is left (a draft that could not be saved, a file on its way) is asked before a move within
 * the app, too. A form that is sent has asked by itself.
 */
function useAskBeforeLeaving(): void {
  const is_submitting = useRef(false);
  useEffect(() => {
    const note = () => {
      is_submitting.current = true;
      setTimeout(() => {
        is_submitting.current = false;
      });
    };
    addEventListener("submit", note, true);
    return () => removeEventListener("submit", note, true);
  }, []);
  const blocker = useBlocker(() => !is_submitting.current && asksToStay());
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (confirm("保存できていない内容があります。このページを離れますか？")) blocker.proceed();
    else blocker.reset();
  }, [blocker]);
}

/** Begins when the page has nothing else to do; gives what ends it, whether or not it has begun. */
function whenIdle(begin: () => Promise<() => void>): () => void {
  let end: (() => void) | undefined;
  let is_over = false;
  const timer = setTimeout(async () => {
    // An update may have taken the file away: then the next request tells.
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

/** Source: spec section 2, Shell: shown once, not under /signup nor to who is leaving, and always as a fan's on the member's own page. */
function Registered({ pathname, link_id }: { pathname: string; link_id: string | null }) {
  const [kind, setKind] = useState<SideMenuRole | null>(null);
  useEffect(() => {
    // Nor where a demo's mails are read, on the way from one step of signing up to the next.
    if (/^\/(signup|dev|my\/settings\/leave)(\/|$)/.test(pathname)) return;
    const told = showRegisterCompleteModal.take();
    if (told) setKind(pathname === `/${link_id}` ? "fan" : told);
  }, [pathname, link_id]);
  if (!kind) return null;
  return (
    <Suspense>
      <RegisteredModal kind={kind} link_id={link_id} onClose={() => setKind(null)} />
    </Suspense>
  );
}
