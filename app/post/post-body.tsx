import { embedOf } from "../../workers/contract/embeds.ts";
import type { Event } from "../../workers/contract/events.ts";
import { DocumentView, TEXT_SIZES } from "./document.tsx";
import { EmbedFrame } from "./embed.tsx";
import { Gallery } from "./gallery.tsx";
import { Blur, Picture } from "./picture.tsx";

/** The fields of a post that its body shows. A preview has them before the post exists. */
export type ShownPost = Pick<
  Event,
  "kind" | "title" | "document" | "images" | "media" | "video_url" | "is_locked" | "image" | "placeholder"
>;

/** The body of a post. Its type decides the order: a video or pictures come before the text. */
export function PostBody(props: {
  event: ShownPost;
  links: Record<string, string>;
  picturePath?: (image: { image_id: string }) => string;
  note: string;
}) {
  const { event, links, picturePath, note } = props;
  const { kind, images, media, is_locked, title } = event;
  const document = event.document ?? [];
  const written = new Set(document.flatMap((block) => (block.type === "image" ? [block.image_id] : [])));
  const shown = images.filter(({ image_id }) => !written.has(image_id));
  const embed = event.video_url ? embedOf(event.video_url) : null;
  const film = media.find((file) => file.kind === "video");
  const cover = shown[0];
  const first_image_id = cover ? cover.image_id : images[0]?.image_id;
  return (
    <>
      {is_locked && !event.image && event.placeholder && (
        <span className="picture locked-cover">
          <Blur src={event.placeholder} />
        </span>
      )}
      {kind === "image" && shown.length > 0 && (
        <Gallery images={shown} picturePath={picturePath ?? ((image) => image.medium_url)} title={title} />
      )}
      {film ? (
        // biome-ignore lint/a11y/useMediaCaption: creators write captions as text below the video.
        <video controls playsInline preload="metadata" src={film.url} poster={cover?.medium_url} />
      ) : embed ? (
        <EmbedFrame embed={embed} out={links[event.video_url ?? ""] ?? null} poster={cover?.medium_url} />
      ) : (
        kind !== "image" && cover && <Picture image={cover} sizes={TEXT_SIZES} is_first />
      )}
      <DocumentView
        document={document}
        images={images}
        media={media}
        links={links}
        paywall_note={note && `ここから先は${note}です`}
        picturePath={picturePath}
        first_image_id={first_image_id}
      />
    </>
  );
}
