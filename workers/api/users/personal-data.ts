import { sql } from "kysely";
import { LEFT_LINK_ID, LEFT_NAME, LINK_ID_HELD_DAYS } from "../../contract/bounds.ts";
import { isoTime } from "../../kernel/clock.ts";
import {
  type Departure,
  deleteByKey,
  type Erasure,
  type ExportProfile,
  type Leaver,
  ownList,
  whereLeaver,
} from "../storage/personal-data.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export const exportProfile: ExportProfile = (me) => sql`SELECT json_object(
    'user_id', user_id, 'link_id', link_id, 'name', name, 'default_name', default_name, 'email', email, 'bio', bio,
    'is_creator', json(iif(is_creator, 'true', 'false')), 'birth_year', birth_year,
    'guardian_consented_at', guardian_consented_at,
    'accepts_free_ofuses', json(iif(accepts_free_ofuses, 'true', 'false')),
    'icon_image_id', icon_image_id, 'cover_image_id', cover_image_id, 'created_at', created_at,
    'external_links', ${ownList("external_links", me, sql`json_object('external_site_id', external_site_id, 'url', url)`)},
    'genre_ids', ${ownList("user_genres", me, sql`genre_id`)},
    'former_link_ids', ${ownList("link_id_changes", me, sql`json_object('link_id', link_id, 'changed_at', changed_at)`)}
  ) AS item FROM users WHERE user_id = ${me}`;

/**
 * Turns the person into 「退会したユーザー」 and makes the API reject their tokens. Their link_id leads nowhere, and nobody can
 * take it for LINK_ID_HELD_DAYS. The second of two concurrent requests gets `account_left`.
 */
export function departUser({ user_id, identity_id }: Leaver, now_ms: number): Departure {
  const now = isoTime(now_ms);
  const held_until = isoTime(now_ms + LINK_ID_HELD_DAYS * DAY_MS);
  return {
    preconditions: [
      {
        code: "account_left",
        holds: sql`EXISTS (SELECT 1 FROM users WHERE user_id = ${user_id} AND left_at IS NULL)`,
      },
    ],
    statements: [
      sql`INSERT INTO link_id_changes (link_id, changed_at, user_id, held_until)
        SELECT link_id, ${now}, user_id, ${held_until} FROM users WHERE user_id = ${user_id}`,
      sql`INSERT INTO left_identities (identity_id, left_at) VALUES (${identity_id}, ${now})`,
      sql`UPDATE users SET identity_id = ${LEFT_LINK_ID + user_id}, link_id = ${LEFT_LINK_ID + user_id}, name = ${LEFT_NAME},
          default_name = NULL, email = NULL, email_invalid = 0, is_creator = 0, bio = '',
          icon_image_id = NULL, cover_image_id = NULL, accepts_free_ofuses = 0,
          birth_year = NULL, guardian_consented_at = NULL, left_at = ${now}
        WHERE user_id = ${user_id}`,
    ],
  };
}

export const erasures: Erasure[] = [
  deleteByKey("external_links", ["user_id", "position"], whereLeaver("user_id")),
  deleteByKey("user_genres", ["user_id", "genre_id"], whereLeaver("user_id")),
];
