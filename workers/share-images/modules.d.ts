declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
/** scripts/font-modules.ts builds these modules. */
declare module "*.ttf?.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}
