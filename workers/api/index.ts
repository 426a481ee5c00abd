export default { fetch: () => new Response("not built yet") };
