import { anything, constant, constantFrom, dictionary, type Arbitrary, json, oneof, record, sample, string } from 'fast-check';
import { expect, test } from 'vitest';
import { requestItemSchema } from '../../contract/requests/item.ts';
import { messageOf } from '../../model/errors.ts';
import { noOrganizationPrices } from '../../pricing/organization-prices.ts';
import { bookWithoutOperator } from '../../pricing/layers/books.ts';
import { rowsOf } from '../../store/insert/rows.ts';
import { importedExchange } from '../testing/imported-exchange.ts';
import { ItemFault } from './fields.ts';
import { importedRecord } from './imported-record.ts';
import { checkLine } from './read-item.ts';
import { testSeed } from '../../../test/support/test-length.ts';

const seed = testSeed();
const id = '0193b3a4-0000-7000-8000-000000000001';
const prices = { book: bookWithoutOperator, organization: noOrganizationPrices };

const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  65_535,
  65_536,
  2 ** 53,
  2 ** 63,
  2 ** 64 - 2048,
  2 ** 64,
  1e26,
  1e300,
  -1e300,
  1e-20,
  Number.MAX_SAFE_INTEGER,
];
const texts = [
  '',
  ' ',
  '0',
  '18446744073709549568',
  '1e400',
  'NaN',
  '2026-01-31T12:00:00Z',
  '2299-12-31',
  '\ud800',
  '\0',
  '{}',
  'x'.repeat(9000),
];
const odd: Arbitrary<unknown> = oneof(
  constantFrom(...numbers),
  constantFrom(...texts),
  constantFrom(null, true, false, [], {}),
  string(),
  anything({ maxDepth: 2 }),
  json().map((text) => JSON.parse(text) as unknown),
  dictionary(
    oneof(string(), constantFrom('__proto__', 'Helicone-Session-Id', 'Svc-Session-Id', 'x'.repeat(129))),
    oneof(string(), anything({ maxDepth: 1 })),
    {
      maxKeys: 3,
    },
  ),
);

const fields = Object.keys(requestItemSchema.shape).filter((name) => name !== 'request_id' && name !== 'request_created_at');
const counts = dictionary(constantFrom('prompt_tokens', 'completion_tokens'), constantFrom(0, 7, 2 ** 53, 2 ** 63, 2 ** 64 - 2048));
const usage = { prompt_tokens: 2 ** 53 - 1, completion_tokens: 2 ** 53 - 1 };
const answered = counts.map((some) => ({ ...some, request_body: { messages: [] }, response_body: { choices: [], usage } }));
const item = oneof(
  { weight: 5, arbitrary: dictionary(constantFrom(...fields), odd, { maxKeys: 4 }) },
  { weight: 1, arbitrary: answered },
).chain((some) =>
  record({ request_id: constant(id), request_created_at: constantFrom('2026-01-31T12:00:00.000Z', 1_767_225_600_000), ...constants(some) }),
);

function constants(values: Readonly<Record<string, unknown>>): Record<string, Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, constant(value)]));
}

function lineOf(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
}

/** Whether the line is accepted. @throws anything but a fault that names its field. */
function isAccepted(line: string): boolean {
  try {
    checkLine(line);
    return true;
  } catch (error) {
    if (error instanceof ItemFault) return false;
    throw error;
  }
}

function failureOf(write: () => unknown): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

test(`an item of any values is rejected with its field, or the store can hold it (seed ${seed})`, () => {
  let accepted = 0;
  for (const made of sample(item, { numRuns: 5000, seed })) {
    const line = lineOf(made);
    if (!isAccepted(line)) continue;
    accepted += 1;
    const { record: stored, updatedAt } = importedRecord(importedExchange(id, line), { changes: [], prices });
    expect({ line, failure: failureOf(() => rowsOf(stored, updatedAt)) }).toEqual({ line, failure: undefined });
  }
  expect(accepted).toBeGreaterThan(500);
});
