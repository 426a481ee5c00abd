import { ABOUT_PART, partOf } from "../contract/pictures.ts";
import { encodeAgain } from "./picture.ts";
import { Refused } from "./refused.ts";

/**
 * Answers an uploaded file with its picture, encoded again in every size. Only the API can reach this worker, through a
 * service binding, and the API limits the size of the file.
 */
export default {
  async fetch(request) {
    try {
      const { about, files } = await encodeAgain(new Uint8Array(await request.arrayBuffer()));
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
