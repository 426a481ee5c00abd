import { useState } from "react";
import { IMAGES_IN_A_POST } from "../../workers/contract/bounds.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import type { Uploaded } from "../browser/upload.ts";
import { useHydrated } from "../ui/hydrated.ts";
import { UploadField } from "../uploads/upload-field.tsx";
import { attributesOf, Notes } from "./fields.tsx";
import { audioMark } from "./marks.ts";
import { PictureList } from "./picture-list.tsx";
import { type FormKind, idsOf, type Values } from "./values.ts";

/** The file types that each form accepts. The server checks the files themselves. */
const accepted: Record<FormKind, string> = {
  blog: "image/png,image/jpeg,image/webp,image/avif,image/gif,audio/*",
  text: "image/png,image/jpeg,image/webp,image/avif,image/gif,audio/*",
  image: "image/png,image/jpeg,image/webp,image/avif,image/gif",
  video: "video/mp4,video/webm,image/png,image/jpeg,image/webp,image/avif,image/gif",
  mail: "image/png,image/jpeg,image/webp,image/avif,image/gif",
};

const hints: Record<FormKind, string> = {
  blog: "本文に置いた画像と音声だけが投稿に出ます。画像は1枚10MB、音声は200MBまで。",
  text: "本文に置いた画像と音声だけが投稿に出ます。画像は1枚10MB、音声は200MBまで。",
  image: `この順に並びます。最初の1枚が表紙です。${IMAGES_IN_A_POST}枚まで、1枚10MBまで。`,
  video: "動画はMP4かWebMで200MBまで。画像を加えると、表紙に選べます。",
  mail: `本文に置いた画像が届きます。${IMAGES_IN_A_POST}枚まで、1枚10MBまで。メールで表示するため、画像のアドレスを知っている人はだれでも見られます。`,
};

interface Shelf {
  values: Values;
  images: readonly Image[];
  media: readonly MediaFile[];
  kind: FormKind;
  errors: Readonly<Record<string, readonly string[] | undefined>>;
  /** Called after a change of the files that fires no `input` event. */
  onChange: () => void;
  onBegun: (file: File) => void;
  onUploaded: (uploaded: Uploaded, file: File) => void;
  /** Called with the mark of a file, to insert it into the text. */
  onInsert: (mark: string) => void;
  onRemove: (image_id: string) => void;
}

/**
 * The files of a post or a newsletter, with buttons to reorder, describe, insert and remove them. Every button works without
 * JavaScript. With it, files are uploaded as soon as they are chosen.
 */
export function Pictures(props: Shelf) {
  const { values, kind, errors, onChange, onBegun, onUploaded } = props;
  const [shelf, setShelf] = useState<Contents>(() => ({
    image_ids: idsOf(values.images),
    audio_ids: idsOf(values.audios),
    film_id: values.video_media_id ?? "",
    images: props.images,
    media: props.media,
  }));
  const changeShelf = (next: Partial<Contents>) => {
    setShelf((now) => ({ ...now, ...next }));
    onChange();
  };
  const addUploaded = (uploaded: Uploaded, file: File) => {
    setShelf((now) => withUploaded(now, uploaded));
    onUploaded(uploaded, file);
  };
  const title = kind === "video" ? "ファイル" : kind === "blog" || kind === "text" ? "画像と音声" : "画像";
  const notes = { name: "images", errors: errors.images ?? refusedFiles(values), hint: hints[kind] };
  const { id: _, name: __, ...input_attributes } = attributesOf(notes);
  return (
    <section className="card post-files" id="pictures" aria-labelledby="pictures-title">
      <h2 className="section-title" id="pictures-title">
        {title}
      </h2>
      <PictureList
        {...props}
        images={shelf.images}
        ids={shelf.image_ids}
        onMove={(image_ids) => changeShelf({ image_ids })}
      />
      {kind !== "mail" && <MediaList {...props} {...shelf} />}
      <UploadField
        id="post-file"
        label="ファイルを選ぶ"
        accept={accepted[kind]}
        is_for_newsletter={kind === "mail"}
        refuse={(file, before) => {
          if (!isPicture(file)) return null;
          const place = shelf.image_ids.length + before.filter(isPicture).length;
          return place < IMAGES_IN_A_POST ? null : `画像は${IMAGES_IN_A_POST}枚までです。`;
        }}
        onBegun={onBegun}
        onUploaded={addUploaded}
        notes={<Notes {...notes} />}
        input_attributes={input_attributes}
      />
    </section>
  );
}

const isPicture = ({ type }: File) => type.startsWith("image/");

/** The ids of the post's files, in order. */
interface Contents {
  image_ids: readonly string[];
  audio_ids: readonly string[];
  film_id: string;
  /** The API's data of the pictures. */
  images: readonly Image[];
  media: readonly MediaFile[];
}

/** The errors of files that were refused without JavaScript. They stay until the form is saved again. */
const refusedFiles = ({ refused_files }: Values) => refused_files?.split("\n");

/** Adds an upload: pictures and audio at the end; a video replaces the old one. */
function withUploaded(shelf: Contents, uploaded: Uploaded): Contents {
  if (uploaded.image) {
    const { image } = uploaded;
    return { ...shelf, images: [...shelf.images, image], image_ids: [...shelf.image_ids, image.image_id] };
  }
  const { media } = uploaded;
  const known = { ...shelf, media: [...shelf.media, media] };
  if (media.kind === "video") return { ...known, film_id: media.media_id };
  return { ...known, audio_ids: [...shelf.audio_ids, media.media_id] };
}

/** The audio and video files. */
function MediaList({ media, kind, audio_ids, film_id, onInsert }: Shelf & Contents) {
  const is_alive = useHydrated();
  const film = media.find(({ media_id }) => media_id === film_id);
  const sounds = audio_ids.flatMap((id) => media.find(({ media_id }) => media_id === id) ?? []);
  const uploads = { image_ids: [], media_ids: audio_ids };
  return (
    <>
      {kind === "video" && film_id && (
        <div className="field">
          <label className="check">
            <input type="checkbox" name="video_media_id" value={film_id} defaultChecked />
            <span>アップロードした動画を使う</span>
          </label>
          {/* biome-ignore lint/a11y/useMediaCaption: the writer previews their own video. */}
          {film && <video className="post-film" src={film.url} controls preload="none" />}
        </div>
      )}
      {sounds.length > 0 && (
        <ul className="sounds">
          {sounds.map(({ media_id, url }, index) => {
            const mark = audioMark(media_id, uploads);
            return (
              <li key={media_id}>
                {/* biome-ignore lint/a11y/useMediaCaption: the writer previews their own audio. */}
                <audio src={url} controls preload="none" aria-label={`音声${index + 1}`} />
                <p className="field-hint">
                  本文に置くには <code>{mark}</code> と1行に書きます。
                </p>
                {is_alive && (
                  <button
                    type="button"
                    className="button button-gray-outline button-sm"
                    aria-label={`音声${index + 1}を本文に入れる`}
                    onClick={() => onInsert(mark)}
                  >
                    本文に入れる
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <input type="hidden" name="audios" value={audio_ids.join(" ")} readOnly />
    </>
  );
}
