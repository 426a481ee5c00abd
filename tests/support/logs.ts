/** Prints that a worker's runtime ended and was started again. A test that fails at that moment then says why. */
export const printRestart = () => console.error("workerd ended and was started again");

/** Prints what a worker of a test logs as an error. Each request is a line too, which is noise here. */
export function printErrors({ level, message }: { level: string; message: string }): void {
  if (level === "error") console.error(message);
}
