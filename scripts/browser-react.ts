import type { Plugin } from "vite";

/**
 * Gives browsers React 19.2, which is 7 kB smaller than the server's 19.3 (docs/decisions/0050). `npm run dev` and the
 * server have 19.3.
 */
export function browserReact(): Plugin {
  return {
    name: "browser-react",
    enforce: "pre",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    resolveId(source, importer) {
      return /^react(-dom)?(\/|$)/.test(source) ? this.resolve(`browser-${source}`, importer) : null;
    },
  };
}
