import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useLocation, useMatches, useNavigationType } from "react-router";
import { openAboutLetterOnce } from "../browser/about-letter.ts";
import { pageShown } from "../browser/page-shown.ts";
import { startMonitoring } from "../browser/sampling.ts";
import { type SideMenuRole, showRegisterCompleteModal } from "../browser/stored-keys.ts";
import { keepThemesInStep } from "../browser/theme.ts";
import { LoadingBar } from "./loading-bar.tsx";
import { keepFormsWhileOffline } from "./offline-forms.ts";
import { patternOf } from "./page-pattern.ts";

const RegisteredModal = lazy(() => import("./registered-modal.tsx"));

/**
 * What a member's page does beside being read, as app/visitor/index.ts does on a visitor's. Loaded once the page is alive.
 *
 * @param link_id the member's own.
 */
export default function MemberPage({ link_id }: { link_id: string | null }) {
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
    keepThemesInStep();
    openAboutLetterOnce();
    startMonitoring();
    return keepFormsWhileOffline();
  }, []);
  return (
    <>
      <LoadingBar />
      <Registered pathname={pathname} link_id={link_id} />
    </>
  );
}

function isNavigatedTo(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "navigate";
}

/** Source: spec section 2, Shell: shown once, not under /signup, and always as a fan's on the member's own page. */
function Registered({ pathname, link_id }: { pathname: string; link_id: string | null }) {
  const [kind, setKind] = useState<SideMenuRole | null>(null);
  useEffect(() => {
    if (/^\/signup(\/|$)/.test(pathname)) return;
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
