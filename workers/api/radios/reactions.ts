import { sql } from "kysely";
import type { Broadcast } from "../domain.ts";
import { findReaders } from "../events/queries.ts";
import type { Database } from "../storage/database.ts";
import type { OutboxEvents } from "../storage/outbox.ts";
import { noticeOfStart } from "./rules.ts";

/**
 * Notifies the people who may hear a radio on air. Returns null when the radio has ended meanwhile, and for a radio whose
 * listeners hold a key: nobody knows them.
 */
export async function broadcastStart(
  { radio_id }: OutboxEvents["radio_started"],
  database: Database,
  now_ms: number,
): Promise<Broadcast | null> {
  const radio = await database
    .selectFrom("radios")
    .innerJoin("users", "users.user_id", "radios.user_id")
    .select(["radio_id", "radios.user_id", "users.link_id"])
    .select(["publish_target_type", "publish_target_membership_id"])
    .where("radio_id", "=", radio_id)
    .where("status", "=", sql.lit("on_air"))
    .executeTakeFirst();
  if (!radio || radio.publish_target_type === "url") return null;
  const { user_id, publish_target_type, publish_target_membership_id } = radio;
  const audience = { user_id, publish_target_type, publish_target_membership_id };
  return {
    ...noticeOfStart(radio),
    type: "radio_started",
    actor_user_id: user_id,
    findReaders: (after, limit) => findReaders(database, audience, { after, limit, now_ms }),
  };
}
