import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { GatelogError } from '../../model/errors.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import { usdOf, zeroMoney } from '../../model/pricing/money.ts';
import { systemClock } from '../../platform/clock.ts';
import { bookWithoutOperator } from '../../pricing/layers/books.ts';
import { readOrganizationPrices } from '../../pricing/organization-prices.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { Store } from '../../store/store.ts';
import { maxWaiting } from './complete-usage.ts';
import { call, finished, model, newResponse, read, responseOf, usage } from '../testing/background-calls.ts';
import { displayValue } from '../../store/update/display.ts';
import { completeUsageIn } from '../testing/complete-usage-harness.ts';
import type { DrainParts } from '../drain-parts.ts';
import { SpendCounters } from '../spend-counters.ts';
import { type IngestRig, makeGate, newId, openRig, SpoolRig, until } from '../testing/ingest-harness.ts';
import type { BudgetSettlement } from '../interpret/settlement.ts';

let rig: IngestRig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());

interface ReadFields {
  readonly method: string;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cached: number | null;
  readonly reasoning: number | null;
  readonly usage_raw: string;
  readonly cost: number | null;
  readonly cost_source: string;
  readonly response_model: string;
  readonly service_tier: string;
}

/** A page shows the values that the columns have. */
async function expectDisplayed(spool: SpoolRig): Promise<void> {
  const text = displayValue().pieces.map(String).join('');
  const others = await spool.read(`SELECT display, ${text} AS wanted FROM requests WHERE org_id = {tenant:UInt128} AND display != wanted`);
  expect(others).toEqual([]);
}

async function fieldsOf(spool: SpoolRig, id: RequestId, organizationId?: OrganizationId): Promise<ReadFields> {
  const [row, ...others] = await spool.read<ReadFields>(
    `SELECT method, prompt_tokens, completion_tokens, total_tokens, prompt_cache_read_tokens AS cached, reasoning_tokens AS reasoning, usage_raw,
      toFloat64(cost) AS cost, cost_source, response_model, service_tier
     FROM requests WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}')`,
    organizationId,
  );
  if (row === undefined || others.length > 0) throw new Error('not one row');
  await expectDisplayed(spool);
  return row;
}

async function historyOf(spool: SpoolRig, id: RequestId) {
  return spool.read<{ kind: string; name: string; old: string; new: string; key_id: string }>(
    `SELECT kind, name, old, new, key_id FROM changes
     WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}') ORDER BY kind, name`,
  );
}

/** 600 fresh, 400 cached and 200 generated tokens of gpt-4o-mini. */
const cost = (600 * 0.15 + 400 * 0.075 + 200 * 0.6) / 1e6;
const unknown = { prompt_tokens: null, completion_tokens: null, total_tokens: null, cost: null, cost_source: 'none' };
const known = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  cached: 400,
  reasoning: 50,
  cost,
  cost_source: 'price-book',
  response_model: model,
  service_tier: 'default',
};
const entries = [
  { kind: 'cost', name: 'cost', old: 'null', new: String(cost), key_id: 'gateway' },
  { kind: 'usage', name: 'completion_tokens', old: 'null', new: '200', key_id: 'gateway' },
  { kind: 'usage', name: 'prompt_tokens', old: 'null', new: '1000', key_id: 'gateway' },
];

const priceFrom = (validFrom: string | null, usd: number) => ({
  model: 'gpt-4o-mini*',
  provider: null,
  validFrom,
  rates: { input: usd, output: usd },
});

