import { data } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getRadio } from "../../../workers/contract/radios.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { toCalendar } from "../../text/calendar.ts";
import type { Route } from "./+types/radio-calendar.ts";
import { radioPath } from "./radio-path.ts";

/** Sends the announced moment of a radio as a calendar's file. Throws 404 when none is announced. */
export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { radio_id } = params;
  if (!id.safeParse(radio_id).success) throw data(null, { status: 404 });
  const { radio } = await v4OfRadio(context, radio_id).read(getRadio, { params: { radio_id } });
  const { user, title, starts_at, status, is_locked } = radio;
  if (starts_at === null || status !== "scheduled" || is_locked) throw data(null, { status: 404 });
  const address = url.origin + radioPath({ link_id: user.link_id, radio_id });
  const body = toCalendar({
    uid: `radio-${radio_id}@${url.hostname}`,
    title: `${title}（${user.name}さんのラジオ）`,
    description: `${user.name}さんのラジオの放送です。\n${address}`,
    url: address,
    starts_at,
    made_at: new Date().toISOString(),
  });
  return new Response(body, {
    headers: {
      "content-type": "text/calendar; charset=utf-8",
      "content-disposition": `attachment; filename="radio.ics"`,
    },
  });
}
