import { useSyncExternalStore } from "react";
import type { Stored } from "./stored-keys.ts";

/**
 * Returns a stored key as React state. During hydration the state is the default, as on the server, so that both render
 * the same.
 */
export function useStored<Value>(key: Stored<Value>): [Value, (value: Value) => void] {
  const value = useSyncExternalStore(key.subscribe, key.read, () => key.initial);
  return [value, key.write];
}
