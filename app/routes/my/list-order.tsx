import type { ReactNode } from "react";
import { Form } from "react-router";
import { SEARCHED_UNITS } from "../../../workers/contract/bounds.ts";
import { Button } from "../../ui/button.tsx";

export const ORDERS = [
  { value: "newest", label: "新しい順" },
  { value: "oldest", label: "古い順" },
  { value: "amount", label: "金額の高い順" },
] as const;

interface ListOrderProps {
  sort_by: string;
  orders?: ChoiceProps["choices"];
  /** Other query parameters that the form keeps; null leaves a parameter out. */
  kept: Readonly<Record<string, string | null>>;
  /** The text of the submit button. */
  button: string;
  /** Further filters, shown before the order. */
  children?: ReactNode;
}

interface ChoiceProps {
  name: string;
  label: string;
  chosen: string;
  choices: readonly { value: string; label: string }[];
}

/** A labelled select. Keeps the label next to it when the form wraps to two lines. */
export function Choice({ name, label, chosen, choices }: ChoiceProps) {
  return (
    <div className="list-choice">
      <label htmlFor={name}>{label}</label>
      <select id={name} name={name} className="control" defaultValue={chosen} key={chosen}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The words by which a list is searched. The new key shows the words of another address. */
export function KeywordField({ keyword, label }: { keyword: string; label: string }) {
  return (
    <div className="list-choice list-keyword">
      <label htmlFor="keyword">{label}</label>
      <input
        type="search"
        id="keyword"
        name="keyword"
        className="control"
        maxLength={SEARCHED_UNITS}
        defaultValue={keyword}
        key={keyword}
        enterKeyHint="search"
      />
    </div>
  );
}

/** The filters and the order of a list, as a GET form to the list's address. */
export function ListOrder({ sort_by, orders = ORDERS, kept, button, children }: ListOrderProps) {
  return (
    <Form method="get" className="row list-order">
      {Object.entries(kept).map(
        ([name, value]) => value !== null && <input key={name} type="hidden" name={name} value={value} />,
      )}
      {children}
      <Choice name="sort" label="並び順" chosen={sort_by} choices={orders} />
      <Button size="sm" variant="gray-outline">
        {button}
      </Button>
    </Form>
  );
}
