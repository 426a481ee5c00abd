import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Image } from "../../workers/contract/fields.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { NextIcon, PreviousIcon, ZoomIcon } from "./icons.tsx";

/** How far an arrow key moves a zoomed picture, in pixels. */
const STEP = 120;
const MIDDLE = { x: 0.5, y: 0.5 };

/**
 * The pictures of a post over the page, one at a time. Arrow keys, swipes (native scrolling) and buttons move between
 * them. Esc and the back gesture close it, as with every dialog.
 */
export default function Lightbox(props: {
  images: readonly Image[];
  /** The index of the picture that the lightbox shows first. */
  opened: number;
  title: string;
  onClose: () => void;
}) {
  const { images, opened, title, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const strip = useRef<HTMLUListElement>(null);
  const [shown, setShown] = useState(opened);
  const [is_zoomed, setZoomed] = useState(false);
  /** The point of a picture that stays in the centre when zooming, as fractions of its size. */
  const point = useRef(MIDDLE);
  const last = images.length - 1;

  // Scroll without animation: the next key press would interrupt it halfway.
  const showAt = useCallback((index: number) => {
    strip.current?.scrollTo({ left: index * strip.current.clientWidth, behavior: "instant" });
  }, []);
  useEffect(() => {
    dialog.current?.showModal();
    showAt(opened);
  }, [opened, showAt]);

  const goTo = (to: number) => {
    const index = Math.min(Math.max(to, 0), last);
    setZoomed(false);
    setShown(index);
    showAt(index);
  };
  const zoomedItem = () => strip.current?.children[shown];
  const zoomTo = (to: { x: number; y: number }) => {
    point.current = to;
    setZoomed(!is_zoomed);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on zooming only; then the viewer scrolls.
  useLayoutEffect(() => {
    const box = is_zoomed && zoomedItem();
    if (!box) return;
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = box;
    const { x, y } = point.current;
    box.scrollTo({ left: scrollWidth * x - clientWidth / 2, top: scrollHeight * y - clientHeight / 2 });
  }, [is_zoomed]);
  const onDoubleClick = ({ currentTarget, clientX, clientY }: MouseEvent) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    zoomTo({ x: (clientX - left) / width, y: (clientY - top) / height });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const steps: Record<string, number> = { ArrowRight: shown + 1, ArrowLeft: shown - 1, Home: 0, End: last };
    const ways: Record<string, [number, number]> = {
      ArrowRight: [STEP, 0],
      ArrowLeft: [-STEP, 0],
      ArrowDown: [0, STEP],
      ArrowUp: [0, -STEP],
    };
    const to = steps[key];
    const way = ways[key];
    // Prevent the default, or the browser would scroll the strip too.
    if (way || to !== undefined) event.preventDefault();
    // In a zoomed picture, arrow keys scroll the picture.
    if (is_zoomed) {
      if (way) zoomedItem()?.scrollBy({ left: way[0], top: way[1] });
    } else if (to !== undefined) goTo(to);
  };
  const image = images[shown];

  return (
    <dialog ref={dialog} className="lightbox" aria-label={title} onClose={onClose} onKeyDown={onKeyDown}>
      <ul
        ref={strip}
        className={is_zoomed ? "lightbox-strip lightbox-held" : "lightbox-strip"}
        onScrollEnd={({ currentTarget }) => setShown(Math.round(currentTarget.scrollLeft / currentTarget.clientWidth))}
      >
        {images.map(({ image_id, medium_url, srcset, alt, width, height }, index) => (
          <li key={image_id} className={is_zoomed && index === shown ? "lightbox-zoomed" : undefined}>
            <img
              src={medium_url}
              srcSet={srcset ?? undefined}
              sizes={srcset ? (is_zoomed ? "200vw" : "100vw") : undefined}
              alt={alt}
              width={width}
              height={height}
              loading={Math.abs(index - shown) < 2 ? "eager" : "lazy"}
              onDoubleClick={onDoubleClick}
            />
          </li>
        ))}
      </ul>
      <div role="status">
        <p className="lightbox-count">
          {shown + 1} / {images.length}
        </p>
        {image?.alt && <p className="lightbox-alt">{image.alt}</p>}
      </div>
      <div className="lightbox-buttons">
        <button type="button" aria-label="前の画像" aria-disabled={shown === 0} onClick={() => goTo(shown - 1)}>
          <PreviousIcon />
        </button>
        <button type="button" aria-label="次の画像" aria-disabled={shown === last} onClick={() => goTo(shown + 1)}>
          <NextIcon />
        </button>
        <button type="button" aria-label="拡大" aria-pressed={is_zoomed} onClick={() => zoomTo(MIDDLE)}>
          <ZoomIcon />
        </button>
        <button type="button" aria-label="閉じる" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </div>
    </dialog>
  );
}
