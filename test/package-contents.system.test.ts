import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** As `npm pack` packs it, without building it again. */
interface Packed {
  readonly archive: Uint8Array<ArrayBuffer>;
  /** Bytes on the disk of who installs it. */
  readonly unpackedBytes: number;
  readonly files: readonly string[];
}

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-contents-'));
let packed: Packed;

beforeAll(() => {
  const printed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { encoding: 'utf8' });
  const [report] = JSON.parse(printed) as readonly {
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string }[];
  }[];
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  packed = {
    archive: new Uint8Array(readFileSync(path.join(folder, archive))),
    unpackedBytes: report?.unpackedSize ?? 0,
    files: report?.files.map((file) => file.path) ?? [],
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first two folders of a path, or the file that lies above them. */
const placeOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** About a tenth above what it has now: what comes in by mistake (tests, maps, another platform's binary) is larger. */
const maxPackedBytes = 3_700_000;
const maxUnpackedBytes = 7_800_000;

describe('what is published', () => {
  it('is the program, its pages and the client, with what one reads first', () => {
    expect([...new Set(packed.files.map(placeOf))].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/cli',
      'dist/client',
      'dist/gateway',
      'dist/ingest',
      'dist/intake',
      'dist/joined',
      'dist/main',
      'dist/model',
      'dist/pages',
      'dist/state',
      'package.json',
    ]);
  });

  it('has no sources, maps, tests or notes of the build', () => {
    const kinds = new Set(packed.files.map((file) => (file.endsWith('.d.ts') ? '.d.ts' : path.extname(file))));
    expect([...kinds].toSorted()).toEqual(['', '.cjs', '.d.ts', '.gz', '.js', '.json', '.md', '.txt']);
    expect(packed.files.filter((file) => /\.(?:test|built-from)/.test(file))).toEqual([]);
  });

  it('is small', () => {
    expect(packed.archive.byteLength).toBeLessThan(maxPackedBytes);
    expect(packed.unpackedBytes).toBeLessThan(maxUnpackedBytes);
  });

  it('has entries that Node, bundlers and TypeScript find', async () => {
    const { messages } = await publint({ pack: { tarball: packed.archive.buffer }, strict: true });
    expect(messages).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Readonly<Record<string, string>> };
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });
});
