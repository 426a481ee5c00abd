/** Thrown when work takes longer than its limit. */
export class TimeLimitExceeded extends Error {
  override name = "TimeLimitExceeded";

  constructor(limit_ms: number) {
    super(`not done after ${limit_ms} ms`);
  }
}

/** Waits for the work, but no longer than the limit. The work continues after that: nothing can stop it from outside. */
export async function withTimeLimit<T>(work: Promise<T>, limit_ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new TimeLimitExceeded(limit_ms)), limit_ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
