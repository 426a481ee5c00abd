import type { RouterContextProvider } from "react-router";
import { id } from "../../workers/contract/fields.ts";
import { urlKey } from "../../workers/contract/radios.ts";
import { jarContext, v4Context } from "../request/context.ts";
import { RADIO_KEYS_COOKIE, readCookie } from "../request/cookies.ts";
import type { V4 } from "../v4/client.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * A browser keeps the keys of the latest radios whose URL it has opened, as `radio_id.key` with `~` between. The cookie
 * takes the place of the key in the address, which people share. Source: product decisions, "url".
 */
const KEPT_KEYS = 10;
const MAX_AGE_S = 90 * 24 * 60 * 60;

const readKeys = (context: Context) => keysOf(context.get(jarContext).read(RADIO_KEYS_COOKIE));

/** Returns the keys in the cookie, by radio. */
function keysOf(cookie: string | null): Map<string, string> {
  const pairs = (cookie ?? "").split("~").map((pair) => pair.split("."));
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

/** Returns the key of this radio that the browser of a request has. */
export function radioKeyOf(request: Request, radio_id: string): string | undefined {
  return keysOf(readCookie(request, RADIO_KEYS_COOKIE)).get(radio_id);
}

/** Returns the product API, called as the viewer and with the key of this radio if the browser has one. */
export function v4OfRadio(context: Context, radio_id: string): V4 {
  const v4 = context.get(v4Context);
  const key = readKeys(context).get(radio_id);
  return key === undefined ? v4 : v4.withUrlKey(key);
}
