/** Lets a worker import fonts as modules: `import bytes from "package/font.ttf?.bin"`. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Plugin } from "vite";

const FONT = /\.ttf\?\.bin$/;
const WRITTEN_OUT = "\0font:";
const folder = resolve(import.meta.dirname, "..", ".cache", "fonts");

/**
 * A build copies each font to a file that ends in .bin, because Cloudflare's plugin and wrangler accept bytes only from
 * such files. The development server writes the font into JavaScript instead: it would pass bytes to workerd as a list
 * of numbers, and a list of this length crashes workerd.
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
