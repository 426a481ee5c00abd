import { domainToUnicode } from "node:url";
import { data } from "react-router";
import { pageMeta } from "../crawlers/page-meta.ts";
import { identityContext } from "../session/context.ts";
import { readDestination } from "../site/outbound.ts";
import { ButtonLink, buttonClass } from "../ui/button.tsx";
import type { Route } from "./+types/redirect.ts";

export const meta: Route.MetaFunction = (args) =>
  pageMeta(args, {
    title: args.loaderData?.destination ? "外部サイトへ移動します" : "このリンクは開けません",
    is_unlisted: true,
  });

/** Do not send `no-referrer`: the shell's forms would then send `Origin: null`. */
export const headers = () => ({ "referrer-policy": "same-origin" });

export async function loader({ url, context }: Route.LoaderArgs) {
  const { session_keys } = context.get(identityContext);
  const destination = await readDestination(url.searchParams, session_keys, domainToUnicode);
  return data({ destination }, { status: destination ? 200 : 400 });
}

export default function Redirect({ loaderData }: Route.ComponentProps) {
  const { destination } = loaderData;
  if (!destination) {
    return (
      <div className="page page-narrow failure">
        <p className="failure-status">400</p>
        <h1>このリンクは開けません</h1>
        <p>
          リンクが途中で切れているか、書き換えられています。安全のため、移動先は表示していません。リンクのあったページに戻って、もう一度開いてください。
        </p>
        <p className="failure-links">
          <ButtonLink to="/" variant="gray-outline">
            トップへ戻る
          </ButtonLink>
        </p>
      </div>
    );
  }
  const { href, host, unicode_host, is_encrypted } = destination;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">外部サイトへ移動します</h1>
      <p>
        クリエイターが紹介しているリンクです。ofuseが運営するサイトではないため、移動先のアドレスをよくお確かめください。
      </p>
      <div className="card outbound">
        <p className="outbound-host">
          <bdi>{host}</bdi>
        </p>
        {unicode_host && (
          <p>
            日本語などで書くと「<bdi>{unicode_host}</bdi>
            」です。よく似た文字を使った別のサイトではないか、ご注意ください。
          </p>
        )}
        <p className="outbound-url">
          <bdi>{href}</bdi>
        </p>
        {!is_encrypted && (
          <p className="field-error">通信が暗号化されないサイトです。パスワードやカード番号は入力しないでください。</p>
        )}
      </div>
      <a
        href={href}
        className={buttonClass({ size: "lg" })}
        rel="noopener noreferrer nofollow ugc"
        referrerPolicy="no-referrer"
      >
        このサイトを開く
      </a>
      <p className="form-aside">開かない場合は、ブラウザーの「戻る」で元のページに戻れます。</p>
    </div>
  );
}
