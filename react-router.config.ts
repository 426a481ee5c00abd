import type { Config } from "@react-router/dev/config";

/** Rendered on the server. What were future flags in 7 (middleware, Vite environments) is how 8 works. */
export default { ssr: true } satisfies Config;
