import * as comments from "./comments.ts";
import * as events from "./events.ts";
import * as identityCalls from "./identity.ts";
import * as intents from "./intents.ts";
import * as maintenance from "./maintenance.ts";
import * as memberships from "./memberships.ts";
import * as notifications from "./notifications.ts";
import * as ofuses from "./ofuses.ts";
import type { Operation } from "./operation.ts";
import * as references from "./references.ts";
import * as relationships from "./relationships.ts";
import * as users from "./users.ts";

function operationsOf(module: object): Operation[] {
  return Object.values(module).filter((value): value is Operation => typeof value?.path === "string");
}

/** Every call the product API answers. */
export const productOperations: readonly Operation[] = [
  users,
  events,
  comments,
  memberships,
  relationships,
  ofuses,
  notifications,
  references,
  intents,
  maintenance,
].flatMap(operationsOf);

/** Every call the identity service answers. */
export const identityOperations: readonly Operation[] = operationsOf(identityCalls);
