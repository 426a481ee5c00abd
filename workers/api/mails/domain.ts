import type { Domain } from "../domain.ts";
import { markBounced } from "./commands.ts";

export const domain: Domain = { upkeep: { markBounced } };
