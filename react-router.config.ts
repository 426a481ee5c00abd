import type { Config } from "@react-router/dev/config";

/**
 * Renders pages on the server. Version 8 needs no `future` flags: middleware and Vite environments are its defaults.
 */
export default { ssr: true } satisfies Config;
