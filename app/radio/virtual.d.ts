/** scripts/aac-module.ts builds this module. */
declare module "virtual:aac-module" {
  /** The URL of FFmpeg's AAC encoder in WebAssembly, and the names of its functions. */
  const aac: { url: string; names: import("./aac-encoder.ts").AacNames };
  export default aac;
}
