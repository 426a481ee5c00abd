import { type DragEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { ALT_GRAPHEMES, IMAGES_IN_A_POST } from "../../workers/contract/bounds.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import type { Uploaded } from "../browser/upload.ts";
import { useHydrated } from "../ui/hydrated.ts";
import { UploadField } from "../uploads/upload-field.tsx";
import { Notes } from "./fields.tsx";
import { audioMark, imageMark } from "./marks.ts";
import { idsOf, movedIds, type PostKind, type Values } from "./values.ts";

/** What files of each kind of post may be. The server looks at the files themselves. */
const accepted: Record<PostKind, string> = {
  blog: "image/png,image/jpeg,image/webp,image/avif,image/gif,audio/*",
  text: "image/png,image/jpeg,image/webp,image/avif,image/gif,audio/*",
  image: "image/png,image/jpeg,image/webp,image/avif,image/gif",
  video: "video/mp4,video/webm,image/png,image/jpeg,image/webp,image/avif,image/gif",
};

const hints: Record<PostKind, string> = {
  blog: "本文に置いた画像と音声だけが投稿に出ます。画像は1枚10MB、音声は200MBまで。",
  text: "本文に置いた画像と音声だけが投稿に出ます。画像は1枚10MB、音声は200MBまで。",
  image: `この順に並びます。最初の1枚が表紙です。${IMAGES_IN_A_POST}枚まで、1枚10MBまで。`,
  video: "動画はMP4かWebMで200MBまで。画像を加えると、表紙に選べます。",
};

interface Shelf {
  values: Values;
  images: readonly Image[];
  media: readonly MediaFile[];
  kind: PostKind;
  errors: Readonly<Record<string, readonly string[] | undefined>>;
  /** Something changed that is none of the form's typed fields. */
  onChange: () => void;
  onBegun: (file: File) => void;
  onUploaded: (uploaded: Uploaded, file: File) => void;
  /** Takes a mark of the text's, to be put where it is written. */
  onInsert: (mark: string) => void;
  onRemove: (image_id: string) => void;
}

/**
 * What the post has of files: to be ordered, described, put into the text and taken away. Every button works as HTML; with a
 * script files are sent as soon as they are chosen.
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
  const change = (next: Partial<Contents>) => {
    setShelf((now) => ({ ...now, ...next }));
    onChange();
  };
  const take = (uploaded: Uploaded, file: File) => {
    setShelf((now) => withUploaded(now, uploaded));
    onUploaded(uploaded, file);
  };
  const title = kind === "video" ? "ファイル" : kind === "image" ? "画像" : "画像と音声";
  return (
    <section className="card post-files" id="pictures" aria-labelledby="pictures-title">
      <h2 className="section-title" id="pictures-title">
        {title}
      </h2>
      <PictureList {...props} {...shelf} change={change} />
      <MediaList {...props} {...shelf} />
      <UploadField
        id="post-file"
        label="ファイルを選ぶ"
        accept={accepted[kind]}
        refuse={(file, before) => {
          if (!isPicture(file)) return null;
          const place = shelf.image_ids.length + before.filter(isPicture).length;
          return place < IMAGES_IN_A_POST ? null : `画像は${IMAGES_IN_A_POST}枚までです。`;
        }}
        onBegun={onBegun}
        onUploaded={take}
        notes={<Notes name="images" errors={errors.images ?? refusedFiles(values)} hint={hints[kind]} />}
      />
    </section>
  );
}

const isPicture = ({ type }: File) => type.startsWith("image/");

/** What is on the shelf, in order. */
interface Contents {
  image_ids: readonly string[];
  audio_ids: readonly string[];
  film_id: string;
  /** What is known of them. */
  images: readonly Image[];
  media: readonly MediaFile[];
}

/** What was said of files that were sent with the form and not taken: it stays until the form is saved again. */
const refusedFiles = ({ refused_files }: Values) => refused_files?.split("\n");

/** Pictures and sound after those that are there, film in the place of another. */
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

function PictureList(props: Shelf & Contents & { change: (next: Partial<Contents>) => void }) {
  const { values, images, image_ids: ids, kind, errors, change, onInsert, onRemove } = props;
  const is_alive = useHydrated();
  const list = useRef<HTMLUListElement>(null);
  const focused = useRef<string>(null);
  const dragged = useRef<string>(null);
  const byId = new Map(images.map((image) => [image.image_id, image]));
  const uploads = { image_ids: ids, media_ids: [] };
  useEffect(() => {
    if (!focused.current) return;
    list.current?.querySelector<HTMLElement>(`[data-focus="${focused.current}"]`)?.focus();
    focused.current = null;
  });
  const move = (image_id: string, to: number) => change({ image_ids: movedIds(ids, ids.indexOf(image_id), to) });
  /** As the form's own button would, without leaving the page. */
  const press = (event: MouseEvent, image_id: string, way: "up" | "down" | "remove") => {
    event.preventDefault();
    const at = ids.indexOf(image_id);
    if (way === "remove") {
      change({ image_ids: ids.filter((id) => id !== image_id) });
      onRemove(image_id);
      return;
    }
    const to = way === "up" ? at - 1 : at + 1;
    // At an end the button is gone: the other one has the focus then.
    const is_end = to === 0 || to === ids.length - 1;
    focused.current = `${image_id}:${is_end ? (way === "up" ? "down" : "up") : way}`;
    move(image_id, to);
  };
  const drop = (event: DragEvent, image_id: string) => {
    if (!dragged.current) return;
    event.preventDefault();
    move(dragged.current, ids.indexOf(image_id));
    dragged.current = null;
  };
  return (
    <>
      <input type="hidden" name="images" value={ids.join(" ")} readOnly />
      {ids.length > 0 && (
        <ul className="pictures" ref={list}>
          {ids.map((image_id, index) => {
            const image = byId.get(image_id);
            const name = `画像${index + 1}`;
            const mark = imageMark(image_id, uploads);
            const alt = `alt.${image_id}`;
            const button = (way: "up" | "down" | "remove", label: string, shown: string) => (
              <button
                type="submit"
                name="move"
                value={`${image_id}:${way}`}
                className="button button-gray-outline button-sm"
                aria-label={`${name}を${label}`}
                data-focus={`${image_id}:${way}`}
                onClick={(event) => press(event, image_id, way)}
              >
                {shown}
              </button>
            );
            return (
              <li
                key={image_id}
                className="picture-item"
                draggable={is_alive || undefined}
                onDragStart={() => {
                  dragged.current = image_id;
                }}
                onDragOver={(event) => dragged.current && event.preventDefault()}
                onDrop={(event) => drop(event, image_id)}
              >
                {image ? (
                  <img
                    className="picture-thumbnail"
                    src={image.medium_url}
                    srcSet={image.srcset ?? undefined}
                    sizes="120px"
                    alt=""
                    width={image.width}
                    height={image.height}
                    loading="lazy"
                    decoding="async"
                    draggable={false}
                  />
                ) : (
                  <span className="picture-thumbnail" />
                )}
                <div className="picture-fields">
                  <label htmlFor={`post-${alt}`}>
                    {name}の説明<span className="field-hint">（見えない人に読み上げられます）</span>
                  </label>
                  <input
                    id={`post-${alt}`}
                    name={alt}
                    className="control"
                    defaultValue={values[alt] ?? ""}
                    maxLength={ALT_GRAPHEMES * 2}
                    autoComplete="off"
                  />
                  <Notes name={alt} errors={errors[alt]} />
                  <p className="picture-buttons">
                    {index > 0 && button("up", "前へ移す", "↑ 前へ")}
                    {index < ids.length - 1 && button("down", "後ろへ移す", "↓ 後ろへ")}
                    {button("remove", "外す", "外す")}
                    {kind !== "image" && is_alive && (
                      <button
                        type="button"
                        className="button button-gray-outline button-sm"
                        aria-label={`${name}を本文に入れる`}
                        onClick={() => onInsert(mark)}
                      >
                        本文に入れる
                      </button>
                    )}
                  </p>
                  {kind !== "image" && (
                    <p className="field-hint">
                      本文に置くには <code>{mark}</code> と1行に書きます。
                    </p>
                  )}
                  {kind !== "image" && (
                    <label className="check">
                      <input
                        type="radio"
                        name="cover_image_id"
                        value={image_id}
                        defaultChecked={values.cover_image_id === image_id}
                      />
                      <span>表紙にする</span>
                    </label>
                  )}
                </div>
              </li>
            );
          })}
        </ul>
      )}
      {kind !== "image" && ids.length > 0 && (
        <label className="check">
          <input type="radio" name="cover_image_id" value="" defaultChecked={!values.cover_image_id} />
          <span>表紙は選ばない（本文の最初の画像が使われます）</span>
        </label>
      )}
      <Notes name="cover_image_id" errors={errors.cover_image_id} />
    </>
  );
}

/** Sound and film. */
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
          {/* biome-ignore lint/a11y/useMediaCaption: the writer's own film, looked at before it is shown to others. */}
          {film && <video className="post-film" src={film.url} controls preload="none" />}
        </div>
      )}
      {sounds.length > 0 && (
        <ul className="sounds">
          {sounds.map(({ media_id, url }, index) => {
            const mark = audioMark(media_id, uploads);
            return (
              <li key={media_id}>
                {/* biome-ignore lint/a11y/useMediaCaption: as above. */}
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
