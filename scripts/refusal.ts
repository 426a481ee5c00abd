/** An error with a message for the user. Commands print the message without a stack. */
export class Refusal extends Error {}

/** @throws Refusal with the usage of a command that takes no arguments: a mistyped command must change nothing. */
export function refuseArguments(usage: string): void {
  if (process.argv.length > 2) throw new Refusal(usage);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "it belongs to somebody else",
  EPERM: "it belongs to somebody else",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk is full",
  EFBIG: "its disk takes no file of this size",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "it is a file",
  ENOENT: "it, or a part of its path, is a link to nothing",
  ELOOP: "its path is a circle of links",
};
/** By SQLite's primary result codes: SQLITE_IOERR and SQLITE_FULL. */
const SQLITE_REASONS: Readonly<Record<number, string>> = { 10: "a disk reports an error", 13: "its disk is full" };

/** Turns a write error of the file system into a Refusal that says why. Returns any other error as it is. */
export function toWriteRefusal(what: string, error: unknown): unknown {
  const { code = "", errcode, path } = error as NodeJS.ErrnoException & { errcode?: number };
  // The low byte of an extended result code is the primary one.
  const reason = errcode === undefined ? REASONS[code] : SQLITE_REASONS[errcode & 0xff];
  if (reason === undefined) return error;
  return new Refusal(`${what} cannot be written: ${reason} (${path ? `${code}, ${path}` : code}).`, { cause: error });
}

/** Ends a command that writes files: prints a sentence, or the stack of an error that nobody expects. */
export function reportFailure(what: string, error: unknown): void {
  const told = toWriteRefusal(what, error);
  console.error(told instanceof Refusal ? told.message : told);
  process.exitCode = 1;
}
