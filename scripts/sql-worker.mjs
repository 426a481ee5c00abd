/** Runs SQL on the databases that it is bound to, for scripts/sql.ts. It runs in workerd, so it is plain JavaScript. */

const messageOf = (error) => (error instanceof Error ? error.message : String(error));

export default {
  async fetch(request, env) {
    if (request.headers.get("authorization") !== env.SECRET) return new Response(null, { status: 403 });
    const { database, queries, is_batch } = await request.json();
    const d1 = env[database];
    try {
      const statements = queries.map(({ sql, values }) => d1.prepare(sql).bind(...values));
      return Response.json(is_batch ? await d1.batch(statements) : [await statements[0].all()]);
    } catch (error) {
      return Response.json({ message: messageOf(error), cause: messageOf(error.cause) }, { status: 500 });
    }
  },
};
