import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";
import type { Image } from "../../workers/contract/fields.ts";
import { Picture } from "./picture.tsx";
import { Viewer } from "./viewer.tsx";

type Lightbox = ComponentType<{ images: readonly Image[]; opened: number; title: string; onClose: () => void }>;

const Lightbox = lazy<Lightbox>(() => import("./lightbox.tsx").catch(() => ({ default: ViewerInstead })));

/** Opens the viewer, which needs no script, if the lightbox cannot be loaded. */
const ViewerInstead: Lightbox = ({ opened, onClose }) => {
  useEffect(() => {
    location.hash = `picture-${opened + 1}`;
    onClose();
  });
  return null;
};

const WHOLE = "(min-width: 800px) 718px, calc(100vw - 34px)";

/**
 * The pictures of a post, one below the other, uncropped. Each links to the viewer over the page. With JavaScript, it
 * opens the lightbox instead, which can also enlarge pictures.
 */
export function Gallery(props: { images: readonly Image[]; picturePath: (image: Image) => string; title: string }) {
  const { images, picturePath, title } = props;
  const [opened, setOpened] = useState<number | null>(null);
  return (
    <>
      <div className="gallery">
        {images.map((image, index) => (
          <a
            key={image.image_id}
            id={`shown-${index + 1}`}
            href={`#picture-${index + 1}`}
            aria-label={`${index + 1}枚目を大きく見る${image.alt && `：${image.alt}`}`}
            onClick={(click) => {
              if (click.metaKey || click.ctrlKey || click.shiftKey) return;
              click.preventDefault();
              setOpened(index);
            }}
          >
            <Picture image={image} sizes={WHOLE} is_first={index === 0} />
          </a>
        ))}
      </div>
      <Viewer images={images} picturePath={picturePath} title={title} />
      {opened !== null && (
        <Suspense>
          <Lightbox images={images} opened={opened} title={title} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </>
  );
}
