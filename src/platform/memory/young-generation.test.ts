import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { acceptCompiledModules, youngGeneration } from './young-generation.ts';

const source = 'globalThis.performance.now()';

let compilations = 0;

/** Each time by another name: V8 does not look at the data of what it has compiled already. */
function isAccepted(cachedData: Buffer): boolean {
  compilations += 1;
  return new Script(source, { cachedData, filename: `compilation-${compilations}.js` }).cachedDataRejected === false;
}

afterEach(() => acceptCompiledModules());

test('what was compiled without the size of the young generation is taken again once the flag is gone', () => {
  const compiled = new Script(source).createCachedData();
  setFlagsFromString(youngGeneration);
  expect(isAccepted(compiled)).toBe(false);
  acceptCompiledModules();
  expect(isAccepted(compiled)).toBe(true);
});
