import { answerRequest } from "../http/door.ts";
import { answerSound } from "./sound-requests.ts";

export { LiveSound } from "./engine.ts";
export { RadioSound } from "./radio-sound.ts";

/** Answers the paths of ingest and playback. The web worker forwards them without cookies. */
export default {
  fetch: (request, env, context) => answerRequest(request, () => answerSound(request, env, context)),
} satisfies ExportedHandler<RadioEnv>;
