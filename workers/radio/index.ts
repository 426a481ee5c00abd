import { DEPENDENCIES_PATH } from "../contract/health.ts";
import { LIVE_SOUND_PATH } from "../contract/live-engine.ts";
import { answerDependencies } from "../http/dependencies.ts";
import { answerRequest } from "../http/door.ts";
import { nameLogs } from "../kernel/log.ts";
import { nameRoute } from "../kernel/request-log.ts";
import { answerSound } from "./sound-requests.ts";

export { LiveSound } from "./engine.ts";
export { RadioSound } from "./radio-sound.ts";

nameLogs("radio");

/** The object that is asked whether objects work. It is no radio's: their names are ids. */
const PINGED_NAME = "ping";

/** Answers the paths of ingest and playback. The web worker forwards them without cookies. */
export default {
  fetch: (request, env, context) =>
    answerRequest(request, async () => {
      // The API asks the bucket.
      if (new URL(request.url).pathname === DEPENDENCIES_PATH) {
        return answerDependencies({ sound: () => env.RADIO_SOUND.getByName(PINGED_NAME).ping() });
      }
      nameRoute(request, `${LIVE_SOUND_PATH}*`);
      return answerSound(request, env, context);
    }),
} satisfies ExportedHandler<RadioEnv>;
