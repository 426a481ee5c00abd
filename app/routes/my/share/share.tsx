import { Form, Link } from "react-router";
import { listUserEvents } from "../../../../workers/contract/events.ts";
import { getProfile } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { codePath, openUrl, type SharePicture, sharePicture } from "../../../crawlers/share-card.ts";
import { v4Context } from "../../../request/context.ts";
import { OneTimeHint } from "../../../shell/one-time-hint.tsx";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { FieldErrors, useMendable } from "../../../ui/form-errors.tsx";
import type { V4 } from "../../../v4/client.ts";
import type { Route } from "./+types/share.ts";
import { placesFor, readServer, serverPlace } from "./places.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "シェア", is_unlisted: true });

/** How many posts show the picture of their preview. */
const POSTS_SHOWN = 3;

export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const { user } = await v4.read(getProfile, {});
  const { name, link_id, user_id } = user;
  const address = `${url.origin}/${link_id}`;
  const text = `${name}のofuse`;
  const typed = url.searchParams.get("server");
  const host = typed === null ? null : readServer(typed);
  const [page_picture, posts] = await Promise.all([
    sharePicture({ creator: user }),
    loadPosts(v4.asVisitor(), user_id),
  ]);
  return {
    link_id,
    address,
    code: codePath(link_id, "svg"),
    code_files: [
      { name: "SVG", href: codePath(link_id, "svg"), file: `ofuse-${link_id}-qr.svg` },
      { name: "PNG", href: codePath(link_id, "png"), file: `ofuse-${link_id}-qr.png` },
    ],
    places: placesFor(text, address),
    server: typed === null ? null : { typed, place: host && { host, href: serverPlace(host, text, address) } },
    pictures: [
      { title: "あなたのページ", picture: page_picture, file: `ofuse-${link_id}` },
      ...posts.map(({ event_id, ...post }) => ({ ...post, file: `ofuse-${link_id}-${event_id.slice(-6)}` })),
    ].flatMap(({ picture, ...rest }) => (picture ? [{ ...rest, picture }] : [])),
  };
}

/** Returns the newest posts with the picture of their preview, as visitors see them. */
async function loadPosts(visitor: V4, user_id: string) {
  const query = { page_size: POSTS_SHOWN };
  const found = await visitor.part(listUserEvents, { params: { user_id }, query });
  return Promise.all(
    (found?.events ?? []).map(async (event) => {
      const { event_id, title, image } = event;
      const picture: SharePicture | null = openUrl(image) ? image : await sharePicture({ event });
      return { event_id, title, picture };
    }),
  );
}

export default function Share({ loaderData }: Route.ComponentProps) {
  const { link_id, address, code, code_files, places, server, pictures } = loaderData;
  return (
    <>
      <div className="share-parts">
        <section className="card form">
          <h2 className="section-title">あなたのページ</h2>
          <CopyField id="share-address" label="ページのURL" address={address} />
          <p>
            <Link to={`/${link_id}`}>ページを開く</Link>
          </p>
        </section>
        <section className="card form">
          <h2 className="section-title">QRコード</h2>
          <div className="share-code">
            <img
              className="qr-code"
              src={code}
              alt={`あなたのページ（${address}）を開くQRコード`}
              width={200}
              height={200}
            />
            <div className="share-code-words">
              <p>名刺や作品カード、イベントの机に。読み取ると、あなたのページが開きます。</p>
              <ul className="row">
                {code_files.map(({ name, href, file }) => (
                  <li key={name}>
                    <a href={href} download={file} className={buttonClass({ variant: "gray-outline" })}>
                      {name}で保存
                    </a>
                  </li>
                ))}
              </ul>
              <p>
                <Link to="/my/share/card">ショップカードを印刷する</Link>
              </p>
              <p className="field-hint">ユーザーIDを変えると、印刷したコードはしばらくして使えなくなります。</p>
            </div>
          </div>
        </section>
        <section className="card form" id="sns">
          <h2 className="section-title">SNSで知らせる</h2>
          <ul className="row">
            {places.map(({ name, href }) => (
              <li key={name}>
                <a
                  href={href}
                  target="_blank"
                  rel="noopener noreferrer"
                  className={buttonClass({ variant: "gray-outline" })}
                >
                  {name}
                </a>
              </li>
            ))}
          </ul>
          <Server key={server?.typed} server={server} />
        </section>
        <section className="card form">
          <h2 className="section-title">シェア画像</h2>
          <p>SNSやメッセージにURLを貼ると、この画像が表示されます。</p>
          <ul className="share-pictures">
            {pictures.map(({ title, picture, file }) => (
              <li key={file}>
                <img
                  src={picture.medium_url}
                  alt={picture.alt}
                  width={picture.width}
                  height={picture.height}
                  loading="lazy"
                />
                <p className="share-picture-line">
                  <span>{title}</span>
                  <a href={picture.medium_url} download={file} aria-label={`「${title}」の画像を保存`}>
                    保存
                  </a>
                </p>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <OneTimeHint id="share" is_floating>
        ページのURLをSNSのプロフィールに載せておくと、はじめての人にも見つけてもらえます。
      </OneTimeHint>
    </>
  );
}

/**
 * Asks for the server of a person who posts on Misskey or Mastodon. The answer is a link: a form of ours cannot lead to
 * another site, because the policy of our pages forbids it.
 */
function Server({ server }: { server: Route.ComponentProps["loaderData"]["server"] }) {
  const is_refused = server !== null && server.place === null;
  const [errors, onInput] = useMendable(
    is_refused ? ["サーバーの名前を「mstdn.jp」のように入力してください。"] : undefined,
  );
  return (
    <Form method="get" action="/my/share#sns" className="form" preventScrollReset>
      <div className="field" onInput={onInput}>
        <label htmlFor="server">MisskeyやMastodonのサーバー</label>
        <div className="copy-field">
          <input
            id="server"
            name="server"
            className="control"
            inputMode="url"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
            placeholder="misskey.io"
            defaultValue={server?.typed ?? ""}
            aria-invalid={errors ? true : undefined}
            aria-describedby={errors ? "server-error" : undefined}
            // biome-ignore lint/a11y/noAutofocus: after a refused name, the person continues at the field to correct.
            autoFocus={is_refused}
          />
          <Button variant="gray-outline">進む</Button>
        </div>
        <FieldErrors errors={errors} id="server-error" />
      </div>
      {server?.place && (
        <p role="status">
          <a
            href={server.place.href}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClass({ is_block: true })}
            // biome-ignore lint/a11y/noAutofocus: the person asked for this link.
            autoFocus
          >
            {server.place.host}で投稿する
          </a>
        </p>
      )}
    </Form>
  );
}
