import { onAirPath } from "../my/radio-path.ts";
import { radioPath } from "./radio-path.ts";

/** The field of a chat's form on the page that its broadcaster is on air with. */
export const FROM_ON_AIR = { from: "on_air" };

/** Returns the page to which a form of a chat leads back: that of the radio, or the one that its broadcaster is on air with. */
export function chatPlace(form: FormData, radio: { link_id: string; radio_id: string }): string {
  return form.get("from") === FROM_ON_AIR.from ? `${onAirPath(radio.radio_id)}#chat` : radioPath(radio, 1, "chat");
}