const dayMs = 24 * 60 * 60_000;
describe('a call in the background', () => {
  test('has no usage and no cost until its response is read', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, read(response, responseOf(response, 'in_progress')));
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject(unknown);
    expect(await historyOf(spool, id)).toEqual([]);
  });

  test('gets usage and cost by the read that brings them, and the read itself has none', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.drainAll();
    const reading = await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject({ ...known, usage_raw: JSON.stringify(usage) });
    expect(await fieldsOf(spool, reading)).toMatchObject({ method: 'GET', ...unknown });
    expect(await historyOf(spool, id)).toEqual(entries);
  });

  test('gets the counts, and not the usage as received, where that is larger than any is', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, read(response, finished(response, { usage: { ...usage, more: "'".repeat(64 * 1024) } })));
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject({ ...known, usage_raw: '' });
  });

  test('gets them from a stream that takes its response up again', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    const event = { type: 'response.completed', sequence_number: 9, response: JSON.parse(finished(response)) as object };
    await spool.write(writer, {
      ...read(response, `event: response.completed\ndata: ${JSON.stringify(event)}\n\n`),
      head: { headers: { 'content-type': 'text/event-stream' } },
    });
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject(known);
  });

  test('gets them once, however often its response is read', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, read(response, finished(response)));
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    await spool.write(writer, read(response, finished(response, { usage: { ...usage, output_tokens: 999 } })));
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject(known);
    expect(await historyOf(spool, id)).toEqual(entries);
    expect(openCheckpointFile(spool.folder).load().waiting).toBeUndefined();
  });

  test('gets nothing by reads of another organisation, of another provider, of another response, and of a response that failed to be read', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, read(response, finished(response), { organizationId: newId() }));
    await spool.write(writer, read(response, finished(response), { provider: 'azure' }));
    await spool.write(writer, read(newResponse(), finished(response)));
    await spool.write(writer, { ...read(response, finished(response)), head: { status: 404 } });
    await spool.write(writer, read(response, finished(response), { path: `/v1/batches/${response}`, targetUrl: '' }));
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject(unknown);
  });

  test('keeps the cost that its caller stated', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response, { tags: { properties: [], cost: '0.5' } }));
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject({ ...known, cost: 0.5, cost_source: 'header' });
    expect((await historyOf(spool, id)).map(({ kind }) => kind)).toEqual(['usage', 'usage']);
  });

  test('costs what it did at its time, whatever the price is when it is read', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const called = systemClock.now() - 3 * dayMs;
    const id = await spool.write(writer, call(response, { openedAt: called }));
    await spool.write(writer, read(response, finished(response, { created_at: called / 1000 })));
    const yesterday = new Date(systemClock.now() - dayMs).toISOString().slice(0, 10);
    const organization = readOrganizationPrices([priceFrom(null, 1), priceFrom(yesterday, 5)]);
    const book = bookWithoutOperator;
    const completeUsage = completeUsageIn(rig.store, { pricingOf: () => ({ providerId: 'openai', prices: { book, organization } }) });
    await spool.drainAll({ completeUsage });
    expect(await fieldsOf(spool, id)).toMatchObject({ cost: 1200 / 1e6 });
  });

  test('gets them when the read is stored before it, and in whatever life of the ingest', async () => {
    const spool = new SpoolRig(rig);
    const slow = spool.openWriter();
    const response = newResponse();
    const stream = slow.newStream();
    const preview = call(response);
    const id = spool.writeOpen(slow, stream, preview.open);
    await spool.write(spool.openWriter(), read(response, finished(response)));
    await spool.drainAll();
    await spool.write(spool.openWriter());
    await spool.drainAll();
    expect(openCheckpointFile(spool.folder).load().waiting).toHaveLength(1);
    spool.writeRest(slow, stream, preview);
    await spool.write(slow);
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject(known);
    expect(await historyOf(spool, id)).toEqual(entries);
    expect(openCheckpointFile(spool.folder).load().waiting).toBeUndefined();
  });

  test('is waited for only while something that came before the read is on its way, and by a bounded number of reads', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const older = writer.newStream();
    spool.writeOpen(writer, older, { openedAt: Date.now() - 1000 });
    for (let count = 0; count < maxWaiting + 2; count += 1) {
      const response = newResponse();
      await spool.write(writer, read(response, finished(response)));
    }
    await spool.drainAll();
    expect(openCheckpointFile(spool.folder).load().waiting).toHaveLength(maxWaiting);
    expect(spool.observations.map(({ kind }) => kind)).toContain('usage_not_completed');
    spool.writeRest(writer, older, {});
    await spool.write(writer);
    await spool.drainAll();
    expect(openCheckpointFile(spool.folder).load().waiting).toBeUndefined();
  });

  test('counts for the metrics once, with the usage that a read brings', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const counters = new SpendCounters();
    const completeUsage = completeUsageIn(rig.store, {
      onCompleted: (organizationId, completed) => counters.complete(organizationId, completed),
    });
    const spendCounters: DrainParts['spendCounters'] = {
      count: (organizationId, spend, isAwaited) => {
        if (spend.model === model) counters.count(organizationId, spend, isAwaited);
      },
    };
    await spool.write(writer, call(response));
    await spool.drainAll({ completeUsage, spendCounters });
    for (let reads = 0; reads < 2; reads += 1) {
      await spool.write(writer, { ...read(response, finished(response)), head: { status: 200 } });
      await spool.drainAll({ completeUsage, spendCounters });
    }
    const values = [...counters.page().matchAll(/^gatelog_\w+\{.*\} (.*)$/gm)].map(([, value]) => Number(value));
    // The call and its two reads, which have no cost either; then USD, and tokens: input, read from a cache, written to one, output.
    expect(values).toEqual([3, 2, cost, 600, 400, 0, 200]);
  });

  test('settles what a budget had set aside for it', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const settled: BudgetSettlement[] = [];
    const settleBudgets: DrainParts['settleBudgets'] = async (settlements) => void settled.push(...settlements);
    const completeUsage = completeUsageIn(rig.store, { settleBudgets });
    // Their own figure does not count for budgets.
    const id = await spool.write(writer, call(response, { reserved: true, tags: { properties: [], cost: '0' } }));
    await spool.drainAll({ settleBudgets, completeUsage });
    expect(settled).toEqual([]);
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll({ settleBudgets, completeUsage });
    expect(settled.map(({ requestId, amount }) => [requestId, usdOf(amount ?? zeroMoney)])).toEqual([[id, cost]]);
  });
});

