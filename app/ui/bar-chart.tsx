import { useId } from "react";
import { shortNumber } from "../text/short-number.ts";

/** One column: a value, and beside it the value of the time before. */
export interface Bar {
  key: string;
  /** The words below the column. */
  tick: string;
  /** The value in words, for people who point at it. */
  label: string;
  value: number;
  before?: { label: string; value: number };
}

/** Sizes of the drawing, in its own units. */
const [WIDTH, HEIGHT, LABELS, VALUES] = [360, 150, 20, 16];
/** More columns than this have no values above them. */
const ROOMY = 12;
/** The characters that fit below all columns on a phone, with space between the ticks. */
const TICK_CHARACTERS = 36;
/** The width of a value on a phone. Columns narrower than this never show two neighbouring values there. */
const VALUE_WIDTH = 50;

/** Draws columns that need no script. A negative value has a bar below the line. A table must have the same numbers. */
export function BarChart({ title, description, bars }: { title: string; description: string; bars: readonly Bar[] }) {
  const id = useId();
  const values = bars.flatMap(({ value, before }) => [value, before?.value ?? 0]);
  const [top, bottom] = [Math.max(1, ...values), Math.max(0, ...values.map((value) => -value))];
  const scale = (HEIGHT - LABELS - VALUES) / (top + bottom);
  const zero = VALUES + top * scale;
  const column = WIDTH / bars.length;
  const is_roomy = bars.length <= ROOMY;
  const longest_tick = Math.max(...bars.map(({ tick }) => tick.length));
  const step = Math.ceil((bars.length * longest_tick) / TICK_CHARACTERS);
  const apart = pickApart(bars);
  const has_before = bars.some(({ before }) => before !== undefined);
  const width = column * (has_before ? 0.36 : 0.6);
  const place = (value: number) => {
    const height = Math.abs(value) * scale;
    return {
      y: round(value < 0 ? zero : zero - height),
      height: round(height),
      rx: round(Math.min(3, height / 2, width / 2)),
    };
  };
  return (
    <svg className="bar-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={`${id}t ${id}d`}>
      <title id={`${id}t`}>{title}</title>
      <desc id={`${id}d`}>{description}</desc>
      {bars.map(({ key, tick, label, value, before }, index) => {
        const middle = (index + 0.5) * column;
        const left = has_before ? middle : middle - width / 2;
        return (
          <g key={key}>
            {before && before.value !== 0 && (
              <rect x={round(middle - width)} width={round(width)} {...place(before.value)} className="bar-before">
                <title>{before.label}</title>
              </rect>
            )}
            {value !== 0 && (
              <rect
                x={round(left)}
                width={round(width)}
                {...place(value)}
                className={value < 0 ? "bar-out" : undefined}
              >
                <title>{label}</title>
              </rect>
            )}
            {is_roomy && value !== 0 && (
              <text
                x={round(left + width / 2)}
                y={round(place(value).y - 3)}
                className={apart.has(index) || column >= VALUE_WIDTH ? undefined : "bar-minor"}
              >
                {shortNumber(value)}
              </text>
            )}
            {index % step === Math.floor(step / 2) && (
              <text x={round(middle)} y={HEIGHT - 5}>
                {tick}
              </text>
            )}
          </g>
        );
      })}
      <line x1={0} x2={WIDTH} y1={round(zero)} y2={round(zero)} />
    </svg>
  );
}

/** Returns the places of the largest values, without neighbours. */
function pickApart(bars: readonly Bar[]): Set<number> {
  const apart = new Set<number>();
  const places = bars.map(({ value }, index) => ({ size: Math.abs(value), index }));
  for (const { index } of places.sort((a, b) => b.size - a.size)) {
    if (!apart.has(index - 1) && !apart.has(index + 1)) apart.add(index);
  }
  return apart;
}

const round = (size: number) => Math.round(size * 10) / 10;
