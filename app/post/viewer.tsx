import type { Image } from "../../workers/contract/fields.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { NextIcon, PreviousIcon, ZoomIcon } from "./icons.tsx";

/**
 * The pictures of a post over the page, without JavaScript. The URL's fragment names one (`#picture-3`), which shows
 * the strip and scrolls to it. Swipes and arrow keys scroll further. Going back closes it, and so does its close link,
 * which leads to the same picture in the page. The visitors' script adds Esc (visitor/later.ts).
 */
export function Viewer(props: { images: readonly Image[]; picturePath: (image: Image) => string; title: string }) {
  const { images, picturePath, title } = props;
  return (
    <section className="lightbox viewer" aria-label={`${title}の画像`}>
      <ul className="lightbox-strip">
        {images.map((image, index) => {
          const { image_id, medium_url, srcset, alt, width, height } = image;
          const number = index + 1;
          return (
            <li key={image_id} id={`picture-${number}`} tabIndex={-1}>
              <img
                src={medium_url}
                srcSet={srcset ?? undefined}
                sizes={srcset ? "100vw" : undefined}
                alt={alt}
                width={width}
                height={height}
                loading="lazy"
                decoding="async"
              />
              <p className="lightbox-count">
                {number} / {images.length}
              </p>
              {alt && <p className="lightbox-alt">{alt}</p>}
              <p className="lightbox-buttons">
                {index > 0 && (
                  <a href={`#picture-${number - 1}`} aria-label="前の画像">
                    <PreviousIcon />
                  </a>
                )}
                {number < images.length && (
                  <a href={`#picture-${number + 1}`} aria-label="次の画像">
                    <NextIcon />
                  </a>
                )}
                <a href={picturePath(image)} aria-label="この画像だけのページを開く">
                  <ZoomIcon />
                </a>
                <a href={`#shown-${number}`} className="viewer-close" aria-label="閉じる">
                  <CloseIcon />
                </a>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
