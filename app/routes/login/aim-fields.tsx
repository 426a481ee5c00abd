import type { Aim } from "../../sign-in/aim.ts";

/** What a form of a way in carries along: where it leads, and what for. Read by `aimOf`. */
export function AimFields({ aim: { to, purpose } }: { aim: Aim }) {
  return (
    <>
      <input type="hidden" name="to" value={to} />
      {purpose !== "sign_in" && <input type="hidden" name="purpose" value={purpose} />}
    </>
  );
}
