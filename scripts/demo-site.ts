/** The operator of a site on a developer's machine. All values are invented. Values that could mislead say so. */
import example from "../deploy/site.example.json" with { type: "json" };

/** deploy/site.example.json with its empty fields filled in. */
export const demoSite = {
  ...example,
  company_name: "株式会社オフセ（デモ）",
  company_url: "https://company.example/",
  siblings: [
    { name: "オフセ文庫（デモ）", url: "https://bunko.example/" },
    { name: "オフセ工房（デモ）", url: "https://koubou.example/" },
  ],
  notice: {
    ...example.notice,
    seller: "株式会社オフセ（デモ）",
    manager: "封野 手紙（デモ）",
    address: "〒000-0000 東京都千代田区架空町1丁目2番3号（デモ）",
    phone: "03-0000-0000",
    email: "support@ofuse.example",
  },
  revised_on: "2026-11-29",
  invoice_number: "T7123456789012",
};
