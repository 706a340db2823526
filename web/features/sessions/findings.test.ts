import { describe, expect, it } from 'vitest';
import type { RequestItem, SessionNode } from '../../../src/client/client.ts';
import { findingsOf } from './findings.ts';

interface Given {
  readonly cost: number;
  readonly model?: string;
  readonly input?: number;
  readonly output?: string;
}

const requestsOf = (given: readonly Given[]): readonly RequestItem[] =>
  given.map(
    ({ cost, model = 'gpt-4o', input = 100, output = null }, at) =>
      ({
        request_id: `r${at}`,
        request_created_at: new Date(1_800_000_000_000 + at * 1000).toISOString(),
        cost,
        model,
        prompt_tokens: input,
        output_preview: output,
        failure: null,
      }) as unknown as RequestItem,
  );

const node = (path: string, cost: number, requests: number, children: readonly SessionNode[] = []): SessionNode =>
  ({ path, totals: { cost, requests }, children }) as unknown as SessionNode;

function textsOf(given: readonly Given[], tree: readonly SessionNode[] = [], count = given.length): readonly string[] {
  const total = given.reduce((sum, { cost }) => sum + cost, 0);
  return findingsOf({ session: { total_cost: total, total_requests: count }, tree, requests: requestsOf(given) }).map(({ text }) => text);
}

const even = Array.from({ length: 6 }, () => ({ cost: 1 }));

describe('where the cost of a session went', () => {
  it('is the one request with which the input jumped, where those behind it send it again', () => {
    const inputs = [300, 320, 350, 9000, 9100, 9200];
    expect(textsOf(inputs.map((input) => ({ cost: 1, input })))).toEqual([
      'The input jumped from 350 to 9,000 tokens with one step, and each of the 2 steps behind it sends that again.',
    ]);
    expect(textsOf([300, 320, 350, 360, 9000, 9100].map((input) => ({ cost: 1, input })))[0]).toMatch(/and the step behind it sends/);
    expect(textsOf([300, 600, 1200, 2400, 4800, 9600].map((input) => ({ cost: 1, input })))[0]).toMatch(/^The input grew from/);
  });

  it('is not said of even costs, of two requests, or of none', () => {
    expect(textsOf(even)).toEqual([]);
    expect(textsOf([{ cost: 9 }, { cost: 1 }])).toEqual([]);
    expect(textsOf(even.map(() => ({ cost: 0 })))).toEqual([]);
  });

  it('is the narrowest place with most of it', () => {
    const tree = [node('/agent', 6, 6, [node('/agent/plan', 1, 2), node('/agent/read', 5, 4, [node('/agent/read/file', 2, 2)])])];
    expect(textsOf(even, tree)).toEqual(['83% of the cost is at /agent/read, with 4 of 6 steps.']);
    expect(textsOf(even, [node('/agent', 6, 6, [node('/agent/plan', 6, 6)])])).toEqual([]);
  });

  it('is no place and no model with nearly all requests, of which each cost as much as any other', () => {
    const given = [...Array.from({ length: 9 }, () => ({ cost: 1 })), { cost: 0.1, model: 'small' }];
    expect(textsOf(given, [node('/', 9.1, 10, [node('/agent', 9, 9)])])).toEqual([]);
  });

  it('is a model that made most of it', () => {
    const given = [{ cost: 4 }, { cost: 4 }, { cost: 4 }, ...Array.from({ length: 3 }, () => ({ cost: 0.5, model: 'small' }))];
    expect(textsOf(given)[0]).toBe('gpt-4o made 89% of the cost with 3 of 6 steps.');
  });

  it('is an input that grew', () => {
    expect(textsOf([100, 200, 400, 800, 1600, 3200].map((input) => ({ cost: 1, input })))).toEqual([
      'The input grew from 100 tokens in step 1 to 3,200 in step 6, often because each turn sends the whole conversation again.',
    ]);
    expect(textsOf([9000, 10, 10, 2000, 4000, 6000, 7000, 7000, 7000].map((input) => ({ cost: 1, input })))).toEqual([]);
  });

  it('is an agent that goes round in circles, with other numbers each time', () => {
    const given = Array.from({ length: 12 }, (_, at) => ({ cost: 1, output: `Batches of ${at * 50} may be better, I try them.` }));
    const found = findingsOf({ session: { total_cost: 12, total_requests: 12 }, tree: [], requests: requestsOf(given) });
    expect(found).toEqual([
      {
        text: '11 of 12 steps repeat an earlier answer (numbers aside): 92% of the cost.',
        show: { title: 'Show the first repeat', search: { step: 'r1' } },
      },
    ]);
    expect(textsOf(given.map(({ cost }, at) => ({ cost, output: `Another thought each time: ${'x'.repeat(at)}` })))).toEqual([]);
    expect(textsOf(given.map(({ cost }) => ({ cost, output: 'Done.' })))).toEqual([]);
  });

  it('is one request with much of it', () => {
    const found = findingsOf({
      session: { total_cost: 10, total_requests: 5 },
      tree: [],
      requests: requestsOf([{ cost: 1 }, { cost: 1 }, { cost: 6 }, { cost: 1 }, { cost: 1 }]),
    });
    expect(found).toEqual([{ text: 'One step cost $6.00, 60% of the session.', show: { title: 'Show step 3', search: { step: 'r2' } } }]);
  });

  it('says of a session that is loaded in part what its tree says of all', () => {
    const tree = [node('/a', 1, 3), node('/b', 5, 3)];
    expect(textsOf([{ cost: 5 }, { cost: 1, model: 'small' }], tree, 6)).toEqual(['83% of the cost is at /b, with 3 of 6 steps.']);
  });

  it('leads to the steps that it speaks of', () => {
    const given = [{ cost: 4 }, { cost: 4 }, ...Array.from({ length: 3 }, (_, at) => ({ cost: 0.5, model: 'small', input: 900 + at }))];
    const tree = [node('/', 9.5, 5, [node('/plan', 8, 2)])];
    const found = findingsOf({ session: { total_cost: 9.5, total_requests: 5 }, tree, requests: requestsOf(given) });
    expect(found.map(({ show }) => show.search)).toEqual([{ find: '/plan' }, { find: 'gpt-4o' }, { step: 'r2' }, { step: 'r0' }]);
    expect(new Set(found.map(({ show }) => show.title)).size).toBe(found.length);
  });
});
