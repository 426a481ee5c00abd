import { type DragEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { ALT_GRAPHEMES, IMAGES_IN_A_POST } from "../../workers/contract/bounds.ts";
import type { Image, MediaFile } from "../../workers/contract/fields.ts";
import { Button } from "../ui/button.tsx";
import { useHydrated } from "../ui/hydrated.ts";
import { Notes } from "./fields.tsx";
import { audioMark, imageMark } from "./markup.ts";
import { idsOf, movedIds, type PostKind, uploadsOf, type Values } from "./values.ts";

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
  /** Takes a mark of the text's, to be put where it is written. */
  onInsert: (mark: string) => void;
  onRemove: (image_id: string) => void;
}

/** What the post has of files: to be ordered, described, put into the text and taken away. Every button works as HTML. */
export function Pictures(props: Shelf) {
  const { values, images, kind, errors } = props;
  const title = kind === "video" ? "ファイル" : kind === "image" ? "画像" : "画像と音声";
  return (
    <section className="card post-files" id="pictures" aria-labelledby="pictures-title">
      <h2 className="section-title" id="pictures-title">
        {title}
      </h2>
      <PictureList {...props} key={`${values.images} ${images.length}`} />
      <MediaList {...props} />
      <div className="field">
        <label htmlFor="post-file">ファイルを選ぶ</label>
        <div className="upload-row">
          <input id="post-file" type="file" name="file" className="control" multiple accept={accepted[kind]} />
          <Button formAction="/my/uploads" formEncType="multipart/form-data" variant="gray-outline" data-upload="">
            アップロード
          </Button>
        </div>
        <Notes name="images" errors={errors.images} hint={hints[kind]} />
      </div>
    </section>
  );
}

function PictureList({ values, images, kind, errors, onChange, onInsert, onRemove }: Shelf) {
  const [ids, setIds] = useState(() => idsOf(values.images));
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
  const change = (next: string[]) => {
    setIds(next);
    onChange();
  };
  const move = (image_id: string, to: number) => change(movedIds(ids, ids.indexOf(image_id), to));
  /** As the form's own button would, without leaving the page. */
  const press = (event: MouseEvent, image_id: string, way: "up" | "down" | "remove") => {
    event.preventDefault();
    const at = ids.indexOf(image_id);
    if (way === "remove") {
      change(ids.filter((id) => id !== image_id));
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
function MediaList({ values, media, kind, onInsert }: Shelf) {
  const is_alive = useHydrated();
  const uploads = uploadsOf(values);
  const film = media.find(({ media_id }) => media_id === values.video_media_id);
  const sounds = media.filter(({ media_id }) => uploads.media_ids.includes(media_id));
  return (
    <>
      {kind === "video" && values.video_media_id && (
        <div className="field">
          <label className="check">
            <input type="checkbox" name="video_media_id" value={values.video_media_id} defaultChecked />
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
      <input type="hidden" name="audios" value={values.audios ?? ""} />
    </>
  );
}
