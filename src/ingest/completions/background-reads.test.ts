import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RequestId, uuidToNumber } from '../../model/ids.ts';
import type { LoggedOpen } from '../../model/record/exchange.ts';
import type { UsageCompletion } from '../../model/record/usage-completion.ts';
import { systemClock } from '../../platform/clock.ts';
import { openCheckpointFile } from '../../spool/checkpoint.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import { maxWaiting } from './complete-usage.ts';
import { call, credentialHash, finished, model, newResponse, read } from '../testing/background-calls.ts';
import { type ExchangeSketch, type IngestRig, interpretDirectly, newId, openRig, SpoolRig } from '../testing/ingest-harness.ts';

let rig: IngestRig;
let spool: SpoolRig;
let writer: SpoolWriter;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(async () => rig.close());
beforeEach(() => {
  spool = new SpoolRig(rig);
  writer = spool.openWriter();
});

async function fieldsOf(id: RequestId): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [row] = await spool.read<Readonly<Record<string, unknown>>>(
    `SELECT prompt_tokens, completion_tokens, prompt_cache_read_tokens AS cached, reasoning_tokens AS reasoning, toFloat64(cost) AS cost, cost_source,
      response_model, service_tier FROM requests WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}')`,
  );
  return row;
}

/** An interaction as `@google/genai` types it (`Interaction`, `Usage`). */
const interaction = (id: string, status: string, rest: object = {}): string =>
  JSON.stringify({
    id,
    object: 'interaction',
    status,
    model: 'gemini-2.5-flash',
    created: new Date(systemClock.now()).toISOString(),
    ...rest,
  });
const counted = {
  usage: { total_input_tokens: 1000, total_cached_tokens: 400, total_output_tokens: 150, total_thought_tokens: 50, total_tokens: 1200 },
};
const host = 'https://generativelanguage.googleapis.com';
const asked = (id: string, path = '/v1beta/interactions'): ExchangeSketch => ({
  open: { provider: 'gemini', path, targetUrl: host + path, credentialHash },
  request: JSON.stringify({ model: 'gemini-2.5-flash', input: 'Say hello.', background: true }),
  response: interaction(id, 'in_progress'),
});
const fetched = (id: string, response: string, path = '/v1beta/interactions'): ExchangeSketch => ({
  open: { provider: 'gemini', method: 'GET', path: `${path}/${id}?stream=false`, targetUrl: `${host}${path}/${id}`, credentialHash },
  request: '',
  response,
});

describe('an interaction of Gemini in the background', () => {
  test.each(['/v1beta/interactions', '/v1/interactions'])('gets usage and cost by the read that brings them, at %s', async (path) => {
    const response = newResponse();
    const id = await spool.write(writer, asked(response, path));
    await spool.write(writer, fetched(response, interaction(response, 'in_progress'), path));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: null, completion_tokens: null, cost_source: 'none' });
    const reading = await spool.write(writer, fetched(response, interaction(response, 'completed', counted), path));
    await spool.write(writer, fetched(response, interaction(response, 'completed', counted), path));
    await spool.drainAll();
    const known = { prompt_tokens: 1000, completion_tokens: 200, cached: 400, reasoning: 50, cost_source: 'price-book' };
    expect(await fieldsOf(id)).toMatchObject(known);
    expect(await fieldsOf(reading)).toMatchObject({ cost_source: 'none' });
  });

  const orders = [0, 1, 2].flatMap((ofCall) => [0, 1, 2].filter((other) => other !== ofCall).map((ofRead) => [ofCall, ofRead] as const));

  test.each(orders)('gets them whichever comes first where batches are cut short: call in spool %i, read in %i', async (ofCall, ofRead) => {
    const writers = [writer, spool.openWriter(), spool.openWriter()];
    const response = newResponse();
    const sketches = [0, 1, 2].map((index): ExchangeSketch => {
      if (index === ofCall) return asked(response);
      return index === ofRead ? fetched(response, interaction(response, 'completed', counted)) : {};
    });
    const turns = [ofCall, ...[0, 1, 2].filter((index) => index !== ofCall)];
    const ids = new Map<number, RequestId>();
    for (const turn of turns) ids.set(turn, await spool.write(writers[turn] ?? writer, sketches[turn] ?? {}));
    await spool.drainAll({ interpret: (tasks, storedAt) => interpretDirectly(tasks.slice(0, 1), storedAt) });
    expect(await fieldsOf(ids.get(ofCall) ?? newId())).toMatchObject({ prompt_tokens: 1000, completion_tokens: 200 });
  });

  test('gets them from a stream that takes it up again', async () => {
    const response = newResponse();
    const id = await spool.write(writer, asked(response));
    const event = { event_type: 'interaction.completed', interaction: JSON.parse(interaction(response, 'completed', counted)) as object };
    const stream = { head: { headers: { 'content-type': 'text/event-stream' } } };
    await spool.write(writer, { ...fetched(response, `event: interaction.completed\ndata: ${JSON.stringify(event)}\n\n`), ...stream });
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: 1000, completion_tokens: 200 });
  });
});

