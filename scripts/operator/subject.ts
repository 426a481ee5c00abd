import type { Site } from "./site.ts";

export interface Subject {
  usage: string;
  /**
   * Reads the arguments and returns what to do, which returns the text to print.
   *
   * @throws Refusal for arguments that say nothing that can be done.
   */
  read(args: string[], now_ms: number): (site: Pick<Site, "call">) => Promise<string>;
}
