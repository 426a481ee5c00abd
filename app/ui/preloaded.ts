import { type ComponentType, type LazyExoticComponent, lazy } from "react";

interface Loaded<Props> {
  default: ComponentType<Props>;
}

/**
 * A component in a file of its own that can be loaded before it is shown. Loaded, it is rendered at once: `lazy` alone shows
 * nothing first, and React then holds the component back for another 300 ms.
 */
export function preloaded<Props>(load: () => Promise<Loaded<Props>>): {
  Component: LazyExoticComponent<ComponentType<Props>>;
  /** Never throws: a file that is not there is asked for again, and missed, when the component is shown. */
  load: () => Promise<void>;
} {
  let known: Loaded<Props> | undefined;
  return {
    Component: lazy(() => (known ? atOnce(known) : load())),
    async load() {
      known ??= await load().catch(() => undefined);
    },
  };
}

/** A promise that calls back while it is asked, as React's lazy components heed. */
function atOnce<Value>(value: Value): Promise<Value> {
  const promise = Promise.resolve(value);
  // biome-ignore lint/suspicious/noThenProperty: a promise's own would call back a moment later.
  return Object.assign(promise, { then: (take: (value: Value) => unknown) => take(value) });
}
