/** Writes the calls of the API down, for a file that is shown to others. */

/** What a recording must not hold, by the name of its field. A mask has the shape of what it hides. */
const masks: Record<string, (text: string) => string> = {
  account_number: (text) => "0001234".padStart(text.length, "0").slice(-text.length),
  client_secret: (text) => text.replace(/_secret_.*/s, "_secret_masked"),
  secret: () => "whsec_masked",
};

/** One call and its answer. */
export interface Exchange {
  method: string;
  path: string;
  params: unknown;
  status: number;
  body: unknown;
}

/** Returns a call as one line of JSON, without account numbers and secrets. */
export function toTrafficLine({ method, path, params, status, body }: Exchange): string {
  return JSON.stringify({ method, path, params, status, body }, (name, value) =>
    typeof value === "string" && Object.hasOwn(masks, name) ? masks[name]?.(value) : value,
  );
}
