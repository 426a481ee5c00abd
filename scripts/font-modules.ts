/** Fonts as modules of a worker: `import bytes from "package/font.ttf?.bin"`. */
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Plugin } from "vite";

const FONT = /\.ttf\?\.bin$/;
const folder = resolve(import.meta.dirname, "..", ".cache", "fonts");

/** Wrangler uploads bytes only from files that end in .bin, and Cloudflare's plugin hands it nothing else: so fonts get that name. */
export function fontModules(): Plugin {
  return {
    name: "font-modules",
    enforce: "pre",
    resolveId: {
      filter: { id: FONT },
      async handler(source, importer, options) {
        const font = await this.resolve(source.replace(FONT, ".ttf"), importer, { ...options, skipSelf: true });
        if (!font) return null;
        const copy = join(folder, basename(font.id).replace(/ttf$/, "bin"));
        mkdirSync(folder, { recursive: true });
        copyFileSync(font.id, copy);
        return copy;
      },
    },
  };
}
