import { describe, expect, it } from 'vitest';
import type { RequestId } from '../../model/ids.ts';
import { groupSpans, type WaitingSpan } from './group-spans.ts';
import { type BatchRecord, type KnownRecord, type KnownRecords, type OncePlan, planOnce } from './plan.ts';
import { relationOf } from './same-call.ts';

const traceId = 'a'.repeat(32);

function span(id: string, given: Partial<BatchRecord> = {}): BatchRecord {
  return {
    requestId: `of ${id}` as RequestId,
    index: 0,
    traceId,
    isOfSpan: true,
    ids: [id],
    parentIds: [],
    carrierIds: [],
    scopes: ['client'],
    responseId: '',
    provider: 'ANTHROPIC',
    models: ['claude-sonnet-4-5'],
    from: 1000,
    to: 2000,
    createdAt: 1000,
    hasTexts: false,
    usage: 1,
    keyId: 'key',
    values: new Map(),
    ...given,
  };
}

const call = (id: string, given: Partial<BatchRecord> = {}): BatchRecord =>
  span(id, { isOfSpan: false, scopes: [], keyId: '', usage: 0, ...given });

/** The call or span of one response, a tenth of a second after the one before. */
const answeredAlike = (index: number, id: string): Partial<BatchRecord> => ({
  traceId: `trace of ${id}`,
  responseId: 'chatcmpl-always-this',
  from: index * 100,
  to: index * 100 + 10,
});

