/**
 * The modules that Emscripten generates for the codecs. Their own types describe only half of them, each as another
 * ambient namespace.
 */
declare module "@jsquash/*.js" {
  const factory: unknown;
  export const defaultOptions: object;
  export default factory;
}
