import { isFromOnAir, onAirPath } from "../my/radio-path.ts";
import { radioPath } from "./radio-path.ts";

/** Returns the page to which a form of a chat leads back: that of the radio, or the one that its broadcaster is on air with. */
export function chatPlace(form: FormData, radio: { link_id: string; radio_id: string }): string {
  return isFromOnAir(form) ? `${onAirPath(radio.radio_id)}#chat` : radioPath(radio, 1, "chat");
}
