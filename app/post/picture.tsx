import type { Image } from "../../workers/contract/fields.ts";

interface PictureProps {
  image: Image;
  /** How wide the picture is shown, as `sizes` of an `img` says it. */
  sizes: string;
  /** The page's largest: asked for before anything else, and preloaded from the head. All others wait until they are near. */
  is_first?: boolean;
  /** Asked for at once, like the rest of what is seen first, but before nothing else. */
  is_eager?: boolean;
  /** Its likeness stands in until it is there. For what is seen at once: further down it would only make the page heavier. */
  with_placeholder?: boolean;
}

/** A picture of a post, in the size its reader's screen takes. */
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

/** The tiny likeness of a picture, drawn as wide as the picture. Not a background: the page's policy lets no element style itself. */
export function Blur({ src }: { src: string }) {
  return <img className="blur" src={src} alt="" width="16" height="9" loading="lazy" />;
}
