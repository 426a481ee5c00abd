import { ABOUT_PART, partOf } from "../contract/pictures.ts";
import { oneAtATime } from "../kernel/heavy-work.ts";
import { encodeAgain } from "./picture.ts";
import { Refused } from "./refused.ts";

/** A picture takes one to three seconds. The API waits for a minute. */
const runAlone = oneAtATime({ line: 20, patience_ms: 40_000, longest_ms: 30_000 });

/**
 * Answers an uploaded file with its picture, encoded again in every size. Only the API can reach this worker, through a
 * service binding, and the API limits the size of the file. Reads the file when its turn has come. Answers 503 when too many wait.
 */
export default {
  async fetch(request) {
    try {
      const encoded = await runAlone(async () => encodeAgain(new Uint8Array(await request.arrayBuffer())));
      if (!encoded) return new Response(null, { status: 503 });
      const { about, files } = encoded;
      const form = new FormData();
      form.set(ABOUT_PART, JSON.stringify(about));
      for (const { width, type, bytes } of files) form.set(partOf(width, type), new Blob([bytes]));
      return new Response(form);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return Response.json({ code: error.code }, { status: 422 });
    }
  },
} satisfies ExportedHandler;
