import { type FormEvent, useState } from "react";
import { useFetcher } from "react-router";
import { findPushObstacle, subscribeBrowser, unsubscribeBrowser } from "../../../browser/push.ts";
import { Button } from "../../../ui/button.tsx";
import { FormErrors } from "../../../ui/form-errors.tsx";
import { HiddenFields } from "../../../ui/hidden-fields.tsx";
import { useHydrated } from "../../../ui/hydrated.ts";

const UNSUPPORTED =
  "このブラウザーでは、プッシュ通知を受け取れません。iPhoneとiPadでは、共有メニューの「ホーム画面に追加」で追加したアイコンからこのページを開くと、受け取れます。";
const DENIED =
  "このブラウザーで、このサイトの通知がブロックされています。受け取るには、ブラウザーか端末の設定でこのサイトの通知を許可してから、このページを開き直してください。";
const DISMISSED =
  "通知が許可されませんでした。受け取るには、もう一度押して、ブラウザーの確認で「許可」を選んでください。";
const FAILED = "この端末を登録できませんでした。通信の状態を確かめて、もう一度お試しください。";

/**
 * Turns the push notifications of this browser on and off. The browser asks for permission on the press, and nothing is
 * registered before. Turning them off works without script.
 */
export function PushSection({ public_key, is_on }: { public_key: string; is_on: boolean }) {
  return (
    <section className="card form">
      <h2 className="section-title">プッシュ通知</h2>
      <p>ブラウザーを閉じていても、この端末の通知でお知らせします。受け取る種類は、上の表の「プッシュ」で選べます。</p>
      {is_on ? <TurnOff /> : <TurnOn public_key={public_key} />}
    </section>
  );
}

/** What the action answers when the API refused. */
type Refused = { error: string } | undefined;

function TurnOff() {
  const fetcher = useFetcher<Refused>();
  const is_denied = useHydrated() && findPushObstacle() === "denied";
  // The API forgets the browser even if this fails, and then nothing is sent.
  const forgetBrowser = () => void unsubscribeBrowser().catch(() => {});
  return (
    <fetcher.Form method="post" className="form" onSubmit={forgetBrowser}>
      <HiddenFields />
      <p role="status">この端末で受け取っています。ログアウトすると、届かなくなります。</p>
      {is_denied && <p className="notice">{DENIED}</p>}
      <Button name="do" value="push_off" variant="gray-outline" aria-disabled={fetcher.state !== "idle"}>
        この端末での受け取りをやめる
      </Button>
      <FormErrors errors={fetcher.data && [fetcher.data.error]} answer={fetcher.data} />
    </fetcher.Form>
  );
}

function TurnOn({ public_key }: { public_key: string }) {
  const fetcher = useFetcher<Refused>();
  const is_hydrated = useHydrated();
  const [is_asking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState<{ words: string } | null>(null);
  if (!is_hydrated) {
    return (
      <>
        <p role="status">この端末では受け取っていません。</p>
        <noscript>
          <p className="notice">この端末で受け取るには、ブラウザーの設定でJavaScriptを有効にしてください。</p>
        </noscript>
      </>
    );
  }
  const obstacle = findPushObstacle();
  if (obstacle) return <p className="notice">{obstacle === "denied" ? DENIED : UNSUPPORTED}</p>;

  async function turnOn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setTrouble(null);
    setAsking(true);
    try {
      const address = await subscribeBrowser(public_key);
      for (const [name, value] of Object.entries(address ?? {})) form.set(name, value);
      if (address) await fetcher.submit(form, { method: "post" });
      else setTrouble({ words: DISMISSED });
    } catch {
      setTrouble({ words: FAILED });
    } finally {
      setAsking(false);
    }
  }

  const error = trouble?.words ?? fetcher.data?.error;
  return (
    <form method="post" className="form" onSubmit={turnOn}>
      <HiddenFields do="push_on" />
      <p role="status">この端末では受け取っていません。</p>
      <Button aria-disabled={is_asking || fetcher.state !== "idle"}>この端末で受け取る</Button>
      <FormErrors errors={error ? [error] : undefined} answer={trouble ?? fetcher.data} />
    </form>
  );
}
