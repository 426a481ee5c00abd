import { Link } from "react-router";
import { getProfile } from "../../../../workers/contract/users.ts";
import { pageMeta } from "../../../crawlers/page-meta.ts";
import { codePath } from "../../../crawlers/share-card.ts";
import { Avatar } from "../../../people/avatar.tsx";
import { v4Context } from "../../../request/context.ts";
import { Button } from "../../../ui/button.tsx";
import { useHydrated } from "../../../ui/hydrated.ts";
import type { Route } from "./+types/card.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ショップカード", is_unlisted: true });

/** The cards on a sheet: two beside each other, in five rows, as on ready-cut paper for business cards. */
const CARDS = Array.from({ length: 10 }, (_, index) => `card-${index}`);

export async function loader({ url, context }: Route.LoaderArgs) {
  const { user } = await context.get(v4Context).read(getProfile, {});
  const { name, link_id, icon_image } = user;
  const address = `${url.origin}/${link_id}`;
  return { name, icon_image, address: address.replace(/^https?:\/\//, ""), code: codePath(link_id, "svg") };
}

export default function ShopCards({ loaderData }: Route.ComponentProps) {
  const { name, icon_image, address, code } = loaderData;
  const has_script = useHydrated();
  return (
    <>
      <div className="no-print">
        <p className="back">
          <Link to="/my/share">シェアへ戻る</Link>
        </p>
        <h1 className="page-title">ショップカード</h1>
        <p>
          A4の紙に10枚印刷できます（1枚は91×55ミリ）。倍率は100%、余白は「なし」で印刷してください。市販の10面の名刺用紙にも合います。
        </p>
        <p className={has_script ? undefined : "not-yet"}>
          <Button type="button" onClick={() => print()}>
            印刷する
          </Button>
        </p>
      </div>
      <div className="shop-sheet">
        {CARDS.map((id, index) => (
          // The others are copies for the paper alone.
          <article key={id} className="shop-card" aria-hidden={index > 0 || undefined}>
            <div className="shop-card-words">
              <Avatar image={icon_image} size={96} />
              <p className="shop-card-name">
                <bdi>{name}</bdi>
              </p>
              <p className="shop-card-call">感想や応援を、ofuseの短い手紙で届けてください。</p>
              <p className="shop-card-address">{address}</p>
            </div>
            <img className="qr-code" src={code} alt={`${address}を開くQRコード`} width={120} height={120} />
          </article>
        ))}
      </div>
    </>
  );
}
