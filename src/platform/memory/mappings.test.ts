import { describe, expect, it, test } from 'vitest';
import { isPlainFile, type Mapping, mappingsOf } from './mappings.ts';

/** As Linux 6.18 writes it, without the fields that nobody reads. */
const smaps = `00400000-00b6f000 r--p 00000000 fe:00 260689                             /usr/bin/node
Size:               7612 kB
Rss:                6716 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
17f99000-18408000 rw-p 00000000 00:00 0                                  [heap]
Size:               4540 kB
Rss:                4320 kB
Anonymous:          4320 kB
Swap:                  0 kB
VmFlags: rd wr mr mw me ac
7f2a48400000-7f2a5156e000 r--p 00000000 fe:00 2101761                    /srv/the lib/libengine.so
Size:             148920 kB
Rss:               46976 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
7f2a5156e000-7f2a69348000 r-xp 0916d000 fe:00 2101761                    /srv/the lib/libengine.so
Size:             391016 kB
Rss:              123744 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f2a69348000-7f2a69fc4000 r--p 20f46000 fe:00 2101761                    /srv/the lib/libengine.so
Size:              12784 kB
Rss:               12768 kB
Anonymous:         12764 kB
Swap:                  4 kB
VmFlags: rd mr mw me ac
7f2a69fc4000-7f2a6a01b000 rw-p 21bc1000 fe:00 2101761                    /srv/the lib/libengine.so
Size:                348 kB
Rss:                 348 kB
Anonymous:           348 kB
Swap:                  0 kB
VmFlags: rd wr mr mw me ac
7f2a6a01b000-7f2a6af99000 rw-p 00000000 00:00 0
Size:              15864 kB
Rss:                2156 kB
Anonymous:          2156 kB
Swap:                  0 kB
VmFlags: rd wr mr mw me ac
`;

test("a library's mappings are found, with what they hold", () => {
  const mappings = mappingsOf(smaps, 'libengine.so');
  expect(mappings.map(({ permissions }) => permissions)).toEqual(['r--p', 'r-xp', 'r--p', 'rw-p']);
  expect(mappings[2]).toEqual({
    start: 0x7f2a69348000,
    end: 0x7f2a69fc4000,
    permissions: 'r--p',
    offset: 0x20f46000,
    resident: 12_768 * 1024,
    anonymous: 12_764 * 1024,
    swapped: 4096,
  });
});

test('of them, the first constants and the code are plain file', () => {
  const plain = mappingsOf(smaps, 'libengine.so').filter((mapping) => isPlainFile(mapping));
  expect(plain.map(({ permissions, offset }) => `${permissions} ${offset.toString(16)}`)).toEqual(['r--p 0', 'r-xp 916d000']);
});

test.each([
  ['another library', 'libother.so'],
  ['the end of a name', 'engine.so'],
])('%s is not found', (_what, name) => {
  expect(mappingsOf(smaps, name)).toEqual([]);
});

test('a file that was replaced on the disk is not found', () => {
  expect(mappingsOf(smaps.replaceAll('libengine.so', 'libengine.so (deleted)'), 'libengine.so')).toEqual([]);
});

describe('a mapping is not plain file', () => {
  const code: Mapping = { start: 0x1000, end: 0x3000, permissions: 'r-xp', offset: 0x1000, resident: 8192, anonymous: 0, swapped: 0 };

  it.each<[string, Partial<Mapping>]>([
    ['that this process has changed, such as code with a breakpoint', { anonymous: 4096 }],
    ['whose changed pages are in swap', { swapped: 4096 }],
    ['of constants behind the code: the loader may have written addresses there', { permissions: 'r--p' }],
    ['that can be written', { permissions: 'rw-p', offset: 0 }],
    ['that is shared', { permissions: 'r-xs' }],
    ['when the system does not tell of changes', { anonymous: undefined }],
    ['when the system does not tell of swap', { swapped: undefined }],
  ])('%s', (_which, difference) => {
    expect(isPlainFile(code)).toBe(true);
    expect(isPlainFile({ ...code, ...difference })).toBe(false);
  });
});