describe('two tell of the same call', () => {
  const inner = span('inner', { parentIds: ['outer'] });
  const outer = span('outer', { from: 990, to: 2010 });

  it.each<readonly [string, KnownRecord, KnownRecord, string | undefined]>([
    ['by trace and span', span('s'), call('s', { models: ['another'], from: 9e9, to: 9e9 }), 'same'],
    ['not by a span of another trace', span('s'), call('s', { traceId: 'b'.repeat(32) }), undefined],
    ['by the response, in any trace', span('s', { responseId: 'r' }), call('', { traceId: '', responseId: 'r' }), 'same'],
    [
      'not by a response that a cache gave again',
      span('s', { responseId: 'r' }),
      call('', { traceId: '', responseId: 'r', from: 20_000, to: 20_001 }),
      undefined,
    ],
    [
      'not by a short identifier, which a program draws again, at another time',
      span('s', { responseId: 'chatcmpl-847', from: 60_000, to: 61_000 }),
      span('other', { responseId: 'chatcmpl-847' }),
      undefined,
    ],
    [
      'not by a short identifier with another model',
      span('s', { responseId: 'chatcmpl-847', models: ['llama3.2'] }),
      span('other', { responseId: 'chatcmpl-847', models: ['qwen3'] }),
      undefined,
    ],
    [
      'by a short identifier of one model at one time',
      span('s', { responseId: 'chatcmpl-847' }),
      span('other', { responseId: 'chatcmpl-847', from: 1010, to: 1990 }),
      'same',
    ],
    [
      'by a long identifier at any time of the trace',
      span('s', { responseId: 'resp_68af0c1d2e', from: 60_000, to: 61_000 }),
      span('other', { responseId: 'resp_68af0c1d2e' }),
      'same',
    ],
    [
      'not by a short identifier of another provider',
      span('s', { responseId: 'r' }),
      call('c', { responseId: 'r', provider: 'OPENAI' }),
      undefined,
    ],
    [
      "by a long identifier, whatever provider's client made the span",
      span('s', { responseId: 'chatcmpl-3f1d-9a77', provider: 'OPENAI', models: ['gpt-oss-120b'] }),
      call('c', { traceId: '', responseId: 'chatcmpl-3f1d-9a77', provider: 'GROQ', models: ['openai/gpt-oss-120b'] }),
      'same',
    ],
    [
      'by a long identifier, between spans of clients of two providers',
      span('s', { responseId: 'chatcmpl-3f1d-9a77', provider: 'OPENAI' }),
      span('other', { responseId: 'chatcmpl-3f1d-9a77', provider: 'GROQ' }),
      'same',
    ],
    [
      'not by a long identifier of another provider with another model',
      span('s', { responseId: 'chatcmpl-3f1d-9a77', provider: 'OPENAI', models: ['gpt-5'] }),
      call('c', { responseId: 'chatcmpl-3f1d-9a77', provider: 'GROQ', models: ['gpt-5-mini'] }),
      undefined,
    ],
    [
      'not by a long identifier of another provider between calls',
      call('c', { traceId: '', responseId: 'chatcmpl-3f1d-9a77', provider: 'OPENAI' }),
      call('d', { traceId: '', responseId: 'chatcmpl-3f1d-9a77', provider: 'GROQ' }),
      undefined,
    ],
    [
      'by the response of a provider that no span names',
      span('s', { responseId: 'r', provider: 'CUSTOM' }),
      call('c', { responseId: 'r' }),
      'same',
    ],
    ['as parent and child', inner, outer, 'inner'],
    ['as child and parent', outer, inner, 'outer'],
    ['with a dated model', span('i', { parentIds: ['outer'], models: ['anthropic/claude-sonnet-4-5-20250929'] }), outer, 'inner'],
    ['not of another model', span('i', { parentIds: ['outer'], models: ['gpt-4o'] }), outer, undefined],
    [
      'not around a call of a model whose name goes on otherwise',
      span('s', { models: ['gpt-5'] }),
      call('c', { parentIds: ['s'], models: ['gpt-5-mini'] }),
      undefined,
    ],
    ['not of another time', span('i', { parentIds: ['outer'], from: 3500, to: 4000 }), outer, undefined],
    ['not of another response', { ...inner, responseId: 'r1' }, { ...outer, responseId: 'r2' }, undefined],
    ['by a span of HTTP inside', span('s', { carrierIds: ['http'] }), call('http'), 'outer'],
    [
      'beside each other, of two instrumentations',
      span('s', { parentIds: ['p'] }),
      span('t', { parentIds: ['p'], scopes: ['other'] }),
      'beside',
    ],
    ['not beside each other, of one', span('s', { parentIds: ['p'] }), span('t', { parentIds: ['p'] }), undefined],
    [
      'not beside at another time',
      span('s', { parentIds: ['p'] }),
      span('t', { parentIds: ['p'], scopes: ['other'], to: 2500, from: 1500 }),
      undefined,
    ],
    ['not without a trace', span('', { traceId: '', ids: [''] }), call('', { traceId: '', ids: [''] }), undefined],
  ])('%s', (_name, one, other, relation) => {
    expect(relationOf(one, other)).toBe(relation);
  });

  it('unless the outer one has a call inside already', () => {
    const joined = span('outer', { ids: ['outer', 'first'], parentIds: ['outer'], from: 990, to: 2010 });
    expect(relationOf(inner, joined)).toBeUndefined();
    expect(relationOf(inner, { ...joined, isOfSpan: false })).toBe('inner');
  });
});

const grouped = async (spans: readonly BatchRecord[]) => {
  const { groups, around } = await groupSpans<WaitingSpan>(spans.map((each, index) => ({ ...each, index })));
  const names = groups.map(({ first, others, counted }) => [first.ids[0], others.map(({ ids }) => ids[0]), counted.ids[0]] as const);
  return { groups: names, around: around.map(({ ids }) => ids[0]) };
};

const at = (id: string, from: number, scopes: readonly string[]): BatchRecord =>
  span(id, { parentIds: ['p'], from, to: from + 100, scopes });

const names = (plan: OncePlan): unknown => ({
  leftOut: [...plan.leftOut],
  fills: plan.fillings.map(({ from, into }) => [from.requestId, into.requestId]),
  absorbs: plan.absorptions.map(({ from, into, hasNumbers }) => [from.requestId, into.requestId, hasNumbers]),
});

