import { useSyncExternalStore } from "react";
import type { Stored } from "./stored-keys.ts";

/**
 * A key of the browser's storage as a component's state. In the HTML, and until the page is alive, it is at its default:
 * what the server wrote and what the browser first makes are equal.
 */
export function useStored<Value>(key: Stored<Value>): [Value, (value: Value) => void] {
  const value = useSyncExternalStore(key.subscribe, key.read, () => key.initial);
  return [value, key.write];
}
