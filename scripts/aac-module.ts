/**
 * Takes FFmpeg's AAC encoder out of the package @mediabunny/aac-encoder, and publishes it as a WebAssembly file of its
 * own, so that it can be replaced (LGPL). docs/decisions/0041.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import type { Plugin } from "vite";
import type { AacNames } from "../app/radio/aac-encoder.ts";

/** What Emscripten made: JavaScript with the WebAssembly in a string. The package exports only a bundle of it. */
const made = join(fileURLToPath(import.meta.resolve("@mediabunny/aac-encoder")), "../../modules/build/aac.js");
const MODULE = "virtual:aac-module";

/** Returns the WebAssembly, and the names that Emscripten shortened. Throws when the package has another form. */
export function readAacModule(): { wasm: Uint8Array<ArrayBuffer>; names: AacNames } {
  const text = readFileSync(made, "utf8");
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) throw new Error(`${made} has no ${pattern}: has the package changed its form?`);
    return found;
  };
  const packed: string = runInNewContext(find(/return binaryDecode\(('(?:[^'\\]|\\.)*')\)/s));
  // Emscripten's own decoder, `binaryDecode`: a character above 255 stands for the byte 0.
  const wasm = Uint8Array.from(packed, (character) => {
    const code = character.charCodeAt(0);
    return (~code >> 8) & code;
  });
  const imports = find(/var wasmImports = \{([^}]*)\}/).matchAll(/(\w+): (\w+)/g);
  const exports = find(/function assignWasmExports\(wasmExports\) \{([^}]*)\}/).matchAll(
    /(\w+)(?:"\])? = wasmExports\["(\w+)"\]/g,
  );
  return {
    wasm,
    names: {
      imports: Object.fromEntries(Array.from(imports, ([, name = "", long = ""]) => [name, long])),
      exports: {
        ...Object.fromEntries(Array.from(exports, ([, long = "", name = ""]) => [long, name])),
        initialize: find(/function initRuntime\(\) \{[^}]*wasmExports\["(\w+)"\]\(\)/),
      },
    },
  };
}

/**
 * Makes the module `virtual:aac-module`, which exports the URL of the WebAssembly and its names. A build puts the file
 * among the client's files, under a name with its hash. `npm run dev` writes it into the URL.
 */
export function aacModule(): Plugin {
  let is_dev = false;
  const { wasm, names } = readAacModule();
  const hash = createHash("sha256").update(wasm).digest("hex").slice(0, 8);
  const file = join("assets", `ffmpeg-aac-${hash}.wasm`);
  return {
    name: "aac-module",
    configResolved({ command }) {
      is_dev = command === "serve";
    },
    resolveId: (source) => (source === MODULE ? `\0${source}` : undefined),
    load(id) {
      if (id !== `\0${MODULE}`) return;
      const url = is_dev ? `data:application/wasm;base64,${Buffer.from(wasm).toString("base64")}` : `/${file}`;
      return `export default ${JSON.stringify({ url, names })};`;
    },
    generateBundle() {
      if (this.environment.name !== "client") return;
      this.emitFile({ type: "asset", fileName: file, source: wasm });
    },
  };
}
