import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, exportedPerson, type Leaver, whereLeaver } from "../storage/personal-data.ts";

const isOnOwnRadio = ({ user_id }: Leaver) => sql`radio_id IN (SELECT radio_id FROM radios WHERE user_id = ${user_id})`;

export const erasures: Erasure[] = [
  deleteByKey("radio_chat_messages", ["message_id"], whereLeaver("user_id")),
  deleteByKey("radio_chat_messages", ["message_id"], isOnOwnRadio),
  deleteByKey("radio_chat_restrictions", ["owner_user_id", "user_id"], whereLeaver("owner_user_id")),
  deleteByKey("radio_chat_restrictions", ["owner_user_id", "user_id"], whereLeaver("user_id")),
];

/** A person's data export lists the people they restricted, and never the broadcasters who restricted them. */
export const exports: Domain["exports"] = {
  radio_chat_messages: {
    select: (me, after, limit) => sql`SELECT message_id AS key, json_object('message_id', message_id,
        'radio_id', radio_id, 'message', message, 'created_at', created_at) AS item
      FROM radio_chat_messages WHERE user_id = ${me} AND ofuse_id IS NULL AND message_id > ${after ?? ""} ORDER BY message_id ${limit}`,
  },
  radio_chat_restrictions: {
    select: (me, after, limit) => sql`SELECT user_id AS key,
        json_object('person', json(${exportedPerson("radio_chat_restrictions.user_id")}), 'created_at', created_at) AS item
      FROM radio_chat_restrictions
      WHERE owner_user_id = ${me} AND user_id > ${after ?? ""} ORDER BY user_id ${limit}`,
  },
};
