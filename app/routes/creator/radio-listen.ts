import { data } from "react-router";
import { listenToRadio } from "../../../workers/contract/radios.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import type { Route } from "./+types/radio-listen.ts";

/** Counts a listener of a radio. app/browser/page-shown.ts sends it at the first press on play and ignores the answer. */
export async function action({ request, params: { radio_id }, context }: Route.ActionArgs) {
  const visit_id = String((await request.formData()).get("visit_id"));
  await v4OfRadio(context, radio_id).send(listenToRadio, { params: { radio_id }, body: { visit_id } });
  return new Response(null, { status: 204 });
}

/** Only POST counts a listener, so that crawlers and prefetching do not. */
export function loader() {
  throw data(null, { status: 404 });
}
