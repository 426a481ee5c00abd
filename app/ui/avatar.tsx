import type { Image } from "../../workers/contract/fields.ts";

/** A person's picture, round. Sizes are the spec's: 32 in the header, 48 in the drawer, 40 elsewhere, 96 on a profile. */
export function Avatar({ image, size = 40 }: { image: Image | null; size?: 32 | 40 | 48 | 96 }) {
  if (!image) {
    return (
      <svg className="avatar" width={size} height={size} viewBox="0 0 40 40" aria-hidden="true">
        <rect width="40" height="40" className="avatar-ground" />
        <circle cx="20" cy="15.5" r="7" className="avatar-figure" />
        <path d="M6 40c0-9 6.3-14.5 14-14.5S34 31 34 40z" className="avatar-figure" />
      </svg>
    );
  }
  // The name stands beside the picture, so the picture says nothing of its own.
  return <img className="avatar" src={image.medium_url} alt="" width={size} height={size} loading="lazy" />;
}
