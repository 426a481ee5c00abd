import { identityProvider } from "../../../sign-in/identity-providers.ts";

const names: Record<string, string> = {
  password: "メールアドレスとパスワード",
  emailLink: "メールのリンク",
  phone: "電話番号",
  custom: "ほかのサービス",
};

/** A way of signing in, by the provider's id for it; null for one that has no name of its own. */
export const wayName = (provider_id: string): string | null =>
  names[provider_id] ?? identityProvider(provider_id)?.name ?? null;
