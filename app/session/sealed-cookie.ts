import type { RouterContextProvider } from "react-router";
import { jarContext } from "../request/context.ts";
import { identityContext } from "./context.ts";

type Context = Readonly<RouterContextProvider>;

/**
 * The size limit of a cookie. Browsers drop a cookie over 4,096 bytes, name and attributes included, without an error.
 */
const MAX_BYTES = 3900;

/** An encrypted cookie with the data for the next step of a flow, for one use and a limited time. */
export class SealedCookie<Value> {
  readonly #name: string;
  readonly #max_age_s: number;

  constructor(name: string, max_age_s: number) {
    this.#name = name;
    this.#max_age_s = max_age_s;
  }

  /** Stores the value in the cookie. Throws if the value does not fit into a cookie. */
  async keep(context: Context, value: Value): Promise<void> {
    const { session_keys } = context.get(identityContext);
    const cookie = await session_keys.encrypt(JSON.stringify(value), this.#name, this.#max_age_s);
    if (cookie.length > MAX_BYTES) throw new Error(`${this.#name} of ${cookie.length} bytes does not fit a cookie`);
    context.get(jarContext).set(this.#name, cookie, this.#max_age_s);
  }

  /** Returns the cookie's value, or null if it is missing, expired or forged. */
  async read(context: Context): Promise<Value | null> {
    const cookie = context.get(jarContext).read(this.#name);
    const value = cookie && (await context.get(identityContext).session_keys.decrypt(cookie, this.#name));
    return value ? (JSON.parse(value) as Value) : null;
  }

  forget(context: Context): void {
    context.get(jarContext).clear(this.#name);
  }

  /** Returns the cookie's value and removes the cookie. */
  async take(context: Context): Promise<Value | null> {
    const value = await this.read(context);
    this.forget(context);
    return value;
  }
}
