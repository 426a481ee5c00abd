import type { Site } from "./site.ts";

export interface Subject {
  usage: string;
  /**
   * Reads the arguments. Returns a function that acts on the site and returns the text to print.
   *
   * @throws Refusal for invalid arguments.
   */
  read(args: string[], now_ms: number): (site: Pick<Site, "call">) => Promise<string>;
}
