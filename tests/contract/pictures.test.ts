import { expect, test } from "vitest";
import { mediumSize } from "../../workers/contract/pictures.ts";

/** Returns a picture that is stored in several sizes. Only whether there is a `srcset` matters. */
const stored = (width: number, height: number): Parameters<typeof mediumSize>[0] => ({ width, height, srcset: "" });

test.each<[string, Parameters<typeof mediumSize>[0], [number, number]]>([
  ["wide", stored(1920, 1080), [1280, 720]],
  ["hardly wider than medium", stored(1400, 700), [1400, 700]],
  ["narrower than medium", stored(1000, 333), [1000, 333]],
  ["tall, which has no JPEG of medium's width", stored(1414, 3535), [640, 1600]],
  ["narrow, which has one JPEG", stored(600, 400), [600, 400]],
  ["of one size", { width: 300, height: 200, srcset: null }, [300, 200]],
  ["older than sizes", { width: 1536, height: 512, srcset: null }, [1536, 512]],
])("a picture that is %s is served to other sites in the size that they are told", (_, picture, [width, height]) => {
  expect(mediumSize(picture)).toEqual({ width, height });
});
