/** Made by scripts/visitor-script.ts. */
declare module "virtual:visitor-script" {
  /** Where the script of visitors' pages is. */
  const src: string;
  export default src;
}
declare module "virtual:recaptcha-script" {
  /** Where the script is that shows that a browser is no robot. */
  const src: string;
  export default src;
}
