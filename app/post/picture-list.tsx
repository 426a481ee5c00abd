import { type DragEvent, type LiHTMLAttributes, type MouseEvent, useEffect, useRef } from "react";
import type { Image } from "../../workers/contract/fields.ts";
import { useHydrated } from "../ui/hydrated.ts";
import { Notes } from "./fields.tsx";
import { imageMark } from "./marks.ts";
import { type FormKind, movedIds, type Values } from "./values.ts";

interface PictureListProps {
  values: Values;
  /** The API's data of the pictures. */
  images: readonly Image[];
  /** The ids of the pictures, in order. */
  ids: readonly string[];
  kind: FormKind;
  errors: Readonly<Record<string, readonly string[] | undefined>>;
  /** Called with the new order after a picture was moved. */
  onMove: (ids: readonly string[]) => void;
  /** Called with the mark of a picture, to insert it into the text. */
  onInsert: (mark: string) => void;
  onRemove: (image_id: string) => void;
}

type Way = "up" | "down" | "remove";

/** The pictures of a post, with buttons to reorder, describe, insert and remove them, and to choose the cover. */
export function PictureList(props: PictureListProps) {
  const { values, images, ids, kind, errors } = props;
  const { list, press, dragOf } = usePictureOrder(props);
  const has_cover = mayHaveCover(kind) && ids.length > 0;
  return (
    <>
      <input type="hidden" name="images" value={ids.join(" ")} readOnly />
      {ids.length > 0 && (
        <ul className="pictures" ref={list}>
          {ids.map((image_id, index) => (
            <li key={image_id} className="picture-item" {...dragOf(image_id)}>
              <Thumbnail image={images.find((image) => image.image_id === image_id)} />
              <PictureFields {...props} image_id={image_id} index={index} press={press} />
            </li>
          ))}
        </ul>
      )}
      {has_cover && (
        <label className="check">
          <input type="radio" name="cover_image_id" value="" defaultChecked={!values.cover_image_id} />
          <span>表紙は選ばない（本文の最初の画像が使われます）</span>
        </label>
      )}
      <Notes name="cover_image_id" errors={errors.cover_image_id} />
    </>
  );
}

/** The first picture of a post of pictures is its cover. A newsletter has none. */
const mayHaveCover = (kind: FormKind) => kind !== "image" && kind !== "mail";

/** Reorders pictures by buttons and by dragging, without reloading the page. */
function usePictureOrder({ ids, onMove, onRemove }: Pick<PictureListProps, "ids" | "onMove" | "onRemove">) {
  const is_alive = useHydrated();
  const list = useRef<HTMLUListElement>(null);
  /** The button that gets the focus after the move. */
  const focused = useRef<string>(null);
  const dragged = useRef<string>(null);
  useEffect(() => {
    if (!focused.current) return;
    list.current?.querySelector<HTMLElement>(`[data-focus="${focused.current}"]`)?.focus();
    focused.current = null;
  });
  const moveTo = (image_id: string, to: number) => onMove(movedIds(ids, ids.indexOf(image_id), to));
  const onPress = (event: MouseEvent, image_id: string, way: Way) => {
    event.preventDefault();
    if (way === "remove") {
      onMove(ids.filter((id) => id !== image_id));
      onRemove(image_id);
      return;
    }
    const to = ids.indexOf(image_id) + (way === "up" ? -1 : 1);
    // At either end the pressed button disappears, so focus the other one.
    const is_end = to === 0 || to === ids.length - 1;
    focused.current = `${image_id}:${is_end ? (way === "up" ? "down" : "up") : way}`;
    moveTo(image_id, to);
  };
  const dragOf = (image_id: string): LiHTMLAttributes<HTMLLIElement> => ({
    draggable: is_alive || undefined,
    onDragStart: () => {
      dragged.current = image_id;
    },
    onDragOver: (event: DragEvent) => {
      if (dragged.current) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      if (!dragged.current) return;
      event.preventDefault();
      moveTo(dragged.current, ids.indexOf(image_id));
      dragged.current = null;
    },
  });
  return { list, press: onPress, dragOf };
}

function Thumbnail({ image }: { image: Image | undefined }) {
  if (!image) return <span className="picture-thumbnail" />;
  return (
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
  );
}

interface PictureFieldsProps extends PictureListProps {
  image_id: string;
  index: number;
  press: (event: MouseEvent, image_id: string, way: Way) => void;
}

/** The description of one picture, its buttons, its mark and the choice as cover. */
function PictureFields(props: PictureFieldsProps) {
  const { values, ids, image_id, index, kind, errors, press, onInsert } = props;
  const is_alive = useHydrated();
  const name = `画像${index + 1}`;
  const alt = `alt.${image_id}`;
  const mark = imageMark(image_id, { image_ids: ids, media_ids: [] });
  const renderButton = (way: Way, label: string, shown: string) => (
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
    <div className="picture-fields">
      <label htmlFor={`post-${alt}`}>
        {name}の説明<span className="field-hint">（見えない人に読み上げられます）</span>
      </label>
      <input id={`post-${alt}`} name={alt} className="control" defaultValue={values[alt] ?? ""} autoComplete="off" />
      <Notes name={alt} errors={errors[alt]} />
      <p className="picture-buttons">
        {kind !== "mail" && index > 0 && renderButton("up", "前へ移す", "↑ 前へ")}
        {kind !== "mail" && index < ids.length - 1 && renderButton("down", "後ろへ移す", "↓ 後ろへ")}
        {renderButton("remove", "外す", "外す")}
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
      {mayHaveCover(kind) && (
        <label className="check">
          <input
            type="radio"
            name="cover_image_id"
            value={image_id}
            defaultChecked={values.cover_image_id === image_id}
          />
          <span>{name}を表紙にする</span>
        </label>
      )}
    </div>
  );
}
