import type { Image } from "../../workers/contract/fields.ts";

interface PictureProps {
  image: Image;
  /** The `sizes` attribute: how wide the picture is shown. */
  sizes: string;
  /**
   * True for the page's main picture. The browser preloads it with high priority; it loads all other pictures lazily.
   */
  is_first?: boolean;
  /** True loads the picture at once, but with normal priority, because it is visible at first. */
  is_eager?: boolean;
  /**
   * True shows the blurred likeness until the picture is loaded. Use it only for pictures that are visible at first:
   * further down it would only add bytes.
   */
  with_placeholder?: boolean;
}

/** A picture of a post, in the size that fits the screen. */
export function Picture(props: PictureProps) {
  const { image, sizes, is_first = false, is_eager = false, with_placeholder = is_first || is_eager } = props;
  const { medium_url, srcset, alt, width, height, placeholder } = image;
  return (
    <span className="picture">
      {with_placeholder && placeholder && <Blur src={placeholder} />}
      <img
        src={medium_url}
        srcSet={srcset ?? undefined}
        sizes={srcset ? sizes : undefined}
        alt={alt}
        width={width}
        height={height}
        decoding="async"
        {...(is_first
          ? { fetchPriority: "high" as const }
          : { loading: is_eager ? ("eager" as const) : ("lazy" as const) })}
      />
    </span>
  );
}

/**
 * The blurred likeness, scaled to the size of the picture. An `img`, not a background, because the CSP forbids inline
 * styles.
 */
export function Blur({ src }: { src: string }) {
  return <img className="blur" src={src} alt="" width="16" height="9" loading="lazy" />;
}
