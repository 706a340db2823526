import { expect, it } from 'vitest';
import { scoreMetricsOf } from '../../lib/metrics/score-metrics.ts';
import { promptVersions } from '../../lib/prompt-versions.ts';
import { pivotOf, withAbsentLast } from './explore-query.ts';
import { exploreSearchOf } from './search.ts';

const group = (key: readonly (string | null)[], cost: number) => ({ key, figures: { cost } });

it('a pivot has the values of the last dimension side by side, and a gap where a group is missing', () => {
  const groups = [group(['search', 'gpt'], 5), group(['search', 'claude'], 3), group([null, 'gpt'], 1)];
  expect(pivotOf({ groups, other: undefined, total: undefined, approximate: [] })).toEqual({
    columns: [['gpt'], ['claude']],
    rows: [
      { key: ['search'], cells: [{ cost: 5 }, { cost: 3 }] },
      { key: [null], cells: [{ cost: 1 }, undefined] },
    ],
  });
});

it.each([
  ['of requests without a session behind the sessions', 'session', ['one', 'two', null]],
  ['of requests without a team where its cost puts it', 'properties.team', ['one', null, 'two']],
])('the group %s', (_what, dimension, keys) => {
  const groups = [group(['one'], 5), group([null], 3), group(['two'], 1)];
  const answer = withAbsentLast({ groups, other: undefined, total: undefined, approximate: [] }, [dimension]);
  expect(answer.groups.map(({ key }) => key[0])).toEqual(keys);
});

it('what an address cannot mean is left out of it', () => {
  expect(exploreSearchOf({ q: 5, metrics: ['cost', 'nonsense', 'cost'], by: ['model', 3], chart: 'pie', top: 0, order: 'up' })).toEqual({
    q: '5',
    metrics: ['cost'],
    by: ['model'],
  });
});

it('the metric of a score may stand in an address', () => {
  const search = { metrics: ['avg_score.quality', 'count'], sort: 'avg_score.quality' };
  expect(exploreSearchOf({ ...search, metrics: [...search.metrics, 'avg_score.'] })).toEqual(search);
});

it('versions of prompts show the scores that there are, at most three', () => {
  const scores = scoreMetricsOf([{ scores: { d: 1, a: 0.5 } }, { scores: {} }, { scores: { c: 2, a: 1, b: 3 } }]);
  expect(scores).toEqual(['avg_score.a', 'avg_score.b', 'avg_score.c', 'avg_score.d']);
  const { metrics } = promptVersions(scores);
  expect(metrics.slice(0, 6)).toEqual(['avg_cost', 'count', 'avg_score.a', 'avg_score.b', 'avg_score.c', 'cost']);
  expect(exploreSearchOf(promptVersions(scores)).metrics).toEqual(metrics);
  expect([promptVersions().q, promptVersions([], 'a b').q]).toEqual(['-prompt:""', 'prompt:"a b"']);
  expect(promptVersions().metrics).not.toContain('avg_score.a');
});
