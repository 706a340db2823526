import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreRig, type StoreRig } from '../../store/testing/store-harness.ts';

let rig: StoreRig;
beforeAll(async () => {
  rig = await openStoreRig();
});
afterAll(async () => rig.close());

/** A character alone, and where it may part a Greek sigma from the letter before or behind it. */
const inContext = (character: string): string => `${character}|A${character}Σ|AΣ${character}B|AΣ${character}|${character}\u0307|`;

async function isFoldedAlike(text: string): Promise<boolean> {
  const params = { text, lower: text.toLowerCase() };
  const [row] = await rig.run<{ same: number }>('SELECT lowerUTF8({text:String}) = {lower:String} AS same', { params });
  return row?.same === 1;
}

test('JavaScript and the store fold every character alike, in every context', async () => {
  const unlike: string[] = [];
  const block = 0x4000;
  for (let from = 0; from < 0x11_0000; from += block) {
    const characters = Array.from({ length: block }, (_, index) => String.fromCodePoint(from + index)).filter((text) =>
      text.isWellFormed(),
    );
    if (await isFoldedAlike(characters.map(inContext).join(''))) continue;
    for (const character of characters) if (!(await isFoldedAlike(inContext(character)))) unlike.push(character);
  }
  expect(unlike).toEqual([]);
});

test.each(['ΟΔΟΣ', 'ΑΣ.Α', 'ΑΣ\u0301Β', 'ΑΣ\u00AD', 'Σ', 'ΣΑ', 'aΣ:b', 'ΑΣ\0', 'İI', 'I\u0307', 'Į\u0307', 'ẞß', '%ΑΣ%', '\\ΑΣ\\_'])(
  '%j folds alike',
  async (text) => {
    expect(await isFoldedAlike(text)).toBe(true);
  },
);
