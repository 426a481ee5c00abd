/** scripts/visitor-script.ts builds this module. */
declare module "virtual:visitor-script" {
  /** The path of the visitors' script. */
  const src: string;
  export default src;
}
declare module "virtual:overlay-script" {
  /** The path of the script of overlays. */
  const src: string;
  export default src;
}
declare module "virtual:recaptcha-script" {
  /** The path of the reCAPTCHA script. */
  const src: string;
  export default src;
}
