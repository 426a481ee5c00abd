import type { MouseEvent } from "react";
import { Button } from "../ui/button.tsx";

/** Shown when another page has saved the draft meanwhile. The writer chooses which text to keep. */
export function DraftConflict({ path, onOverwrite }: { path: string; onOverwrite: (() => void) | undefined }) {
  const overwriteDraft = (event: MouseEvent) => {
    if (!onOverwrite) return;
    event.preventDefault();
    onOverwrite();
  };
  return (
    <div className="banner banner-alert post-conflict" role="alert">
      <p>
        この下書きは、別の画面でも保存されています。どちらを残しますか？
        いま入力している内容は、この画面に残っています。
      </p>
      <p className="row">
        <Button name="do" value="overwrite" size="sm" onClick={overwriteDraft}>
          この画面の内容で保存する
        </Button>
        <a href={path} target="_blank" rel="noreferrer">
          保存されている内容を新しいタブで見る
        </a>
      </p>
    </div>
  );
}

/** Shown when another page has changed the post since this text was started. The writer chooses which text to keep. */
export function OutdatedPost({ path }: { path: string }) {
  return (
    <div className="banner banner-alert post-conflict" role="alert">
      <p>
        この投稿は、別の画面で変更されています。どちらを残しますか？ いま入力している内容は、この画面に残っています。
      </p>
      <p className="row">
        <Button name="do" value="publish_over" size="sm">
          この画面の内容で更新する
        </Button>
        <a href={path} target="_blank" rel="noreferrer">
          いまの投稿を新しいタブで見る
        </a>
      </p>
    </div>
  );
}

/**
 * Shown when a post was made of the draft: by this page, if the answer was lost, or by another one. `of` is the sentence,
 * and the address of the post's form.
 */
export function PublishedPost({ of }: { of: readonly string[] | undefined }) {
  return (
    of && (
      <div className="banner banner-alert post-conflict" role="alert">
        <p>{of[0]}</p>
        <p className="row">
          <a href={of[1]} target="_blank" rel="noreferrer">
            いまの投稿を新しいタブで編集する
          </a>
        </p>
      </div>
    )
  );
}

/** Shown when uploads are not in the text. Nothing is published before the writer has chosen. */
export function UnplacedUploads({ sentence }: { sentence: string }) {
  return (
    <div className="banner banner-alert post-conflict post-question" role="alert">
      <p>{sentence}本文に入れないと、読む人には表示されません。</p>
      <p className="row">
        <Button name="do" value="publish_appended" size="sm">
          <span>
            末尾に入れて
            <PublishWord />
          </span>
        </Button>
        <Button name="do" value="publish_without" size="sm" variant="gray-outline">
          <span>
            入れずに
            <PublishWord />
          </span>
        </Button>
      </p>
    </div>
  );
}

/** The label of the publish button. CSS shows the one that fits the chosen 公開のしかた. */
export function PublishWord({ now = "公開する" }: { now?: string }) {
  return (
    <>
      <span className="when-now">{now}</span>
      <span className="when-at">予約する</span>
      <span className="when-private">保存する</span>
    </>
  );
}
