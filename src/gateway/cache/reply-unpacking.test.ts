import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { ReplyUnpacking } from './reply-unpacking.ts';

const packed = { coding: 'gzip', maxBytes: 1024 };
const [greedy, modest] = ['greedy', 'modest'] as unknown as readonly [OrganizationId, OrganizationId];
const reply = gzipSync('{"choices":[]}');

describe('replies are unpacked for the cache in turn', () => {
  it('decodes a reply, and gives nothing for one that is too long once it is unpacked', async () => {
    const unpacking = new ReplyUnpacking();
    expect(String(await unpacking.unpack(greedy, reply, packed))).toBe('{"choices":[]}');
    expect(await unpacking.unpack(greedy, gzipSync(Buffer.alloc(1025)), packed)).toBeUndefined();
    expect(await unpacking.unpack(greedy, Buffer.from('no gzip'), packed)).toBeUndefined();
  });

  it('refuses replies of an organisation of which eight wait, while another has its turn', async () => {
    const unpacking = new ReplyUnpacking();
    const ended: string[] = [];
    const asked = Array.from({ length: 12 }, (_none, at) =>
      unpacking.unpack(greedy, reply, packed).finally(() => ended.push(`greedy ${at}`)),
    );
    const other = unpacking.unpack(modest, reply, packed).finally(() => ended.push('modest'));
    const outcomes = await Promise.allSettled([...asked, other]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array<string>(9).fill('fulfilled'),
      ...Array<string>(3).fill('rejected'),
      'fulfilled',
    ]);
    const whole = ended.filter((name) => !['greedy 9', 'greedy 10', 'greedy 11'].includes(name));
    expect(whole.indexOf('modest')).toBeLessThanOrEqual(2);
  });

  it('goes on after a reply that cannot be decoded', async () => {
    const unpacking = new ReplyUnpacking();
    await Promise.all([unpacking.unpack(greedy, Buffer.from('no gzip'), packed), unpacking.unpack(greedy, Buffer.alloc(0), packed)]);
    expect(await unpacking.unpack(greedy, reply, packed)).toBeDefined();
  });
});
