import { lazy, Suspense, useState } from "react";
import { Link } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { Picture } from "./picture.tsx";

const Lightbox = lazy(() => import("./lightbox.tsx"));

const WHOLE = "(min-width: 800px) 718px, calc(100vw - 34px)";
const PART = "(min-width: 800px) 236px, 46vw";

/**
 * The pictures of a post: the first in full, the others beside one another. Each is a link to the page that shows it alone; where
 * there is a script it opens over the page instead.
 */
export function Gallery(props: { images: readonly Image[]; picturePath: (image: Image) => string; title: string }) {
  const { images, picturePath, title } = props;
  const [opened, setOpened] = useState<number | null>(null);
  return (
    <div className="gallery">
      {images.map((image, index) => (
        <Link
          key={image.image_id}
          to={picturePath(image)}
          aria-label={`${index + 1}枚目を大きく見る${image.alt && `：${image.alt}`}`}
          onClick={(click) => {
            if (click.metaKey || click.ctrlKey || click.shiftKey) return;
            click.preventDefault();
            setOpened(index);
          }}
        >
          <Picture image={image} sizes={index === 0 ? WHOLE : PART} is_first={index === 0} />
        </Link>
      ))}
      {opened !== null && (
        <Suspense>
          <Lightbox images={images} opened={opened} title={title} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </div>
  );
}
