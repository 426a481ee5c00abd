import { type RawBuilder, sql } from "kysely";
import { WRITTEN_FIELDS } from "../../contract/ofuses.ts";
import type { Domain } from "../domain.ts";
import {
  deleteByKey,
  type Erasure,
  type ExportPages,
  type ExportRow,
  exportedPerson,
  isAfter,
  whereLeaver,
} from "../storage/personal-data.ts";

const writtenPairs = sql.join(WRITTEN_FIELDS.flatMap((field) => [sql.lit(field), sql.ref(field)]));

/** Exports the letters that a person sent or received. Received letters omit those that an operator removed. */
function exportLetters(own: "sender_user_id" | "receiver_user_id", other: string): ExportPages {
  const person =
    own === "sender_user_id"
      ? exportedPerson(other)
      : sql`(SELECT json_object('link_id', link_id, 'name', name) FROM users
          WHERE users.user_id = ofuses.sender_user_id AND NOT ofuses.is_anonymous)`;
  const isSeen = own === "sender_user_id" ? sql`TRUE` : sql`removed_at IS NULL`;
  return {
    select: (me, after, limit): RawBuilder<ExportRow> => sql`SELECT created_at || ' ' || ofuse_id AS key, json_object(
        'ofuse_id', ofuse_id, 'person', json(${person}), 'amount', amount, ${writtenPairs},
        'is_anonymous', json(iif(is_anonymous, 'true', 'false')), 'guest_name', iif(is_anonymous, NULL, guest_name), 'is_public', json(iif(is_public, 'true', 'false')), 'reply_message', reply_message, 'replied_at', replied_at,
        'donation_campaign_id', donation_campaign_id, 'donation', donation,
        'created_at', created_at) AS item
      FROM ofuses WHERE ${sql.ref(own)} = ${me} AND ${isSeen} AND ${isAfter("created_at", "ofuse_id", after)}
      ORDER BY created_at, ofuse_id ${limit}`,
  };
}

/** The letters stay with the other person, and so does what finds them there. */
export const erasures: Erasure[] = [
  deleteByKey("letter_words", ["owner_user_id", "ofuse_id"], whereLeaver("owner_user_id")),
];

export const exports: Domain["exports"] = {
  letters_sent: exportLetters("sender_user_id", "receiver_user_id"),
  letters_received: exportLetters("receiver_user_id", "sender_user_id"),
};
