import { type ComponentType, lazy, memo, type ReactNode, type RefObject, Suspense, useEffect, useRef } from "react";

/** How many parts of the page are not hydrated yet. Only the tests read the attribute: they wait for hydration. */
let missing = 0;

function countMissing(change: 1 | -1): void {
  missing += change;
  if (missing === 0) document.documentElement.dataset.hydrated = "true";
}

/**
 * Hides every followed link and sent form from React and React Router, so that the browser loads documents, as it does without a
 * script. A client-side navigation would wait for the missing part for good, and the new document tries to load it again.
 */
function leaveToBrowser(): void {
  const { dataset } = document.documentElement;
  if (dataset.hydrated === "partly") return;
  dataset.hydrated = "partly";
  const hide = (event: Event) => {
    if (event.type === "submit" || (event.target as Element).closest("a[href]")) event.stopPropagation();
  };
  for (const type of ["click", "submit"]) addEventListener(type, hide, true);
}

/**
 * A part of the shell whose script the browser loads after the page's own scripts. The server renders it; its links and forms
 * work without the script. React hydrates it in tasks of its own, after the page. When the script cannot be loaded, the server's
 * HTML of the part stays, and {@link leaveToBrowser the browser loads the next page}.
 *
 * `memo` keeps renders of the document away from a part that is not hydrated: React would throw away its HTML. For the same
 * reason, a state that such a part shows may change in a transition only.
 * @param fallback what a client-side navigation shows in its place until the script has loaded.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode = null,
): ComponentType<Props> {
  const Part = lazy(() =>
    load().then(
      (component) => ({ default: component }),
      () => {
        leaveToBrowser();
        // React keeps the server's HTML of a part for as long as it waits for the component.
        return new Promise<never>(() => {});
      },
    ),
  ) as unknown as ComponentType<Props>;
  // biome-ignore lint/correctness/noComponentHookFactories: modules call it, not components.
  return memo(function LazyPart(props: Props) {
    const has_arrived = useRef(false);
    useEffect(() => {
      countMissing(1);
      // A navigation may remove a part whose script is still loading.
      return () => {
        if (!has_arrived.current) countMissing(-1);
      };
    }, []);
    return (
      <Suspense fallback={fallback}>
        <Part {...props} />
        <Arrived has_arrived={has_arrived} />
      </Suspense>
    );
  }) as unknown as ComponentType<Props>;
}

function Arrived({ has_arrived }: { has_arrived: RefObject<boolean> }) {
  useEffect(() => {
    has_arrived.current = true;
    countMissing(-1);
  }, [has_arrived]);
  return null;
}
