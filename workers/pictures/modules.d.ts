/** What Emscripten makes of a codec: its own types describe the half of it, each as another ambient namespace. */
declare module "@jsquash/*.js" {
  const factory: unknown;
  export const defaultOptions: object;
  export default factory;
}
