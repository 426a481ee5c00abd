import { expect, test } from "./support/people.ts";

/** Paying for a letter, on our pages and on the gateway's. */

