import { useEffect, useRef, useState } from "react";
import { data, Link, redirect } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { listRadioCaptions } from "../../../workers/contract/radio-captions.ts";
import { getRadio } from "../../../workers/contract/radios.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { v4OfRadio } from "../../session/radio-keys.ts";
import { RADIO_STATES } from "../radio-words.ts";
import type { Route } from "./+types/radio-text.ts";
import { RadioLock } from "./radio-lock.tsx";
import { radioPath } from "./radio-path.ts";

export const meta: Route.MetaFunction = (args) => {
  const radio = args.loaderData?.radio;
  return pageMeta(args, { title: radio ? `${radio.title} - 文字で読む` : "文字で読む", is_unlisted: true });
};

/** The query parameter with the mark from which older captions are shown. */
const BEFORE = "before";

export async function loader({ url, params, context }: Route.LoaderArgs) {
  const { radio_id } = params;
  if (!id.safeParse(radio_id).success) throw data(null, { status: 404 });
  const v4 = v4OfRadio(context, radio_id);
  const { radio } = await v4.read(getRadio, { params: { radio_id } });
  const path = radioPath({ link_id: radio.user.link_id, radio_id });
  if (radio.user.link_id !== params.link_id) throw redirect(`${path}/text${url.search}`, 301);
  const next_page_token = listRadioCaptions.query.shape.next_page_token.safeParse(url.searchParams.get(BEFORE)).data;
  const page = radio.is_locked
    ? { captions: [], next_page_token: null }
    : await v4.read(listRadioCaptions, { params: { radio_id }, query: { next_page_token } });
  return {
    radio,
    path,
    captions: page.captions,
    older: page.next_page_token,
    is_live: radio.status === "on_air" && !radio.is_locked && next_page_token === undefined,
  };
}

/**
 * A radio in words, for people who cannot hear it. While it is on air the newest caption is first; a link reloads, and
 * with a script the captions arrive by themselves. Afterwards they are in the order in which they were written.
 */
export default function RadioText({ loaderData }: Route.ComponentProps) {
  const { radio, path, captions, older, is_live } = loaderData;
  const here = `${path}/text`;
  return (
    <article className="card prose event">
      <header className="event-head">
        <h1 className="event-title">{radio.title}</h1>
        <p className="event-card-meta">
          <span className={radio.status === "on_air" ? "badge badge-new" : "badge"} data-ended={RADIO_STATES.finished}>
            {RADIO_STATES[radio.status]}
          </span>
          文字で読む
        </p>
      </header>
      <p>
        <Link to={path}>ラジオのページへ戻る</Link>
      </p>
      {radio.is_locked ? (
        <RadioLock radio={radio} path={path} />
      ) : (
        <>
          {radio.status === "on_air" && (
            <p>
              <a href={here}>新しい字幕を読み込む</a> <span role="status" data-ended="放送は終わりました。" />
            </p>
          )}
          {is_live ? (
            <LiveCaptions key={radio.radio_id} radio_id={radio.radio_id} captions={captions} />
          ) : (
            <Captions captions={captions} />
          )}
          <p className="field-hint radio-captions-none">{NONE[radio.status]}</p>
          {older && (
            <p>
              <Link to={`${here}?${BEFORE}=${older}`}>前の字幕を読む</Link>
            </p>
          )}
        </>
      )}
    </article>
  );
}

const NONE = {
  scheduled: "放送が始まると、話している人が書いた字幕をここで読めます。",
  on_air: "まだ字幕はありません。話している人が書くと、ここに出ます。",
  finished: "この放送の字幕はありません。",
} as const;

type Loaded = Route.ComponentProps["loaderData"]["captions"];

/** app/radio/live-captions.ts changes the list and the elements with `data-ended`, so React renders them once. */
function LiveCaptions({ radio_id, captions }: { radio_id: string; captions: Loaded }) {
  const list = useRef<HTMLOListElement>(null);
  const [first] = useState(captions);
  useEffect(() => {
    let stop: (() => void) | null = () => {};
    import("../../radio/live-captions.ts").then(
      ({ showLiveCaptions }) => {
        if (stop && list.current) stop = showLiveCaptions(list.current);
      },
      // After a deployment, the script may have been deleted. The link to reload works without it.
      () => {},
    );
    return () => {
      stop?.();
      stop = null;
    };
  }, []);
  return (
    <ol ref={list} className="radio-captions" aria-label="字幕" aria-live="polite" data-captions={radio_id}>
      {first.toReversed().map(({ caption_id, words }) => (
        <li key={caption_id} id={caption_id}>
          {words}
        </li>
      ))}
    </ol>
  );
}

function Captions({ captions }: { captions: Loaded }) {
  return (
    <ol className="radio-captions" aria-label="字幕">
      {captions.map(({ caption_id, words }) => (
        <li key={caption_id}>{words}</li>
      ))}
    </ol>
  );
}
