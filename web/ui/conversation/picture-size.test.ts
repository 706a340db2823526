import { expect, test } from 'vitest';
import { pictureSize } from './picture-size.ts';

const base64 = (...parts: readonly (string | readonly number[])[]): string => {
  const bytes = Buffer.concat([
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    Buffer.alloc(30),
  ]);
  return `data:image/x;base64,${bytes.toString('base64')}`;
};

test.each([
  ['PNG', base64([0x89], 'PNG\r\n\u001a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 0x3e, 0x80, 0, 0, 0x3e, 0x80]), 16_000, 16_000],
  ['GIF', base64('GIF89a', [0x40, 1, 0xf0, 0]), 320, 240],
  ['JPEG', base64([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 1, 0, 2, 0]), 512, 256],
  ['WebP with features', base64('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0xff, 1, 0, 0xff, 0, 0]), 512, 256],
  ['WebP', base64('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', [10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0, 2, 0, 1]), 512, 256],
  ['WebP without loss', base64('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [10, 0, 0, 0, 0x2f, 0xff, 0xc1, 0x3f, 0]), 512, 256],
])('the size of a %s', (_what, source, width, height) => {
  expect(pictureSize(source)).toEqual({ width, height });
});

test.each([['nothing'], ['data:image/png;base64,'], ['data:image/png;base64,!!!!'], [base64('ftypavif')], [base64([0xff, 0xd8, 0, 1])]])(
  'where the beginning says none, it is not known: %s',
  (source) => {
    expect(pictureSize(source)).toBeUndefined();
  },
);
