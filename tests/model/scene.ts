/** The first scene of every story. */
import { expect } from "vitest";
import { updateBankAccount } from "../../workers/api/banks/commands.ts";
import { isoTime } from "../../workers/kernel/clock.ts";
import { newId } from "../../workers/kernel/ids.ts";
import { type Content, Site } from "./site.ts";
import { BEGINNINGS } from "./stories.ts";
import { seedRandomness } from "./support.ts";

export interface Plan {
  membership_id: string;
  creator: string;
  amount: number;
  is_open: boolean;
}
export interface Person {
  user_id: string;
  event_id: string;
}

export interface Cast {
  creators: Person[];
  fans: string[];
  plans: Plan[];
}

interface Scene {
  cast: Cast;
  content: Content;
  now_ms: number;
}

const scenes = new Map<number, Scene>();

/** Returns the world after its first scene: two creators have registered, with bank accounts, posts and plans. Five fans look on. */
export async function findScene(beginning: number): Promise<Scene> {
  const known = scenes.get(beginning);
  if (known) return known;
  const scene = await setScene(beginning);
  scenes.set(beginning, scene);
  return scene;
}

async function setScene(beginning: number): Promise<Scene> {
  seedRandomness(beginning);
  const site = new Site(Date.parse(BEGINNINGS[beginning] ?? ""));
  const creators: Person[] = [];
  const plans: Plan[] = [];
  for (const name of ["sora", "umi"]) {
    const user_id = await site.addUser(name);
    const { json } = await site.ask({
      method: "POST",
      path: "/v4/creator",
      user_id,
      body: { account_type: "individual" },
    });
    await site.submitPage(json.url, {
      ...{ business_type: "individual", name: "山田 花", name_kana: "ヤマダ ハナ", birthday: "1990/4/1" },
      ...{ phone: "0312345678", tos: "yes", verification: "verified" },
    });
    await site.ask({ method: "PUT", path: "/v4/creator", user_id, body: {} });
    await registerBank(site, user_id, "0001234");
    await site.ask({ method: "PUT", path: "/v4/creator", user_id, body: {} });
    for (const amount of [100, 777, 3000]) {
      const body = { title: `${amount}円の会`, description: "", amount, active_state: "active" };
      const { status, json } = await site.ask({ method: "POST", path: "/v4/memberships", user_id, body });
      expect(status).toBe(201);
      plans.push({ membership_id: json.membership.membership_id, creator: user_id, amount, is_open: true });
    }
    const event_id = newId(site.now_ms);
    site.product.run(
      `INSERT INTO events (event_id, user_id, kind, title, lead, body, status, publish_target_type, comment_filter, created_at, updated_at, published_at)
       VALUES (?1, ?2, 'blog', '題', '', '[]', 'published', 'public', 'paid_only', ?3, ?3, ?3)`,
      [event_id, user_id, isoTime(site.now_ms)],
    );
    creators.push({ user_id, event_id });
  }
  const fans = await Promise.all(["hana", "kaze", "yuki", "tori", "kumo"].map((name) => site.addUser(name)));
  await site.settle();
  await site.tick();
  return { cast: { creators, fans, plans }, content: site.copy(), now_ms: site.now_ms };
}

export async function registerBank(site: Site, user_id: string, account_number: string): Promise<void> {
  const caller = { user_id, claims: { sub: `identity of ${user_id}`, auth_time: 0 } };
  await updateBankAccount(
    { ...site.context(), caller },
    {
      bank_code: "0001",
      branch_code: "210",
      account_type: "futsu",
      account_number,
      account_holder_kana: "ヤマダ ハナ",
    },
  );
}
