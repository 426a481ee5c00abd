import * as z from "zod";
import { boxOrder, ofuseType } from "../../../workers/contract/ofuses.ts";
import { readKeyword } from "../../v4/keyword.ts";

/** The filters and the order of the letter box, as in the address of the box and of a letter opened from it. */
export interface BoxView {
  type: z.output<typeof ofuseType>;
  is_not_replied: boolean;
  /** The price filter: only paid or only free letters. Null shows both. */
  price: "free" | "paid" | null;
  sort_by: z.output<typeof boxOrder>;
  keyword: string;
}

/** Reads the view from an address. Anything that no link of ours has counts as missing. */
export function readBoxView(url: URL): BoxView {
  const { searchParams } = url;
  return {
    type: ofuseType.catch("received").parse(searchParams.get("type")),
    is_not_replied: searchParams.get("filter") === "not_replied",
    price: z.enum(["free", "paid"]).nullable().catch(null).parse(searchParams.get("price")),
    sort_by: boxOrder.catch("newest").parse(searchParams.get("sort")),
    keyword: readKeyword(url),
  };
}

/** The filters of a view as the API's calls take them, without the type. */
export const boxFilterOf = ({ is_not_replied, price, sort_by, keyword }: BoxView) => ({
  sort_by,
  is_not_replied: is_not_replied ? true : undefined,
  paid: price === null ? undefined : price === "paid",
  keyword: keyword === "" ? undefined : keyword,
});
