import type { Canvas, Placement } from "./canvas.ts";
import { darken, lighten, type Rgb } from "./colour.ts";
import { drawFlower } from "./scenery.ts";
import { circle, line, path, polygon, type Shape } from "./shapes.ts";

export type HairStyle = "bob" | "long" | "short" | "bun" | "spiky" | "twin";

type Hair = { back(g: Canvas): void; front(g: Canvas): void };

/** Draws something on the left, then mirrored at the middle of the portrait. */
export const BOTH_SIDES: readonly Placement[] = [{}, { x: 192, flip: true }];

/** Returns the two layers of a hair style: behind the head, and over the forehead. */
export function hairOf(style: HairStyle, hair: Rgb, accent: Rgb): Hair {
  const shade = darken(hair, 0.22);
  const shine = lighten(hair, 0.3);
  const fillGlossy = (g: Canvas, shape: Shape, gloss: string): void => {
    g.fill(shape, hair);
    g.clip(shape, () => g.fill(line(gloss, 5), shine, 0.55));
  };
  const styles: Record<HairStyle, Hair> = {
    bob: {
      back: (g) => {
        g.fill(
          path(
            "M 96 34 C 138 34 156 64 153 102 C 152 122 156 134 150 141 C 134 148 58 148 42 141 C 36 134 40 122 39 102 C 36 64 54 34 96 34 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        fillGlossy(
          g,
          path(
            "M 96 34 C 138 34 156 64 153 102 C 152 120 155 132 149 139 C 140 141 132 138 129 132 C 136 120 138 104 134 82 C 122 84 108 80 104 72 C 98 82 74 86 60 81 C 54 104 56 120 63 132 C 60 138 52 141 43 139 C 37 132 40 120 39 102 C 36 64 54 34 96 34 Z",
          ),
          "M 56 66 C 72 52 116 50 136 66",
        );
      },
    },
    long: {
      back: (g) => {
        g.fill(
          path(
            "M 96 33 C 140 33 157 66 154 106 C 153 134 168 150 164 180 C 163 190 158 196 152 200 L 40 200 C 34 196 29 190 28 180 C 24 150 39 134 38 106 C 35 66 52 33 96 33 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        fillGlossy(
          g,
          path(
            "M 92 33 C 140 30 157 66 154 106 C 153 130 164 146 161 172 C 160 180 152 186 146 178 C 138 160 138 134 138 112 C 138 96 128 88 116 80 C 108 74 102 68 99 58 C 92 76 72 84 60 90 C 54 98 54 106 54 116 C 54 140 54 160 46 178 C 40 186 32 180 31 172 C 28 146 39 130 38 106 C 35 66 52 35 92 33 Z",
          ),
          "M 50 70 C 66 54 84 52 94 50",
        );
        g.clip(polygon([104, 30], [160, 30], [160, 110], [104, 110]), () =>
          g.fill(line("M 112 52 C 126 56 136 64 142 74", 5), shine, 0.55),
        );
        drawFlower(g, 140, 66, 8.5, lighten(accent, 0.25), lighten(accent, 0.8));
      },
    },
    short: {
      back: (g) => {
        g.fill(
          path(
            "M 96 36 C 136 34 150 60 146 92 C 145 104 138 112 128 118 L 64 118 C 54 112 47 104 46 92 C 42 60 56 36 96 36 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        fillGlossy(
          g,
          path(
            "M 52 104 C 44 96 42 76 48 62 C 54 44 76 32 100 33 C 128 34 150 52 148 84 C 148 94 144 102 140 104 C 138 96 138 88 134 82 C 128 80 122 76 119 70 C 112 80 88 82 74 74 C 70 82 64 86 58 87 C 55 92 55 98 52 104 Z",
          ),
          "M 58 58 C 72 46 100 44 118 50",
        );
      },
    },
    bun: {
      back: (g) => {
        g.fill(circle(112, 27, 20), shade);
        g.fill(circle(111, 25, 18), hair);
        g.fill(line("M 101 25 C 104 16 114 13 121 18", 3.5), shine, 0.6);
        g.fill(
          path(
            "M 96 36 C 136 34 151 62 147 92 C 146 102 138 110 128 116 L 64 116 C 54 110 46 102 45 92 C 41 62 56 36 96 36 Z",
          ),
          shade,
        );
        g.fill(line("M 128 10 L 96 44", 4), accent);
        g.fill(circle(129, 9, 5), lighten(accent, 0.35));
      },
      front: (g) => {
        fillGlossy(
          g,
          path(
            "M 46 100 C 40 70 52 38 96 36 C 140 34 152 70 146 100 C 144 108 142 114 137 121 C 137 106 137 92 130 80 C 114 78 100 68 94 56 C 88 72 76 80 62 82 C 55 92 55 106 55 121 C 50 114 48 108 46 100 Z",
          ),
          "M 54 68 C 60 58 70 52 84 48",
        );
        g.fill(line("M 108 48 C 122 52 134 60 140 72", 4), shine, 0.5);
      },
    },
    spiky: {
      back: (g) => {
        g.fill(
          path("M 62 116 C 48 110 42 98 42 84 C 40 50 60 32 96 32 C 134 32 150 52 150 84 C 150 98 144 110 130 116 Z"),
          shade,
        );
      },
      front: (g) => {
        fillGlossy(
          g,
          path(
            "M 51 106 C 44 100 38 92 36 82 C 39 83 41 83 43 82 C 38 74 36 66 37 56 C 41 60 45 61 49 60 C 49 50 53 40 61 33 C 63 38 66 40 70 40 C 74 30 82 22 94 18 C 93 24 94 28 97 31 C 104 26 112 24 121 26 C 119 30 119 34 121 37 C 129 36 137 38 144 43 C 141 46 140 50 141 54 C 147 57 153 62 156 69 C 152 70 150 73 149 76 C 152 81 153 87 152 94 C 149 94 146 98 141 106 C 139 97 138 89 134 81 C 130 85 126 87 121 88 C 122 83 121 78 118 73 C 112 81 104 87 95 89 C 96 84 96 79 94 74 C 87 81 79 86 69 87 C 71 83 72 79 72 75 C 67 80 62 83 57 84 C 54 91 53 98 51 106 Z",
          ),
          "M 58 64 C 74 54 108 52 132 62",
        );
      },
    },
    twin: {
      back: (g) => {
        for (const side of BOTH_SIDES) {
          g.place(side, () => {
            g.fill(
              path("M 48 58 C 24 52 9 78 11 110 C 12 134 22 146 17 168 C 38 162 48 140 47 116 C 46 98 56 84 54 64 Z"),
              hair,
            );
            g.fill(line("M 40 70 C 28 84 26 108 30 132", 3.5), shade, 0.6);
          });
        }
        g.fill(
          path(
            "M 96 36 C 134 34 150 60 146 90 C 145 100 138 108 128 114 L 64 114 C 54 108 47 100 46 90 C 42 60 58 36 96 36 Z",
          ),
          shade,
        );
      },
      front: (g) => {
        fillGlossy(
          g,
          path(
            "M 52 104 C 40 72 52 37 96 35 C 140 37 152 72 140 104 C 138 94 137 87 134 79 C 128 83 120 83 115 79 C 112 83 104 85 97 79 C 90 85 82 85 77 79 C 72 84 64 85 58 81 C 55 90 54 98 52 104 Z",
          ),
          "M 56 66 C 72 52 120 52 136 66",
        );
        g.fill(line("M 96 36 L 96 50", 2), shade, 0.7);
        for (const side of BOTH_SIDES) {
          g.place(side, () => {
            g.fill(
              path("M 47 62 C 36 50 32 56 34 66 C 35 74 42 72 47 64 C 48 76 54 82 60 76 C 66 68 58 62 47 62 Z"),
              accent,
            );
            g.fill(circle(47, 64, 4.5), darken(accent, 0.18));
          });
        }
      },
    },
  };
  return styles[style];
}
