import { data } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getChatRoom } from "../../../workers/contract/radio-chat.ts";
import { getRadio, getRadioSound } from "../../../workers/contract/radios.ts";
import { v4Context } from "../../request/context.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { chaptersOf } from "../../text/chapters.ts";
import type { Route } from "./+types/radio-chapters.ts";

/**
 * Sends the chapters of a recording to podcast apps. Throws 404 for a recording that the caller may not hear. Everybody
 * gets the chapters of a public recording as a visitor does, so any site may read them (CORS), like the podcast that names
 * them. Source: https://github.com/Podcastindex-org/podcast-namespace, "JSON chapters",
 * version 1.2.0.
 */
export async function loader({ params: { radio_id }, context }: Route.LoaderArgs) {
  if (!id.safeParse(radio_id).success) throw data(null, { status: 404 });
  const own = v4OfRadio(context, radio_id);
  const params = { radio_id };
  const { radio } = await own.read(getRadio, { params });
  const is_public = radio.status === "finished" && radio.recording_publish_target_type === "public";
  const v4 = is_public ? context.get(v4Context).asVisitor() : own;
  const [{ sound }, { room }] = await Promise.all([
    v4.read(getRadioSound, { params, query: {} }),
    v4.read(getChatRoom, { params }),
  ]);
  if (!sound.recording) throw data(null, { status: 404 });
  const chapters = chaptersOf(room.pinned_messages, radio.started_at, sound.recording.duration_ms);
  const body = { version: "1.2.0", chapters: chapters.map(({ at_s, title }) => ({ startTime: at_s, title })) };
  return new Response(JSON.stringify(body), {
    headers: {
      "content-type": "application/json+chapters",
      ...(is_public && { "access-control-allow-origin": "*" }),
    },
  });
}
