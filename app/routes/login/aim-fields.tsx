import type { Aim } from "../../sign-in/aim.ts";

/** Hidden fields that carry a sign-in's purpose and destination through a form. `aimOf` reads them. */
export function AimFields({ aim: { to, purpose } }: { aim: Aim }) {
  return (
    <>
      <input type="hidden" name="to" value={to} />
      {purpose !== "sign_in" && <input type="hidden" name="purpose" value={purpose} />}
    </>
  );
}