/** A read that brings the finished response of an address. */
const readAt = (response: string, targetUrl: string): ExchangeSketch =>
  read(response, finished(response), { targetUrl: `${targetUrl}/v1/responses/${response}` });

describe('a read completes nothing', () => {
  const unknown = { prompt_tokens: null, completion_tokens: null, cost_source: 'none', response_model: model };

  test.each([
    ['of another host', 'https://forged.example.com'],
    ['of another port', 'https://api.openai.com:8443'],
    ['of another scheme', 'http://api.openai.com'],
    ['of a host that begins alike', 'https://api.openai.com.example.com'],
    ['of a host behind a name', 'https://api.openai.com@example.com'],
    ['of none', ''],
  ])('that came from an address %s', async (_where, targetUrl) => {
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, readAt(response, targetUrl));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject(unknown);
    // The provider's own read still completes it.
    await spool.write(writer, readAt(response, 'https://API.openai.com'));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: 1000 });
  });

  test('of another organisation', async () => {
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    await spool.write(writer, read(response, finished(response), { organizationId: newId() }));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject(unknown);
  });

  test.each([
    ['another credential', 'hash-of-another-credential'],
    ['a credential that an earlier version did not note', undefined],
    ['none', ''],
  ])('with %s', async (_which, other) => {
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    const reading = await spool.write(writer, read(response, finished(response), { credentialHash: other }));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject(unknown);
    expect(await fieldsOf(reading)).toMatchObject({ prompt_tokens: null, cost_source: 'none' });
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: 1000 });
  });

  test.each([
    ['that an earlier version made', undefined],
    ['whose credential is empty', ''],
  ])('of a call %s', async (_which, other) => {
    const response = newResponse();
    const id = await spool.write(writer, call(response, { credentialHash: other }));
    await spool.write(writer, read(response, finished(response), { credentialHash: other }));
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject(unknown);
  });

  test('of an interaction with another credential', async () => {
    const response = newResponse();
    const id = await spool.write(writer, asked(response));
    const { open, ...forged } = fetched(response, interaction(response, 'completed', counted));
    await spool.write(writer, { ...forged, open: { ...open, credentialHash: 'hash-of-another-credential' } });
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: null, completion_tokens: null });
  });

  test('in the place of another that may', async () => {
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const forgeries = [
      { credentialHash: 'hash-of-another-credential' },
      { targetUrl: `https://forged.example.com/v1/responses/${response}` },
    ];
    await spool.write(writer, read(response, finished(response)));
    for (const forged of forgeries) await spool.write(writer, read(response, finished(response, { usage }), forged));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: 1000 });
  });

  test('in the place of another that waits for its call', async () => {
    const response = newResponse();
    const slow = spool.openWriter();
    const stream = slow.newStream();
    const preview = call(response);
    const id = spool.writeOpen(slow, stream, preview.open);
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    await spool.write(writer, read(response, finished(response, { usage }), { credentialHash: 'hash-of-another-credential' }));
    await spool.drainAll();
    spool.writeRest(slow, stream, preview);
    await spool.write(slow);
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: 1000 });
  });

  test('of a log, which passed no gateway', async () => {
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    const bytes = Buffer.byteLength(finished(response));
    const logged = { at: systemClock.now(), identifier: 'fresh', requestBytes: 0, responseBytes: bytes } as const;
    const told: Partial<LoggedOpen> = { ...read(response, '').open, credentialHash: undefined, logged };
    await spool.write(writer, { open: told, request: '', response: finished(response) });
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject(unknown);
  });

  test('that waits for a call at another address', async () => {
    const response = newResponse();
    await spool.write(writer, readAt(response, 'https://forged.example.com'));
    const id = await spool.write(writer, call(response));
    await spool.drainAll();
    expect(await fieldsOf(id)).toMatchObject(unknown);
  });
});

