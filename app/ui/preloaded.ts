import { type ComponentType, type LazyExoticComponent, lazy } from "react";

interface Loaded<Props> {
  default: ComponentType<Props>;
}

/**
 * A lazily loaded component that can be preloaded. After `load()` it renders at once. With `lazy` alone it would first
 * suspend, and React then delays it by another 300 ms.
 */
export function createPreloaded<Props>(load: () => Promise<Loaded<Props>>): {
  Component: LazyExoticComponent<ComponentType<Props>>;
  /**
   * Loads the component and never rejects. If loading fails, rendering the component tries again and throws the error.
   */
  load: () => Promise<void>;
} {
  let known: Loaded<Props> | undefined;
  return {
    Component: lazy(() => (known ? resolvedThenable(known) : load())),
    async load() {
      known ??= await load().catch(() => undefined);
    },
  };
}

/** A promise that calls `then` callbacks synchronously, so that React's `lazy` does not suspend. */
function resolvedThenable<Value>(value: Value): Promise<Value> {
  const promise = Promise.resolve(value);
  // biome-ignore lint/suspicious/noThenProperty: a normal promise calls back in a later microtask.
  return Object.assign(promise, { then: (take: (value: Value) => unknown) => take(value) });
}
