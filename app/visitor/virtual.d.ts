/** Made by scripts/visitor-script.ts. */
declare module "virtual:visitor-script" {
  /** Where the script of visitors' pages is. */
  const src: string;
  export default src;
}
