import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { CodingTurns } from './coding-turns.ts';

const mebi = 1024 * 1024;
const packed = { coding: 'gzip', maxBytes: 4 * mebi };
const [greedy, modest] = ['greedy', 'modest'] as unknown as readonly [OrganizationId, OrganizationId];
const reply = gzipSync('{"choices":[]}');
/** Somewhat more than 2 MiB, packed or not. */
const large = gzipSync(randomBytes(2 * mebi));

const statuses = async (asked: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(asked)).map(({ status }) => status);

describe('replies are packed and unpacked for the cache in turn', () => {
  it('decodes a reply, and gives nothing for one that is too long once it is unpacked', async () => {
    const turns = new CodingTurns();
    expect(String(await turns.unpack(greedy, reply, packed))).toBe('{"choices":[]}');
    expect(await turns.unpack(greedy, gzipSync(Buffer.alloc(4 * mebi + 1)), packed)).toBeUndefined();
    expect(await turns.unpack(greedy, Buffer.from('no gzip'), packed)).toBeUndefined();
  });

  it('takes hundreds of small replies at once', async () => {
    const turns = new CodingTurns();
    expect(await statuses(Array.from({ length: 500 }, () => turns.unpack(greedy, reply, packed)))).not.toContain('rejected');
  });

  it('refuses very many replies of a few bytes', async () => {
    const turns = new CodingTurns();
    const found = await statuses(Array.from({ length: 3000 }, () => turns.unpack(greedy, reply, packed)));
    expect(found.filter((status) => status === 'fulfilled').length).toBeLessThanOrEqual(2048);
    expect(found).toContain('rejected');
  });

  it('refuses what is over eight MiB of an organisation, while another has its turn', async () => {
    const turns = new CodingTurns();
    const ended: string[] = [];
    const asked = [1, 2, 3, 4, 5].map((at) => turns.unpack(greedy, large, packed).then(() => ended.push(`greedy ${at}`)));
    const other = turns.unpack(modest, large, packed).then(() => ended.push('modest'));
    expect(await statuses([...asked, other])).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(ended).toEqual(['greedy 1', 'greedy 2', 'modest', 'greedy 3']);
    expect(await statuses([turns.unpack(greedy, large, packed)])).toEqual(['fulfilled']);
  });

  it('packs large replies in the same turns, and small ones at once', async () => {
    const turns = new CodingTurns();
    const held = [turns.unpack(greedy, large, packed), turns.pack(greedy, large, 'gzip'), turns.pack(greedy, large, 'gzip')];
    expect(await statuses([turns.pack(greedy, large, 'br')])).toEqual(['rejected']);
    expect(await statuses([turns.pack(greedy, reply, 'br'), ...held])).not.toContain('rejected');
  });

  it('takes one reply of more than eight MiB', async () => {
    const turns = new CodingTurns();
    expect(await statuses([turns.pack(greedy, Buffer.alloc(9 * mebi), 'gzip')])).toEqual(['fulfilled']);
  });
});
