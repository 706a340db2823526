import { assert as assertAny } from 'fast-check';
import { testSeed } from './test-length.ts';

/** As fast-check's, with the seed of the other tests unless one is given. A failure prints it. */
export const assert = ((property: never, parameters?: object) =>
  assertAny(property, { seed: testSeed(), ...parameters })) as typeof assertAny;
