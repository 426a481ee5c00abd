/**
 * What stands between people and the web worker on this machine, as Cloudflare's edge does in production: it compresses.
 *
 * Runs in workerd, so it is plain JavaScript. People reach it straight on workerd's own socket, past Miniflare's
 * front worker, which costs more and offers development endpoints nobody should reach.
 */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:\S+\+)?(?:json|xml)\b|application\/javascript\b|image\/svg\+xml)/;

/** The best coding the client takes and workerd writes. */
function codingFor(request) {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return accepted.match(/\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/)?.[0] ?? accepted.match(/\bgzip\b/)?.[0];
}

const READ_AT_ONCE_BYTES = 4 * 1024 * 1024;

/**
 * The request, and what makes sure that its body is read to its end: workerd resets the connection of a request that is answered
 * before its body was read (a 401, say), and the next request on it fails. A small body is here before the request goes on, as
 * Cloudflare's edge has it too; a large one (an upload) goes on as it arrives, and what nobody wanted is thrown away.
 */
async function read(request) {
  const length = request.headers.get("content-length");
  if (!request.body) return { asked: request, finish: async () => {} };
  if (length !== null && Number(length) <= READ_AT_ONCE_BYTES) {
    return { asked: new Request(request, { body: await request.arrayBuffer() }), finish: async () => {} };
  }
  const { readable, writable } = new TransformStream();
  const [reader, writer] = [request.body.getReader(), writable.getWriter()];
  let is_wanted = true;
  const { promise: answered, resolve: answer } = Promise.withResolvers();
  const unwanted = () => {
    is_wanted = false;
  };
  const pump = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (is_wanted) await Promise.race([writer.write(next.value).catch(unwanted), answered]);
    }
    await Promise.race([is_wanted ? writer.close().catch(unwanted) : writer.abort().catch(unwanted), answered]);
  };
  const pumped = pump().catch((error) => writer.abort(error).catch(unwanted));
  return {
    asked: new Request(request, { body: readable }),
    finish() {
      unwanted();
      answer();
      return pumped;
    },
  };
}

export default {
  async fetch(request, env) {
    const { asked, finish } = await read(request);
    const response = await env.WEB.fetch(asked);
    await finish();
    const coding = codingFor(request);
    if (!coding || !response.body || response.headers.has("content-encoding")) return response;
    if (!COMPRESSIBLE.test(response.headers.get("content-type") ?? "")) return response;
    // workerd encodes the body by the Content-Encoding it finds.
    const compressed = new Response(response.body, response);
    compressed.headers.set("content-encoding", coding);
    compressed.headers.append("vary", "accept-encoding");
    return compressed;
  },
};
