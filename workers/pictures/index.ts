import { ABOUT_PART, partOf } from "../contract/pictures.ts";
import { encodeAgain } from "./picture.ts";
import { Refused } from "./refused.ts";

/** Answers a file with its picture, encoded again in every size. Reached by the API's binding alone, which bounds the file. */
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
