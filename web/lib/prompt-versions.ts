import type { ScoreMetric } from '../../src/model/vocabulary/metrics.ts';
import { searchFor } from './search-text.ts';

/** Scores that stand beside the other figures. */
const maxScores = 3;

/** The versions of each prompt, or of one, beside one another, as Explore asks for them. @param scores that there are. */
export function promptVersions(scores: readonly ScoreMetric[] = [], prompt?: string) {
  return {
    q: (prompt === undefined ? undefined : searchFor('prompt', prompt)) ?? '-prompt:""',
    by: ['prompt', 'prompt_version'],
    metrics: [
      'avg_cost',
      'count',
      ...scores.slice(0, maxScores),
      'cost',
      'error_rate',
      'p50_latency',
      'avg_prompt_tokens',
      'avg_completion_tokens',
    ],
    chart: 'table',
    range: '30d',
  } as const;
}
