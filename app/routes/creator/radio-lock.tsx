import type { Radio } from "../../../workers/contract/radios.ts";
import { audienceOf } from "../radio-words.ts";
import { LockedSection } from "./lock-panel.tsx";

/** In place of a radio that the viewer may not hear: says how to hear it. `path` is the path of the radio. */
export function RadioLock({ radio, path }: { radio: Radio; path: string }) {
  return (
    <LockedSection
      subject={radio.status === "finished" ? "この録音" : "この放送"}
      verb="聴け"
      is_for_fans={audienceOf(radio) === "fans"}
      membership_id={radio.publish_target_membership_id}
      path={path}
    />
  );
}
