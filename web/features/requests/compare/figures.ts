import type { RequestItem } from '../../../../src/client/client.ts';
import { feedbackScore } from '../../../../src/model/vocabulary/scores.ts';
import { formatBytes, formatCost, formatCount, formatDuration } from '../../../lib/format.ts';
import { formatScore } from '../../../lib/metrics/metric-format.ts';
import { ownOf } from '../../../lib/own.ts';
import { costText } from '../cost-text.ts';
import { finishReasonOf } from '../detail/finish-reason.ts';

/** A figure or a fact of both requests. */
export interface ComparedFigure {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  /** By which share the right figure is more than the left one; null where that says nothing. */
  readonly change: number | null;
}

export function comparedFigures(left: RequestItem, right: RequestItem): readonly ComparedFigure[] {
  const fact = (name: string, read: (request: RequestItem) => string | null): ComparedFigure => ({
    name,
    left: read(left) ?? '–',
    right: read(right) ?? '–',
    change: null,
  });
  const figure = (
    name: string,
    read: (request: RequestItem) => number | null,
    format: (value: number | null) => string,
  ): ComparedFigure => {
    const [one, other] = [read(left), read(right)];
    return { name, left: format(one), right: format(other), change: changeOf(one, other) };
  };
  return [
    fact('Status', ({ response_status: status }) => (status === 0 ? 'none' : String(status))),
    fact('Model', ({ model }) => model),
    fact('Provider', ({ provider }) => provider),
    ...(left.prompt_id === null && right.prompt_id === null ? [] : [fact('Prompt', promptOf)]),
    fact('Finish reason', ({ response_body: body }) => finishReasonOf(body)),
    fact('Response cache', ({ cached }) => (cached ? 'cached' : 'not used')),
    { ...figure('Cost', ({ cost }) => cost, formatCost), left: costText(left), right: costText(right) },
    figure('Latency', ({ latency }) => latency, formatDuration),
    figure('First token', ({ time_to_first_token: first }) => first, formatDuration),
    figure('Input tokens', ({ prompt_tokens: tokens }) => tokens, formatCount),
    figure('Read from the cache', ({ prompt_cache_read_tokens: tokens }) => tokens, formatCount),
    figure('Output tokens', ({ completion_tokens: tokens }) => tokens, formatCount),
    figure('Reasoning tokens', ({ reasoning_tokens: tokens }) => tokens, formatCount),
    figure('Size', ({ size_bytes: bytes }) => bytes, formatBytes),
  ];
}

function promptOf({ prompt_id: id, prompt_version: version }: RequestItem): string | null {
  return id === null || version === null ? id : `${id} ${version}`;
}

/** What was said of both requests: the feedback, and scores by their names. Empty: nothing of either. */
export function comparedRatings(left: RequestItem, right: RequestItem): readonly ComparedFigure[] {
  const isRated = left.feedback_rating !== null || right.feedback_rating !== null;
  const names = new Set([...Object.keys(left.scores), ...Object.keys(right.scores)]);
  names.delete(feedbackScore);
  return [
    ...(isRated ? [{ name: 'Feedback', left: feedbackOf(left), right: feedbackOf(right), change: null }] : []),
    ...[...names].map((name) => {
      const [one, other] = [ownOf(left.scores, name) ?? null, ownOf(right.scores, name) ?? null];
      return { name, left: formatScore(one), right: formatScore(other), change: changeOf(one, other) };
    }),
  ];
}

function feedbackOf({ feedback_rating: rating }: RequestItem): string {
  return rating === null ? '–' : rating ? 'good' : 'bad';
}

function changeOf(one: number | null, other: number | null): number | null {
  return one === null || other === null || one <= 0 ? null : (other - one) / one;
}

/** Properties of both requests by their names. */
export function comparedProperties(left: RequestItem, right: RequestItem): readonly ComparedFigure[] {
  const names = new Set([...Object.keys(left.properties), ...Object.keys(right.properties)]);
  return [...names].map((name) => ({
    name,
    left: ownOf(left.properties, name) ?? '–',
    right: ownOf(right.properties, name) ?? '–',
    change: null,
  }));
}
