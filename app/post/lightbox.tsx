import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Image } from "../../workers/contract/fields.ts";
import { CloseIcon, NextIcon, PreviousIcon, ZoomIcon } from "../ui/icons.tsx";

/**
 * The pictures of a post, one at a time over the page: by the arrow keys, by a swipe (the strip is scrolled, so a finger
 * needs no script), by buttons. Esc and the back gesture close it, as they close every dialog.
 */
export default function Lightbox(props: {
  images: readonly Image[];
  /** Which is shown first, from 0. */
  opened: number;
  title: string;
  onClose: () => void;
}) {
  const { images, opened, title, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const strip = useRef<HTMLUListElement>(null);
  const [shown, setShown] = useState(opened);
  const [is_zoomed, setZoomed] = useState(false);
  const last = images.length - 1;

  useEffect(() => {
    dialog.current?.showModal();
    strip.current?.children[opened]?.scrollIntoView({ behavior: "instant", inline: "start", block: "nearest" });
  }, [opened]);

  const go = (to: number) => {
    const index = Math.min(Math.max(to, 0), last);
    setZoomed(false);
    setShown(index);
    const is_still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    strip.current?.children[index]?.scrollIntoView({
      behavior: is_still ? "instant" : "smooth",
      inline: "start",
      block: "nearest",
    });
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: shown + 1, ArrowLeft: shown - 1, Home: 0, End: last };
    const to = steps[key];
    // A picture that is larger than the window is moved by its own arrows.
    if (to !== undefined && !is_zoomed) go(to);
  };
  const image = images[shown];

  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: the keys of a dialog belong to all of it.
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
              onDoubleClick={() => setZoomed(!is_zoomed)}
            />
          </li>
        ))}
      </ul>
      <p className="lightbox-count" aria-live="polite">
        {shown + 1} / {images.length}
      </p>
      {image?.alt && <p className="lightbox-alt">{image.alt}</p>}
      <div className="lightbox-buttons">
        <button type="button" aria-label="前の画像" disabled={shown === 0} onClick={() => go(shown - 1)}>
          <PreviousIcon />
        </button>
        <button type="button" aria-label="次の画像" disabled={shown === last} onClick={() => go(shown + 1)}>
          <NextIcon />
        </button>
        <button type="button" aria-label="拡大" aria-pressed={is_zoomed} onClick={() => setZoomed(!is_zoomed)}>
          <ZoomIcon />
        </button>
        <button type="button" aria-label="閉じる" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </div>
    </dialog>
  );
}
