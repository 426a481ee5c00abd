import { BANNER_SIZES } from "../../../../workers/contract/share-card.ts";
import { getProfile } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { bannerOf, bannerPath } from "../../../crawlers/share-card.ts";
import { v4Context } from "../../../request/context.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { CopyCode } from "../../../ui/copy-field.tsx";
import type { Route } from "./+types/site.ts";
import { frameCode, htmlCode, type LinkedPicture, markdownCode } from "./codes.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "サイトに置く", is_unlisted: true });

/** The files of `public/share-buttons`. */
const BUTTONS = [
  { id: "send-dark", title: "ボタン（濃い色）", width: 177, height: 48 },
  { id: "send-light", title: "ボタン（淡い色）", width: 177, height: 48 },
  { id: "badge", title: "バッジ", width: 130, height: 20 },
];

const BANNER_USES = {
  "1500x500": "SNSのヘッダーに",
  "728x90": "サイトの上や下に",
  "300x250": "サイトの横に",
  "1080x1080": "SNSの投稿に（QRコード入り）",
} as const;

export async function loader({ url: { origin }, context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  const { name, link_id } = user;
  const letter = `${name}さんにofuseを送る`;
  const codesOf = (picture: LinkedPicture) => ({ html: htmlCode(picture), markdown: markdownCode(picture) });
  const href = `${origin}/${link_id}/ofuse`;
  const buttons = BUTTONS.map(({ id, title, width, height }) => {
    const path = `/share-buttons/${id}.svg`;
    return { id, title, path, width, height, ...codesOf({ href, src: origin + path, alt: letter, width, height }) };
  });
  const banners = await Promise.all(
    BANNER_SIZES.map(async (size) => {
      const [width = 0, height = 0] = size.split("x").map(Number);
      // The address without a version leads to the newest picture: a changed name or icon shows on other sites too.
      const src = `${origin}/share-images/${link_id}/banner-${size}.png`;
      return {
        id: size,
        title: `${width} × ${height}`,
        use: BANNER_USES[size],
        path: await bannerPath(bannerOf(user, size, origin)),
        file: `ofuse-${link_id}-${size}.png`,
        width,
        height,
        ...codesOf({ href, src, alt: letter, width, height }),
      };
    }),
  );
  const embed_path = `/${link_id}/embed`;
  return { letter, buttons, banners, embed_path, frame: frameCode(origin + embed_path, letter) };
}

export default function SiteParts({ loaderData }: Route.ComponentProps) {
  const { letter, buttons, banners, embed_path, frame } = loaderData;
  return (
    <div className="share-parts">
      <section className="card form">
        <h2 className="section-title">ボタンとバッジ</h2>
        <p>ブログやポートフォリオに貼ると、押した人に手紙のページが開きます。</p>
        <ul className="share-codes">
          {buttons.map(({ id, title, path, width, height, html, markdown }) => (
            <li key={id}>
              <p className="share-ground">
                <img src={path} alt={`${title}：${letter}`} width={width} height={height} loading="lazy" />
              </p>
              <Codes id={id} title={title} html={html} markdown={markdown} />
            </li>
          ))}
        </ul>
      </section>
      <section className="card form">
        <h2 className="section-title">埋め込みフォーム</h2>
        <p>手紙を書く欄を、あなたのサイトに置けます。書いた言葉はofuseのページに移り、そこで確かめてから送られます。</p>
        <CopyCode id="embed-code" label="埋め込みフォームのHTML" code={frame} />
        <p className="field-hint">
          {`配色は見る人の端末に合わせます。決めておくときは、アドレスを「…${embed_path}?theme=light」か「…${embed_path}?theme=dark」にしてください。`}
        </p>
        <p>
          <a href={embed_path} target="_blank" rel="noopener noreferrer">
            見た目を確かめる
          </a>
        </p>
      </section>
      <section className="card form">
        <h2 className="section-title">バナー画像</h2>
        <p>あなたのアイコンと名前が入ります。</p>
        <ul className="share-codes">
          {banners.map(({ id, title, use, path, file, width, height, html, markdown }) => (
            <li key={id}>
              <img
                className="share-banner"
                src={path}
                alt={`バナー（${title}）：${letter}`}
                width={width}
                height={height}
                loading="lazy"
              />
              <p className="share-picture-line">
                <span>
                  <b>{title}</b> {use}
                </span>
                <a
                  href={path}
                  download={file}
                  className={buttonClass({ variant: "gray-outline", size: "sm" })}
                  aria-label={`バナー（${title}）を保存`}
                >
                  保存
                </a>
              </p>
              <Codes id={`banner-${id}`} title={`バナー（${title}）`} html={html} markdown={markdown} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Codes({ id, title, html, markdown }: { id: string; title: string; html: string; markdown: string }) {
  return (
    <details>
      <summary aria-label={`${title}のコードを見る`}>コードを見る</summary>
      <div className="form">
        <CopyCode id={`${id}-html`} label={`${title}のHTML`} code={html} />
        <CopyCode id={`${id}-markdown`} label={`${title}のMarkdown`} code={markdown} />
      </div>
    </details>
  );
}
