import { useSyncExternalStore } from "react";
import type { Stored } from "./stored-keys.ts";

/** A stored key as React state. It has its default on the server and during hydration, so that both render the same. */
export function useStored<Value>(key: Stored<Value>): [Value, (value: Value) => void] {
  const value = useSyncExternalStore(key.subscribe, key.read, () => key.initial);
  return [value, key.write];
}
