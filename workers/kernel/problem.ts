/**
 * An error with a code, which the HTTP layer answers as problem+json (RFC 9457). `code` is a row of docs/errors.md,
 * `fields` holds Japanese sentences for each invalid field, and `allow` lists the methods that the path accepts.
 */
export class Problem extends Error {
  readonly code: string;
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
  readonly retry_after_s: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(
    code: string,
    options: {
      fields?: Record<string, readonly string[]>;
      retry_after_s?: number;
      allow?: readonly string[];
      cause?: unknown;
    } = {},
  ) {
    super(code, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.fields = options.fields;
    this.retry_after_s = options.retry_after_s;
    this.allow = options.allow;
  }
}
