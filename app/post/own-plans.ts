import { listOwnMemberships } from "../../workers/contract/memberships.ts";
import type { V4 } from "../v4/client.ts";

/**
 * Returns the plans that the form of a post, a newsletter or a radio offers: those that can be joined, and the one that it is
 * for, also when that one has closed. A form without that choice would be sent without an audience.
 */
export async function readOwnPlans(v4: V4, chosen: string | null | undefined | Promise<string | null>) {
  const [{ memberships }, membership_id] = await Promise.all([v4.read(listOwnMemberships, {}), chosen]);
  return memberships
    .filter((plan) => plan.active_state === "active" || plan.membership_id === membership_id)
    .map((plan) => ({ membership_id: plan.membership_id, title: plan.title }));
}
