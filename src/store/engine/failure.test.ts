import { describe, expect, test } from 'vitest';
import { changeFailure, engineErrorOf, isRejection, storeFailure } from './failure.ts';

describe('an error of the engine', () => {
  const reading =
    '(while reading column x): (while reading from part /data/store/abc/0a0b0c0d-0000-4000-8000-000000000001/202312_1_1_0/ in table t)';

  test.each([
    ['Code: 33. Cannot read all data', reading, true],
    ['Code: 117. Invalid type', reading, true],
    ['Code: 341. Mutation failed', reading, true],
    ['Code: 40. Checksum doesn’t match', '', true],
    ['Code: 241. Memory limit exceeded', reading, false],
    ['Code: 159. Timeout exceeded', reading, false],
    ['Code: 33. Cannot read all data', '(while reading rows of an insert)', false],
    ['Code: 6. Cannot parse', '(while reading from part /data/x/)', false],
  ])('%s %s is one of a damaged file: %s', (first, then, isOne) => {
    const error = engineErrorOf(`${first}: ${then}`);
    expect(storeFailure(error).code === 'store_damaged').toBe(isOne);
  });

  test.each([
    ['Query memory limit exceeded: would use 1.00 GiB', 'query_too_large', 422],
    ['Memory limit (for query) exceeded: would use 1.00 GiB', 'query_too_large', 422],
    ['(total) memory limit exceeded: would use 8.00 GiB', 'store_unavailable', 503],
    ['Memory limit (total) exceeded: would use 8.00 GiB', 'store_unavailable', 503],
    ['User memory limit exceeded: would use 4.00 GiB', 'store_unavailable', 503],
  ])('%s: a query is answered with %s, and a change of one record with 503', (words, code, status) => {
    const error = engineErrorOf(`Code: 241. DB::Exception: ${words}. (MEMORY_LIMIT_EXCEEDED)`);
    expect(storeFailure(error)).toMatchObject({ code, status });
    expect(changeFailure(error)).toMatchObject({ code: 'store_unavailable', status: 503 });
    expect(changeFailure(storeFailure(error))).toMatchObject({ code: 'store_unavailable', cause: error });
  });

  test.each(['225', '254', '285', '286', '289', '319', '369'])('%s, of replicas that are away or behind, is answered with 503', (code) => {
    const error = engineErrorOf(`Code: ${code}. DB::Exception: Replicas are away.`);
    expect(storeFailure(error)).toMatchObject({ code: 'store_unavailable', status: 503 });
    expect(isRejection(error)).toBe(false);
  });

  test('of a damaged file makes no record a dead letter', () => {
    expect(isRejection(engineErrorOf('Code: 33. Cannot read all data'))).toBe(true);
    expect(isRejection(engineErrorOf(`Code: 33. Cannot read all data: ${reading}`))).toBe(false);
    expect(isRejection(storeFailure(engineErrorOf(`Code: 33. Cannot read all data: ${reading}`)))).toBe(false);
  });
});
