import { Link } from "react-router";
import type { Image } from "../../workers/contract/fields.ts";
import { Picture } from "./picture.tsx";

/** The URL of the largest size, which is last in the `srcset`. */
const largestOf = ({ srcset, medium_url }: Image) => srcset?.split(", ").at(-1)?.split(" ")[0] || medium_url;

/**
 * A page with one picture of a post, as large as the window, and links to the previous and the next. `pathOf` counts
 * from 1.
 */
export function PicturePage(props: {
  images: readonly Image[];
  number: number;
  title: string;
  path: string;
  pathOf: (number: number) => string;
}) {
  const { images, number, title, path, pathOf } = props;
  const image = images[number - 1];
  if (!image) return null;
  return (
    <section className="picture-page" aria-labelledby="picture-title">
      <div className="page-head">
        <h1 id="picture-title">
          <Link to={path}>{title}</Link>
        </h1>
        <span className="pager-page">
          {number} / {images.length}
        </span>
      </div>
      {/* Links to the image file, in which every browser can zoom. */}
      <a href={largestOf(image)} aria-label={`${image.alt || `${number}枚目の画像`}（拡大して表示）`}>
        <Picture image={image} sizes="(min-width: 1200px) calc(100vw - 304px), 100vw" is_first />
      </a>
      {image.alt && <p className="picture-alt">{image.alt}</p>}
      {images.length > 1 && (
        <>
          <nav className="pager" aria-label="画像の送り">
            {number > 1 ? (
              <Link to={pathOf(number - 1)} rel="prev" className="button button-gray-outline" preventScrollReset>
                前の画像
              </Link>
            ) : (
              <span />
            )}
            <Link to={path}>投稿に戻る</Link>
            {number < images.length ? (
              <Link to={pathOf(number + 1)} rel="next" className="button button-gray-outline" preventScrollReset>
                次の画像
              </Link>
            ) : (
              <span />
            )}
          </nav>
          <ul className="picture-strip" aria-label="この投稿の画像">
            {images.map((each, index) => (
              <li key={each.image_id}>
                <Link
                  to={pathOf(index + 1)}
                  aria-label={`${index + 1}枚目`}
                  aria-current={index + 1 === number ? "page" : undefined}
                  preventScrollReset
                >
                  <Picture image={each} sizes="96px" />
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
