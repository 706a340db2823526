import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');

/** Of a colour in light and in dark, by WCAG 2. */
function luminances(name: string): readonly number[] {
  const colours = new RegExp(String.raw`--${name}: light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)`).exec(css) ?? [];
  return colours.slice(1).map((colour) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
}

function contrasts(one: string, other: string): readonly number[] {
  const [left, right] = [luminances(one), luminances(other)];
  return left.map((light, scheme) => {
    const pair = [light, right[scheme] ?? Number.NaN];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
}

it.each(['ground', 'surface'])('a chip is told from the %s that it lies on, in light and in dark', (below) => {
  for (const contrast of contrasts('chip', below)) expect(contrast).toBeGreaterThan(1.12);
});

it.each(['text', 'text-muted'])('a chip has readable letters of the colour %s', (letters) => {
  const found = contrasts('chip', letters);
  expect(found).toHaveLength(2);
  for (const contrast of found) expect(contrast).toBeGreaterThan(4.5);
});