describe('spans of one batch', () => {
  it('make one record, of the one that tells what was said, with the best counts', async () => {
    const own = span('own', { parentIds: ['outer'], usage: 2 });
    const outer = span('outer', { hasTexts: true });
    expect(await grouped([own, outer])).toEqual({ groups: [['outer', ['own'], 'own']], around: [] });
    expect(await grouped([outer, own])).toEqual({ groups: [['outer', ['own'], 'own']], around: [] });
  });

  it('beside each other are found by the response', async () => {
    const spans = [span('own', { parentIds: ['p'], responseId: 'r' }), span('other', { parentIds: ['p'], responseId: 'r' })];
    expect(await grouped(spans)).toEqual({ groups: [['own', ['other'], 'own']], around: [] });
  });

  it('beside each other at once are paired, each with the nearest', async () => {
    const spans = [at('own 1', 0, ['client']), at('own 2', 20, ['client']), at('other 1', 1, ['other']), at('other 2', 21, ['other'])];
    expect(await grouped(spans)).toEqual({
      groups: [
        ['own 1', ['other 1'], 'own 1'],
        ['own 2', ['other 2'], 'own 2'],
      ],
      around: [],
    });
  });

  it('by thousands in one parent are told apart, and each is paired with the one beside it', async () => {
    const spans = Array.from({ length: 4000 }, (_, index) => at(`${index}`, (index >> 1) * 300, [index % 2 === 0 ? 'client' : 'other']));
    const { groups } = await grouped(spans);
    expect(groups).toHaveLength(2000);
    expect(groups.every(([first, others]) => others.length === 1 && Number(others[0]) - Number(first) === 1)).toBe(true);
  });

  it('of thousands of instrumentations in one parent are told apart', async () => {
    const spans = Array.from({ length: 4000 }, (_, index) => at(`${index}`, index * 300, [`scope ${index}`]));
    expect((await grouped(spans)).groups).toHaveLength(4000);
  });

  it('each inside the one before, of one response, are one call, however many', async () => {
    const spans = Array.from({ length: 3000 }, (_, index) =>
      span(`${index}`, { index, parentIds: [`${index - 1}`], responseId: 'resp_68af0c1d2e' }),
    );
    expect((await grouped(spans)).groups).toMatchObject([['2999', { length: 2999 }, '2999']]);
  });

  it('around several calls are none of them', async () => {
    const spans = [span('outer'), span('one', { parentIds: ['outer'] }), span('two', { parentIds: ['outer'] })];
    expect(await grouped(spans)).toEqual({
      groups: [
        ['one', [], 'one'],
        ['two', [], 'two'],
      ],
      around: ['outer'],
    });
  });
});

const plan = async (known: Partial<KnownRecords>): Promise<unknown> =>
  names(await planOnce({ spans: [], calls: [], stored: [], ...known }));

