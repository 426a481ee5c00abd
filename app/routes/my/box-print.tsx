import { data, Link } from "react-router";
import { id } from "../../../workers/contract/fields.ts";
import { getOfuse, listOfuses, type Ofuse } from "../../../workers/contract/ofuses.ts";
import { pageMeta } from "../../crawlers/page-meta.ts";
import { calledOf, senderOf } from "../../people/avatar.tsx";
import { v4Context } from "../../request/context.ts";
import { Button } from "../../ui/button.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { useHydrated } from "../../ui/hydrated.ts";
import { Pager } from "../../ui/pager.tsx";
import { Paragraphs } from "../../ui/text.tsx";
import type { V4 } from "../../v4/client.ts";
import { pageNumber, refuseEmptyPage } from "../../v4/page-number.ts";
import { stampNames } from "../creator/letter-lists.server.ts";
import { Stamp, type StampNames } from "../creator/letter-look.tsx";
import type { Route } from "./+types/box-print.ts";
import { boxPath, boxSearch } from "./box-path.ts";
import { type BoxView, boxFilterOf, readBoxView } from "./box-view.ts";

export const meta: Route.MetaFunction = (args) => pageMeta(args, { title: "ofuseの印刷", is_unlisted: true });

/** How many letters one page of the browser holds: each is a sheet of paper. */
const LETTERS_AT_ONCE = 50;

/** Shows letters for printing, each on its paper: those of a view of the box, or the one in `letter`. */
export async function loader({ url, context }: Route.LoaderArgs) {
  const v4 = context.get(v4Context);
  const view = readBoxView(url);
  const page = pageNumber(url);
  const ofuse_id = url.searchParams.get("letter");
  const { ofuses, has_next } =
    ofuse_id === null
      ? await readLetters(v4, view, page)
      : { ofuses: [await readLetter(v4, ofuse_id)], has_next: false };
  refuseEmptyPage(page, ofuses);
  const back = ofuse_id === null ? boxPath(view) : `/my/box/${ofuse_id}`;
  return { ofuses, has_next, page, view, back, stamps: stampNames };
}

const readLetters = (v4: V4, view: BoxView, page_number: number) =>
  v4.read(listOfuses, {
    query: { ...boxFilterOf(view), type: view.type, page_number, page_size: LETTERS_AT_ONCE },
  });

async function readLetter(v4: V4, ofuse_id: string): Promise<Ofuse> {
  if (!id.safeParse(ofuse_id).success) throw data(null, { status: 404 });
  return (await v4.read(getOfuse, { params: { ofuse_id }, query: {} })).ofuse;
}

export default function PrintBox({ loaderData }: Route.ComponentProps) {
  const { ofuses, has_next, page, view, back, stamps } = loaderData;
  const has_script = useHydrated();
  return (
    <>
      <div className="no-print">
        <p className="back">
          <Link to={back}>戻る</Link>
        </p>
        <h1 className="page-title">ofuseの印刷</h1>
        <p>
          1通が1枚になります。額に入れるときは、印刷の設定で余白を「なし」に、「背景のグラフィック」を入れてください。
          {has_next || page > 1 ? `一度に${LETTERS_AT_ONCE}通ずつ印刷できます。` : ""}
        </p>
        <p className={has_script ? undefined : "not-yet"}>
          <Button type="button" onClick={() => print()}>
            印刷する
          </Button>
        </p>
        {ofuses.length === 0 && <p>印刷するofuseがありません。</p>}
      </div>
      {ofuses.map((ofuse) => (
        <LetterSheet key={ofuse.ofuse_id} ofuse={ofuse} stamps={stamps} />
      ))}
      <div className="no-print">
        <Pager page={page} has_next={has_next} hrefOf={(n) => `/my/box/print${boxSearch(view, n)}`} />
      </div>
    </>
  );
}

/** A letter on one sheet: to whom, the words, from whom and when. */
function LetterSheet({ ofuse, stamps }: { ofuse: Ofuse; stamps: StampNames }) {
  return (
    <article className={`letter-sheet paper paper-${ofuse.letter_appearance_id ?? "plain"}`}>
      <header className="letter-sheet-to">
        <bdi>{calledOf(ofuse.receiver)}</bdi>へ
        <Stamp id={ofuse.stamp_id} names={stamps} />
      </header>
      <div className="letter-sheet-words">
        <Paragraphs text={ofuse.message} />
      </div>
      <footer className="letter-sheet-from">
        <DateTime iso={ofuse.created_at} format="date" />
        <span>
          <bdi>{senderOf(ofuse).name}</bdi>より
        </span>
      </footer>
    </article>
  );
}
