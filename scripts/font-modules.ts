/** Fonts as modules of a worker: `import bytes from "package/font.ttf?.bin"`. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Plugin } from "vite";

const FONT = /\.ttf\?\.bin$/;
const WRITTEN_OUT = "\0font:";
const folder = resolve(import.meta.dirname, "..", ".cache", "fonts");

/**
 * Wrangler uploads bytes only from files that end in .bin, and Cloudflare's plugin hands it nothing else: so fonts get that name.
 * With hot reload they are written out in JavaScript: bytes are handed to workerd as a list of numbers there, and one so long kills it.
 */
export function fontModules(): Plugin {
  return {
    name: "font-modules",
    enforce: "pre",
    resolveId: {
      filter: { id: FONT },
      async handler(source, importer, options) {
        const font = await this.resolve(source.replace(FONT, ".ttf"), importer, { ...options, skipSelf: true });
        if (!font) return null;
        if (this.environment.mode === "dev") return WRITTEN_OUT + font.id;
        const copy = join(folder, basename(font.id).replace(/ttf$/, "bin"));
        mkdirSync(folder, { recursive: true });
        copyFileSync(font.id, copy);
        return copy;
      },
    },
    load(id) {
      if (!id.startsWith(WRITTEN_OUT)) return null;
      const base64 = readFileSync(id.slice(WRITTEN_OUT.length), "base64");
      return `export default new Uint8Array(Buffer.from("${base64}", "base64")).buffer;`;
    },
  };
}
