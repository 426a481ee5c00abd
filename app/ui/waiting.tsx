/** A placeholder for a line of text that is loading. */
export function Skeleton() {
  return <div className="skeleton" aria-hidden="true" />;
}

/** A progress bar: `value` of `max`. */
export function Progress({ label, value, max }: { label: string; value: number; max: number }) {
  return <progress className="progress" aria-label={label} value={value} max={max} />;
}
