/** What concerns the form as a whole. */
export function FormErrors({ errors }: { errors: readonly string[] | null | undefined }) {
  if (!errors || errors.length === 0) return null;
  return (
    <p className="form-error" role="alert">
      {errors.join(" ")}
    </p>
  );
}
