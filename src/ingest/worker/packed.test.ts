import {
  array,
  assert,
  bigInt,
  constant,
  double,
  integer,
  nat,
  oneof,
  option,
  property,
  record,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import type { AcceptedChange } from '../../model/change.ts';
import type { InterpretedExchange, InterpretTask, TaskSettings } from './record-builder.ts';
import { memoryOfResults, packResults, unpackResults } from './packed-results.ts';
import { memoryOfTasks, packTasks, unpackTasks } from './packed-tasks.ts';
import { moneyOfUnits } from '../../model/pricing/money.ts';
import type { BudgetSettlement } from '../interpret/settlement.ts';

const seed = 4711;

/** What arrives in the other thread. */
function crossed<Packed>(packed: Packed, memory: ArrayBuffer[]): Packed {
  return structuredClone(packed, { transfer: memory });
}

const settingsOf = (seriesFolder: string): TaskSettings => ({
  seriesFolder,
  organizationId: '01890000-0000-7000-8000-000000000001' as OrganizationId,
  declaredNames: new Map([['team', 'Team']]),
  redactionRules: undefined,
  organizationPrices: [],
});
const settings = ['a', 'b', 'c'].map(settingsOf);

const wide = nat(2 ** 31 - 1).map((number) => number * 2 ** 20);
const frame = record({
  segment: wide,
  offset: wide,
  length: nat(),
  kind: nat(9),
  stream: wide,
  stamp: integer({ min: 0, max: 2 ** 32 - 1 }),
});
const task = record({
  settings: integer({ min: 0, max: 2 }).map((place) => settings[place] ?? settingsOf('none')),
  frames: array(frame, { maxLength: 6 }),
  changes: oneof(
    constant([]),
    array(
      string().map((name) => ({ name }) as unknown as AcceptedChange),
      { maxLength: 2 },
    ),
  ),
});

describe('tasks cross to another thread', () => {
  it('as they are', () => {
    assert(
      property(array(task, { maxLength: 20 }), (tasks: InterpretTask[]) => {
        const packed = packTasks(tasks);
        expect([...unpackTasks(crossed(packed, memoryOfTasks(packed)))]).toEqual(tasks);
      }),
      { seed },
    );
  });

  it('with what they have in common once', () => {
    const [common] = settings;
    const tasks = Array.from({ length: 100 }, () => ({ settings: common ?? settingsOf('none'), frames: [], changes: [] }));
    const packed = packTasks(tasks);
    expect(packed.settings).toEqual([common]);
    const folders = new Set([...unpackTasks(packed)].map((unpacked) => unpacked.settings));
    expect(folders.size).toBe(1);
  });
});

const pieces = [new SharedArrayBuffer(1000), new SharedArrayBuffer(2000)];
const row = tuple(integer({ min: 0, max: 1 }), nat(900), nat(100)).map(
  ([piece, offset, length]) => new Uint8Array(pieces[piece] ?? new SharedArrayBuffer(1000), offset, length),
);
const rows = record({
  request: row,
  bodies: row,
  changes: row,
  endedAt: option(double({ min: -1e12, max: 1e13, noNaN: true })),
  spend: option(
    record({
      provider: string(),
      model: string(),
      cost: option(bigInt({ min: -(10n ** 20n), max: 10n ** 31n }).map((units) => moneyOfUnits(units))),
      inputTokens: nat(),
      cacheReadTokens: nat(),
      cacheWriteTokens: nat(),
      audioSeconds: nat(),
      outputTokens: nat(),
    }),
    { nil: undefined },
  ),
  settlement: option(
    bigInt({ min: 0n, max: 1n }).map((units) => ({ units }) as unknown as BudgetSettlement),
    { nil: undefined },
  ),
  redactionFailure: option(string(), { nil: undefined }),
  threatCheckFailure: option(string(), { nil: undefined }),
});
const result = oneof(rows, record({ failure: string() }), record({ shortage: string() }), record({ erasure: nat() }));

describe('results cross to another thread', () => {
  it('as they are, each row with its own bytes', () => {
    assert(
      property(
        array(result, { maxLength: 20 }),
        uint8Array({ minLength: 2000, maxLength: 2000 }),
        (results: InterpretedExchange[], bytes) => {
          for (const piece of pieces) new Uint8Array(piece).set(bytes.subarray(0, piece.byteLength));
          const packed = packResults(results, results.length);
          expect(unpackResults(crossed(packed, memoryOfResults(packed)), () => undefined).results.map(plain)).toEqual(results.map(plain));
          expect(packed.memory.length).toBeLessThanOrEqual(pieces.length);
        },
      ),
      { seed },
    );
  });

  it('without a copy of the rows', () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(8));
    const packed = packResults([{ request: bytes, bodies: bytes, changes: bytes.subarray(8), endedAt: null }], 1);
    const [arrived] = unpackResults(crossed(packed, memoryOfResults(packed)), () => undefined).results;
    bytes[7] = 1;
    expect(arrived).toMatchObject({ request: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1), changes: new Uint8Array(), endedAt: null });
  });
});

it('a very large row, whose memory is not shared, crosses without a copy, and is not given back', () => {
  const bytes = new Uint8Array(new ArrayBuffer(8)).fill(7);
  const shared = new Uint8Array(new SharedArrayBuffer(8));
  const packed = packResults([{ request: shared, bodies: bytes, changes: shared.subarray(8), endedAt: null }], 1);
  const givenBack: (readonly SharedArrayBuffer[])[] = [];
  const interpretation = unpackResults(crossed(packed, memoryOfResults(packed)), (memory) => givenBack.push(memory));
  expect(bytes.byteLength).toBe(0);
  expect(interpretation.results).toMatchObject([{ bodies: new Uint8Array(8).fill(7), request: new Uint8Array(8) }]);
  interpretation[Symbol.dispose]();
  expect(givenBack).toEqual([[expect.any(SharedArrayBuffer)]]);
});

it('rows cannot be read once their memory was given back, which is once', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(8));
  const packed = packResults([{ request: bytes, bodies: bytes, changes: bytes.subarray(8), endedAt: null }], 1);
  const givenBack: (readonly SharedArrayBuffer[])[] = [];
  const interpretation = unpackResults(crossed(packed, memoryOfResults(packed)), (memory) => givenBack.push(memory));
  const [first] = interpretation.results;
  interpretation[Symbol.dispose]();
  interpretation[Symbol.dispose]();
  expect(givenBack.map((memory) => memory.map(({ byteLength }) => byteLength))).toEqual([[8]]);
  expect(() => (first !== undefined && 'request' in first ? first.request : undefined)).toThrow('gave it back');
});

/** With every member of its own. */
function plain(exchange: InterpretedExchange): unknown {
  if (!('request' in exchange)) return exchange;
  const { request, bodies, changes, endedAt, settlement, redactionFailure, threatCheckFailure } = exchange;
  return { request, bodies, changes, endedAt, settlement, redactionFailure, threatCheckFailure };
}
