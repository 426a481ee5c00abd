/** Where a line of words will stand. */
export function Skeleton() {
  return <div className="skeleton" aria-hidden="true" />;
}

/** How much of a whole is done: `value` of `max`. */
export function Progress({ label, value, max }: { label: string; value: number; max: number }) {
  return <progress className="progress" aria-label={label} value={value} max={max} />;
}
