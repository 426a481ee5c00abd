import { goOnAir } from "./support/radio.ts";
import { expect, type Person, test } from "./support/test.ts";

/** The chat of a live radio. With JavaScript, what others write arrives on the open page; without, a link loads it. */

const chatOf = ({ page }: Person) => page.getByRole("region", { name: "チャット" });

/** Without JavaScript, loads what is new. */
async function look({ page, has_script }: Person): Promise<void> {
  if (!has_script) await page.getByRole("link", { name: "新しい発言を読み込む" }).click();
}

test("a listener writes in the chat, and the broadcaster pins the message, deletes it and restricts the listener", async ({
  someone,
  network,
}) => {
  const radio = await goOnAir(network, "akari", "話せるラジオ", { is_chat_on: true });
  const [owner, fan] = [await someone(), await someone()];
  // The page that sends the sound: nothing may lead away from it.
  await owner.openAs("akari", `/my/radio/${radio.radio_id}`);
  await fan.openAs("fan_hana", radio.path);
  const field = fan.page.getByLabel("発言する");
  const said = (person: Person, words: string) => chatOf(person).getByRole("listitem").filter({ hasText: words });
  const write = async (words: string) => {
    await field.fill(words);
    await fan.page.getByRole("button", { name: "発言する", exact: true }).click();
    await expect(said(fan, words)).toBeVisible();
    await expect(field).toHaveValue("");
    await expect(fan.page.getByText("まだ送信していません")).toHaveCount(0);
  };

  await fan.stayingOnThePage(async () => {
    await write("こんばんは、聴いています。");
    await write("今日の一曲目が好きです。");
  });
  await look(owner);
  await expect(said(owner, "今日の一曲目が好きです。")).toBeVisible();
  await owner.stayingOnThePage(async () => {
    await owner.page.getByLabel("発言する").fill("ありがとうございます。");
    await owner.page.getByRole("button", { name: "発言する", exact: true }).click();
    await expect(said(owner, "ありがとうございます。")).toBeVisible();
  });
  await owner.stayingOnThePage(async () => {
    await said(owner, "こんばんは、聴いています。").getByRole("button", { name: "固定する" }).click();
    await expect(chatOf(owner).getByRole("heading", { name: "固定された発言" })).toBeVisible();
    await look(fan);
    await expect(chatOf(fan).getByRole("heading", { name: "固定された発言" })).toBeVisible();

    await said(owner, "今日の一曲目が好きです。").getByRole("button", { name: "削除" }).click();
    await expect(said(owner, "今日の一曲目が好きです。")).toHaveCount(0);
    await look(fan);
    await expect(said(fan, "今日の一曲目が好きです。")).toHaveCount(0);

    await said(owner, "こんばんは、聴いています。").getByRole("button", { name: "書き込みを制限" }).click();
    await look(fan);
    await expect(fan.page.getByText("配信者の設定により、このチャットには書き込めません。")).toBeVisible();
    await expect(field).toHaveCount(0);
  });
  await owner.page.goto("/my/radio/restrictees");
  await expect(owner.page.getByText("はな", { exact: true })).toBeVisible();
  await radio.finish();
});
