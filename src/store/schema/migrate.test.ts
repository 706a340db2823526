import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { migrations } from './migrate.ts';

/**
 * The released steps, by the first half of their hash. A new step adds a line; a line never changes, because stores that have the step would
 * not get the change.
 */
const released: readonly (readonly [number: number, name: string, hash: string])[] = [
  [1, 'requests and bodies', '7996a75920f1aed300d8dcaed8594413'],
  [2, 'feedback number, time of a cached original', 'b94b1b2621f1a1850a16feb7836a19d2'],
  [3, 'changes', 'f2488df260ee134a9340efc3c11319b4'],
  [4, 'rests of long bodies', 'a02ffccd8e46984169594f0c4d283e7d'],
  [5, 'session tags and changes', '17e5e8be2c875c1ffdf8936902169245'],
  [6, 'applied prices', 'e8bf96791e9eaf62ed215e63ad399530'],
  [7, 'removals', '3fb5f60e62b870cdd6a0d153eef7e10b'],
  [8, 'upkeep of parts', 'f2c2ee40435b1436d0648d784664e5c4'],
  [9, 'fewer merges', '8295a101e4c43cefb6ea651bba106518'],
  [10, 'aliased names', 'de711db25ac76449b08ac09aa458cf49'],
  [11, 'display column', '9258e8bf2f5ca985169df932fce9fe20'],
  [12, 'bodies before groups', '26612a3a8e0b703cd9b90d3f7c4ab908'],
  [13, 'bodies in groups', 'cd039b611f3495050ab77f55a38cef86'],
  [14, 'smaller blocks', '04393bab3ec7a049ff47ede437c48726'],
  [15, 'requests of jobs', '2de7f61ae6780418d1aee977e72fb6b5'],
  [16, 'order of storage', '1d2c1052a60bdec8f8dbc51d15e0c8bd'],
  [17, 'traces', 'e95bc42b1b078425eb503503de5ea976'],
  [18, 'hashes of credentials', '4bdc5d983c6c62d3ca4d041cbdc9122e'],
  [19, 'merges column by column', 'ba56092957842f3506e90b8709d74c59'],
  [20, 'facts of calls', 'c94d76fff886a771b7203d37063f6e9f'],
  [21, 'previews', 'c3feebeb176a3694e8f7405ed0f48f3f'],
  [22, 'words of new text', '0c1bb1f4174cd544248faf6b03d3b08e'],
];

test('a step of the schema that has been released is what it was', () => {
  const steps = migrations.map(({ number, name, statements }) => [number, name, hashOf(statements)]);
  expect(steps).toEqual(released);
});

function hashOf(statements: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 32);
}