describe('completing usage', () => {
  test('holds nothing up where the store cannot do it, and waits for a store that is away', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const [refused, late] = [newResponse(), newResponse()];
    const ids = [await spool.write(writer, call(refused)), await spool.write(writer, call(late))];
    await spool.write(writer, read(refused, finished(refused)));
    await spool.write(writer, read(late, finished(late)));
    let tries = 0;
    const rows: Store['usageRows'] = {
      find: async (asked) => {
        if (asked.responseId === refused) throw new GatelogError('internal', 'The store could not run this query.');
        tries += 1;
        if (tries < 3) throw new GatelogError('store_unavailable', 'The store cannot be reached.');
        return rig.store.usageRows.find(asked);
      },
      complete: rig.store.usageRows.complete,
    };
    const drain = await spool.openDrain({ completeUsage: completeUsageIn(rig.store, { rows }) });
    drain.start();
    await until(() => tries === 3);
    await drain.stop(10_000);
    const fields = await Promise.all(ids.map((id) => fieldsOf(spool, id)));
    expect(fields.map(({ total_tokens: total }) => total)).toEqual([null, 1200]);
    expect(spool.observations).toContainEqual({ kind: 'usage_not_completed', reads: 1, reason: 'The store could not run this query.' });
    expect((await spool.storedIds()).requests).toHaveLength(4);
  });

  test('keeps what is billed beside the tokens, and what of several models took part', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    const output = [{ type: 'web_search_call', action: { type: 'search' } }];
    const image = { input_tokens: 10, output_tokens: 20 };
    const given = { output, tool_usage: { image_gen: image }, tools: [{ type: 'image_generation', model: 'gpt-image-1' }] };
    await spool.write(writer, read(response, finished(response, given)));
    await spool.drainAll();
    const [row] = await spool.read<object>(
      `SELECT usage_parts, total_tokens, price_reference, cost > 0 AS priced FROM requests
       WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}')`,
    );
    expect(row).toMatchObject({
      usage_parts: { webSearches: 1 },
      total_tokens: 1230,
      price_reference: 'openai/gpt-4o-mini + openai/gpt-image-1',
      priced: 1,
    });
  });

  test('keeps no read waiting that would fill the checkpoint', async () => {
    const spool = new SpoolRig(rig);
    const response = newResponse();
    const tooMuch = { model: 'x'.repeat(8000), service_tier: 'x'.repeat(8000), usage: { ...usage, note: 'x'.repeat(8000) } };
    await spool.write(spool.openWriter(), read(response, finished(response, tooMuch)));
    await spool.drainAll();
    expect(openCheckpointFile(spool.folder).load().waiting).toBeUndefined();
    expect(spool.observations.map(({ kind }) => kind)).toContain('usage_not_completed');
  });

  test('takes out of the usage as received what redaction rules find', async () => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, read(response, finished(response, { usage: { ...usage, note: 'ann@example.com' } })));
    const rule: RedactionRule = { kind: 'email', pattern: null, replacement: '[email]', appliesTo: ['response'] };
    await spool.drainAll({ redactionRules: { of: async () => [rule] } });
    const { usage_raw: raw, total_tokens: total } = await fieldsOf(spool, id);
    expect([total, raw.includes('ann@'), raw.includes('note')]).toEqual([1200, false, true]);
  });
});

describe('a crash while usage is completed', () => {
  const lives = ['before anything', 'between the history and the record', 'behind the record'] as const;
  test.each(lives)('%s is repeated, with one history', async (moment) => {
    const spool = new SpoolRig(rig);
    const writer = spool.openWriter();
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.drainAll();
    await spool.write(writer, read(response, finished(response)));
    await dyingDrain(spool, moment);
    expect(await historyOf(spool, id)).toEqual(moment === 'before anything' ? [] : entries);
    expect(await fieldsOf(spool, id)).toMatchObject(moment === 'behind the record' ? known : unknown);
    await spool.drainAll();
    expect(await fieldsOf(spool, id)).toMatchObject(known);
    expect(await historyOf(spool, id)).toEqual(entries);
    expect((await spool.storedIds()).requests).toHaveLength(2);
  });
});

/** A life of the ingest that dies while it completes. */
async function dyingDrain(spool: SpoolRig, moment: string): Promise<void> {
  const dead = makeGate();
  let died = false;
  const die = async (): Promise<never> => {
    died = true;
    await dead.passed;
    throw new Error('the process is dead');
  };
  const rows: Store['usageRows'] = {
    find: rig.store.usageRows.find,
    complete: async (completed) => {
      if (moment === 'between the history and the record') {
        // The row is found no more, so the update changes nothing.
        const { billed } = completed.before;
        const elsewhere = { ...completed, before: { ...completed.before, billed: { ...billed, createdAt: billed.createdAt - 1 } } };
        await rig.store.usageRows.complete(elsewhere);
      }
      if (moment === 'behind the record') await rig.store.usageRows.complete(completed);
      await die();
    },
  };
  const drain = await spool.openDrain({ completeUsage: completeUsageIn(rig.store, { rows }) });
  drain.start();
  await until(() => died);
  await drain.stop(0);
  dead.open();
}