async function previewOfAnswer(id: RequestId): Promise<unknown> {
  const [row] = await spool.read<{ readonly preview: string }>(
    `SELECT output_preview AS preview FROM requests WHERE org_id = {tenant:UInt128} AND request_id = toUInt128('${uuidToNumber(id)}')`,
  );
  return row?.preview;
}

describe('the beginning of the answer', () => {
  test.each(['call', 'read'])('comes with the read where the call has none, whichever is stored first: the %s', async (first) => {
    const response = newResponse();
    const other = spool.openWriter();
    const [made, fetches] = first === 'call' ? [writer, other] : [other, writer];
    const id = await spool.write(made, call(response));
    if (first === 'call') await spool.drainAll();
    await spool.write(fetches, read(response, finished(response)));
    await spool.drainAll();
    expect(await previewOfAnswer(id)).toBe('Hello.');
  });

  test('is a tool that it calls, where it has no text', async () => {
    const response = newResponse();
    const id = await spool.write(writer, call(response));
    const output = [{ type: 'function_call', call_id: 'c', name: 'find_harbour', arguments: '{"near":"Bergen"}' }];
    await spool.write(writer, read(response, finished(response, { output })));
    await spool.drainAll();
    expect(await previewOfAnswer(id)).toContain('find_harbour');
  });

  test('stays what the call stated', async () => {
    const response = newResponse();
    const begun = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Begun.' }] }];
    const stated = finished(response, { status: 'queued', usage: null, output: begun });
    const id = await spool.write(writer, { ...call(response), response: stated });
    await spool.write(writer, read(response, finished(response)));
    await spool.drainAll();
    expect(await previewOfAnswer(id)).toBe('Begun.');
  });

  test.each(['call', 'read'])('stays away where the response of the %s is not kept', async (which) => {
    const response = newResponse();
    const omitting = { tags: { properties: [], responseBody: 'counted' as const } };
    const id = await spool.write(writer, call(response, which === 'call' ? omitting : {}));
    await spool.write(writer, read(response, finished(response), which === 'read' ? omitting : {}));
    await spool.drainAll();
    expect([await previewOfAnswer(id), (await fieldsOf(id))?.['prompt_tokens']]).toEqual(['', 1000]);
  });
});

test('a read changes nothing that its call stated', async () => {
  const response = newResponse();
  const id = await spool.write(writer, {
    ...call(response),
    response: finished(response, { status: 'queued', usage: null, service_tier: 'priority' }),
  });
  await spool.write(writer, read(response, finished(response, { model: 'gpt-4o-2024-08-06', service_tier: 'flex' })));
  await spool.drainAll();
  expect(await fieldsOf(id)).toMatchObject({ prompt_tokens: 1000, response_model: model, service_tier: 'priority' });
});

test('a call is waited for by reads of every organisation, however many one has', async () => {
  spool.writeOpen(writer, writer.newStream(), { openedAt: Date.now() - 1000 });
  const [response, busy] = [newResponse(), newId()];
  await spool.write(writer, read(response, finished(response)));
  for (let count = 0; count < maxWaiting + 2; count += 1) {
    const other = newResponse();
    await spool.write(writer, read(other, finished(other), { organizationId: busy }));
  }
  await spool.drainAll();
  const waiting = (openCheckpointFile(spool.folder).load().waiting ?? []) as readonly UsageCompletion[];
  expect([waiting.length, waiting.filter(({ responseId }) => responseId === response).length]).toEqual([maxWaiting, 1]);
});

test('a read whose call never comes is told once no older call is in flight', async () => {
  const open = writer.newStream();
  const sketch: ExchangeSketch = {};
  spool.writeOpen(writer, open, { openedAt: systemClock.now() - 1000 });
  const response = newResponse();
  await spool.write(writer, read(response, finished(response)));
  await spool.drainAll();
  expect(spool.observations).not.toContainEqual(expect.objectContaining({ kind: 'usage_not_completed' }));
  spool.writeRest(writer, open, sketch);
  await spool.write(writer);
  await spool.drainAll();
  expect(spool.observations).toContainEqual({
    kind: 'usage_not_completed',
    reads: 1,
    reason: expect.stringContaining('no call') as string,
  });
  expect(openCheckpointFile(spool.folder).load().waiting ?? []).toEqual([]);
});
