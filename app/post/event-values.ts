import type { Event } from "../../workers/contract/events.ts";
import { tokyoTime } from "../text/tokyo-time.ts";
import { printMarkup } from "./markup.ts";
import type { Values } from "./values.ts";

/** The form's values for an existing post. */
export function valuesOfEvent(event: Event): Values {
  const blocks = event.document ?? [];
  const image_ids = event.images.map(({ image_id }) => image_id);
  const audio_ids = event.media.filter(({ kind }) => kind === "audio").map(({ media_id }) => media_id);
  const [film] = event.media.filter(({ kind }) => kind === "video");
  // Set a cover only if the writer chose one: by default, the first picture in the text is the cover. `images` starts
  // with the cover, so find the text's first picture in the document.
  const shown = blocks.find((block) => block.type === "image");
  const first = shown?.type === "image" ? shown.image_id : null;
  const is_cover_chosen = event.kind !== "image" && event.image !== null && event.image.image_id !== first;
  const target = event.publish_target_type;
  return {
    kind: event.kind,
    // The version of the post that this text is based on. The draft stores it to detect conflicts.
    seen_updated_at: event.updated_at ?? "",
    title: event.title,
    body: printMarkup(blocks, { image_ids, media_ids: audio_ids }),
    images: image_ids.join(" "),
    audios: audio_ids.join(" "),
    ...Object.fromEntries(event.images.map(({ image_id, alt }) => [`alt.${image_id}`, alt])),
    cover_image_id: is_cover_chosen ? (event.image?.image_id ?? "") : "",
    video_url: event.video_url ?? "",
    video_media_id: film?.media_id ?? "",
    event_category_id: event.event_category_id ?? "",
    comment_filter: event.comment_filter,
    visibility: target === "memberships" ? `memberships:${event.publish_target_membership_id ?? ""}` : target,
    when: event.status === "private" ? "private" : event.status === "publish_pending" ? "at" : "now",
    publish_at: event.publish_at ? tokyoTime(event.publish_at) : "",
  };
}