describe('a batch', () => {
  it('leaves a span out whose call is stored or comes with it', async () => {
    const filled = { leftOut: [0], fills: [['of s', 'c']], absorbs: [] };
    const passed = call('s', { requestId: 'c' as RequestId, index: 1 });
    expect(await plan({ spans: [span('s')], stored: [passed] })).toEqual(filled);
    expect(await plan({ spans: [span('s')], calls: [passed] })).toEqual(filled);
  });

  it('takes the records of spans that came before their call into it', async () => {
    const passed = call('s', { requestId: 'c' as RequestId });
    const stored = [span('s'), span('beside')];
    expect(await plan({ calls: [passed], stored })).toEqual({ leftOut: [], fills: [], absorbs: [['of s', 'c', false]] });
  });

  it('takes a span beside one that came before into the call of both', async () => {
    const passed = call('own', { requestId: 'c' as RequestId, index: 1 });
    const stored = [span('own', { parentIds: ['p'], scopes: ['client'] })];
    const beside = span('beside', { parentIds: ['p'], scopes: ['instrumentation'] });
    expect(await plan({ spans: [beside], calls: [passed], stored })).toEqual({
      leftOut: [0],
      fills: [['of beside', 'c']],
      absorbs: [['of own', 'c', false]],
    });
  });

  it('takes the record of a span into a stored call that is known to be inside it now', async () => {
    const passed = call('http', { requestId: 'c' as RequestId, parentIds: ['s'] });
    const plans = await Promise.all([[passed], []].map((linked) => plan({ linked, stored: [span('s'), passed] })));
    expect(plans).toEqual([
      { leftOut: [], fills: [], absorbs: [['of s', 'c', false]] },
      { leftOut: [], fills: [], absorbs: [] },
    ]);
  });

  it('that is repeated leaves out what it left out, and takes what it stored into the record of the call', async () => {
    const passed = call('s', { requestId: 'c' as RequestId });
    expect(await plan({ spans: [span('s')], stored: [passed], leftOutBefore: new Set() })).toEqual({
      leftOut: [],
      fills: [['of s', 'c']],
      absorbs: [['of s', 'c', false]],
    });
  });

  it('gives a call of the cache what is told in its time, though its response is that of another', async () => {
    const first = call('x', { requestId: 'first' as RequestId, responseId: 'r', from: 0, to: 100 });
    const cached = call('y', { requestId: 'cached' as RequestId, responseId: 'r' });
    expect(await plan({ spans: [span('s', { responseId: 'r' })], stored: [first, cached] })).toMatchObject({ fills: [['of s', 'cached']] });
  });

  it('joins two spans: what was said decides which stays, the better counts go over', async () => {
    const stored = [span('own', { parentIds: ['outer'], usage: 2 })];
    const told = span('outer', { hasTexts: true });
    expect(await plan({ spans: [told], stored })).toEqual({ leftOut: [], fills: [], absorbs: [['of own', 'of outer', true]] });
    const own = span('own', { parentIds: ['outer'], usage: 2 });
    expect(await plan({ spans: [own], stored: [told] })).toEqual({ leftOut: [], fills: [], absorbs: [['of own', 'of outer', true]] });
    const poorer = span('own', { parentIds: ['outer'], usage: 0 });
    expect(await plan({ spans: [poorer], stored: [told] })).toEqual({ leftOut: [0], fills: [['of own', 'of outer']], absorbs: [] });
  });

  it('leaves out a span around several stored calls, which get nothing of it', async () => {
    const stored = ['one', 'two'].map((id) => span(id, { parentIds: ['outer'] }));
    expect(await plan({ spans: [span('outer', { hasTexts: true })], stored })).toEqual({ leftOut: [0], fills: [], absorbs: [] });
  });

  it('of hundreds of spans beside thousands of stored ones is compared with what it shares something with, and gives way', async () => {
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const stored = Array.from({ length: 20_000 }, (_, index) => at(`s${index}`, (index >> 4) * 300, [`scope ${index % 16}`]));
    const spans = Array.from({ length: 2000 }, (_, index) => at(`${index}`, index * 300, ['client'])).map((each, index) => ({
      ...each,
      index,
    }));
    const { leftOut, fillings } = await planOnce({ spans, calls: [], stored });
    clearImmediate(next);
    // Of the sixteen at its time each span tells of one.
    expect([leftOut.size, fillings.length]).toEqual([1250, 1250]);
    expect(turns).toBeGreaterThan(1);
  });

  it('of thousands of calls of a server whose responses all have one identifier takes each into the nearest in time', async () => {
    const calls = Array.from({ length: 20_000 }, (_, index) => call(`c${index}`, answeredAlike(index, `c${index}`)));
    const stored = Array.from({ length: 20_000 }, (_, index) => call(`s${index}`, answeredAlike(index + 20_000, `s${index}`)));
    const spans = Array.from({ length: 1000 }, (_, index) => ({ ...span(`${index}`, answeredAlike(index * 10, `${index}`)), index }));
    const { leftOut, fillings } = await planOnce({ spans, calls, stored });
    const told = fillings.map(({ into, from }) => [into.requestId, from.requestId]);
    expect([leftOut.size, told]).toEqual([1000, spans.map(({ index }) => [`of c${index * 10}`, `of ${index}`])]);
  });
});
