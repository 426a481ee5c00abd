import type { RouterContextProvider } from "react-router";
import { id } from "../../workers/contract/fields.ts";
import { urlKey } from "../../workers/contract/radios.ts";
import { jarContext, v4Context } from "../request/context.ts";
import type { V4 } from "../v4/client.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * The keys of radios whose URL this browser has opened, as `radio_id.key` with `~` between, the latest first. The cookie
 * takes the place of the key in the address, which people share and browsers keep. Source: product decisions, "url".
 */
const RADIO_KEYS_COOKIE = "radioKeys";
const KEPT_KEYS = 10;
const MAX_AGE_S = 90 * 24 * 60 * 60;

function readKeys(context: Context): Map<string, string> {
  const pairs = (context.get(jarContext).read(RADIO_KEYS_COOKIE) ?? "").split("~").map((pair) => pair.split("."));
  return new Map(
    pairs.flatMap(([radio_id = "", key = ""]) =>
      id.safeParse(radio_id).success && urlKey.safeParse(key).success ? [[radio_id, key] as const] : [],
    ),
  );
}

/** Keeps the key of a radio in this browser. */
export function keepRadioKey(context: Context, radio_id: string, key: string): void {
  const others = [...readKeys(context)].filter(([other]) => other !== radio_id);
  const kept = [[radio_id, key], ...others].slice(0, KEPT_KEYS);
  context.get(jarContext).set(RADIO_KEYS_COOKIE, kept.map((pair) => pair.join(".")).join("~"), MAX_AGE_S);
}

/** Returns the product API, called as the viewer and with the key of this radio if the browser has one. */
export function v4OfRadio(context: Context, radio_id: string): V4 {
  const v4 = context.get(v4Context);
  const key = readKeys(context).get(radio_id);
  return key === undefined ? v4 : v4.withUrlKey(key);
}
