import { Link } from "react-router";
import { groupDigits } from "../../../workers/contract/group-digits.ts";
import { PLATFORM_FEE_PERCENT } from "../../../workers/contract/limits.ts";
import type { TopStats } from "../../../workers/contract/stats.ts";
import { PersonLink } from "../../people/person.tsx";
import { unreadyMark } from "../../site/features.ts";
import { Banner } from "../../ui/banner.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { AuthoredCard } from "./authored-card.tsx";
import { LetterArriving } from "./illustration.tsx";
import type { VisitorHomeData } from "./load-home.ts";

/** Presents the product to a visitor. Consists of links and needs no script. */
export function VisitorHome({ home }: { home: VisitorHomeData }) {
  const { users, events, stats, genres, is_incomplete } = home;
  return (
    <div className="page home">
      <section className="home-hero">
        <div>
          <h1>
            好きの気持ちを、
            <br />
            手紙にして届けよう。
          </h1>
          <p className="home-lead">
            ofuse（オフセ）は、好きなクリエイターに短い手紙「ofuse」を送れるサービスです。うまく書けなくても大丈夫。ひとことが、つづける力になります。
          </p>
          <p className="home-actions">
            <ButtonLink to="/signup" size="lg">
              無料ではじめる
            </ButtonLink>
            <ButtonLink to="/search" size="lg" variant="gray-outline">
              クリエイターを探す
            </ButtonLink>
          </p>
        </div>
        <LetterArriving />
      </section>
      {stats && <Figures stats={stats} />}
      {is_incomplete && (
        <Banner>ただいま一覧の一部を表示できません。少し時間をおいてから、もう一度ご覧ください。</Banner>
      )}
      <section>
        <h2 className="home-title">手紙が届くまで</h2>
        <ol className="home-steps">
          <li className="card">
            <h3>見つける</h3>
            <p>名前やジャンルから、気になるクリエイターを探します。公開の投稿は、登録しなくても読めます。</p>
          </li>
          <li className="card">
            <h3>書く</h3>
            <p>
              「今日の絵、好きです」だけでも立派な手紙です。無料なら200文字まで。
              {`応援の金額を添えることもできます${unreadyMark("paid_ofuses")}。`}
            </p>
          </li>
          <li className="card">
            <h3>届く</h3>
            <p>手紙は本人のレターボックスへ。返信が届いたら、お知らせでわかります。</p>
          </li>
        </ol>
      </section>
      {events && events.length > 0 && (
        <section>
          <h2 className="home-title">新着の投稿</h2>
          <ul className="event-list event-grid">
            {events.map((event) => (
              <AuthoredCard key={event.event_id} event={event} />
            ))}
          </ul>
        </section>
      )}
      {users && users.length > 0 && (
        <section>
          <h2 className="home-title">おすすめのクリエイター</h2>
          <ul className="people">
            {users.map((user) => (
              <li key={user.user_id}>
                <PersonLink user={user} is_card />
              </li>
            ))}
          </ul>
        </section>
      )}
      {genres && (
        <section>
          <h2 className="home-title">ジャンルから探す</h2>
          <ul className="home-genres">
            {genres.map(({ genre_id, name }) => (
              <li key={genre_id}>
                <Link to={`/search?genre_id=${genre_id}`} className="button button-gray-outline">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="home-creators">
        <h2 className="home-title">つくる人へ</h2>
        <p>数字だけでは見えにくい「届いた」という手ごたえを、言葉で受け取れる場所です。</p>
        <dl className="home-reasons">
          <div>
            <dt>{`手数料は${PLATFORM_FEE_PERCENT}%`}</dt>
            <dd>決済にかかる費用も込み。登録や月々の料金はありません。</dd>
          </div>
          <div>
            <dt>手紙と返信</dt>
            <dd>{`届いた手紙に「いいね」や返信を。無料の手紙は受け取らない設定にもできます${unreadyMark("monetization")}。`}</dd>
          </div>
          <div>
            <dt>{`メンバーシップ${unreadyMark("plans")}`}</dt>
            <dd>月額100円から10,000円まで、自分のプランを作れます。</dd>
          </div>
          <div>
            <dt>声でも、メールでも</dt>
            <dd>{`ラジオ${unreadyMark("radio")}やニュースレター${unreadyMark("newsletters")}でも、ファンとつながれます。`}</dd>
          </div>
        </dl>
        <p className="home-actions">
          <ButtonLink to="/signup" size="lg" variant="secondary">
            クリエイターとしてはじめる
          </ButtonLink>
        </p>
        <ul className="home-links">
          <li>
            <Link to="/usecases">活用事例</Link>
          </li>
          <li>
            <Link to="/kit">クリエイターキット</Link>
          </li>
          <li>
            <Link to="/help">ヘルプ</Link>
          </li>
        </ul>
      </section>
      <section className="home-last">
        <h2>最初の一通を、今日。</h2>
        <p>登録は無料。メールアドレスがあれば、すぐに書きはじめられます。</p>
        <p className="home-actions">
          <ButtonLink to="/signup" size="lg">
            無料ではじめる
          </ButtonLink>
        </p>
      </section>
    </div>
  );
}

/** From this number on, figures are rounded down (decisions/0014), so the text says "or more". */
const ROUNDED_FROM = 100;

function Figures({ stats }: { stats: TopStats }) {
  const figures = [
    { label: "届いたofuse", count: stats.ofuses_count, unit: "通" },
    { label: "クリエイター", count: stats.creators_count, unit: "人" },
    { label: "公開中の投稿", count: stats.events_count, unit: "件" },
  ].flatMap(({ count, ...rest }) => (count ? [{ ...rest, count }] : []));
  if (figures.length === 0) return null;
  return (
    <dl className="home-figures">
      {figures.map(({ label, count, unit }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <b>{groupDigits(count)}</b>
            {unit}
            {count >= ROUNDED_FROM && "以上"}
          </dd>
        </div>
      ))}
    </dl>
  );
}
