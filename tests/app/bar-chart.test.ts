import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { BarChart } from "../../app/ui/bar-chart.tsx";

const render = (values: readonly number[], tickAt: (index: number) => string) => {
  const bars = values.map((value, index) => ({ key: String(index), tick: tickAt(index), label: "", value }));
  const html = renderToStaticMarkup(createElement(BarChart, { title: "", description: "", bars }));
  return [...html.matchAll(/<text[^>]*?(?: class="([^"]*)")?>([^<]*)<\/text>/g)].map(([, name, text]) =>
    name ? `${text} (${name})` : text,
  );
};

test("on a phone, no two neighbours of many columns show their values, and the largest come first", () => {
  const months = [5607, 1890, 6300, 6300, 11_000, 0, -700, 0, 12, 340, 5600, 1_234_500];
  const values = render(months, () => "").filter(Boolean);
  expect(values).toEqual([
    ...["5,607", "1,890 (bar-minor)", "6,300", "6,300 (bar-minor)", "1.1万", "-700"],
    ...["12 (bar-minor)", "340", "5,600 (bar-minor)", "123.5万"],
  ]);
  expect(render([1, 2, 3, 4, 5, 6, 7], () => "").filter(Boolean)).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
});

test("the ticks below the columns have room for each other", () => {
  const countTicks = (columns: number, tick: string) => render(Array(columns).fill(0), () => tick).length;
  expect([countTicks(12, "12月"), countTicks(7, "11/20"), countTicks(12, "11/20")]).toEqual([12, 7, 6]);
  expect([countTicks(28, "11/20"), countTicks(90, "11/20")]).toEqual([7, 7]);
});
