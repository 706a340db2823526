import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RequestItem } from '../../../../src/client/client.ts';
import type { Turn } from '../../../ui/conversation/read/part.ts';
import { turnsOfRequest } from '../../../ui/conversation/read/turns.ts';
import { alignTurns } from './align.ts';
import { commonOrder } from './common-order.ts';
import { comparedFigures, comparedRatings } from './figures.ts';
import { comparedParameters } from './parameters.ts';
import { type Piece, textDifference } from './text-difference.ts';

const recording = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`src/providers/${name}.json`, 'utf8')) as Record<string, unknown>;
const say = (role: Turn['role'], text: string): Turn => ({ role, parts: [{ kind: 'text', text }] });

const textOf = (turn: Turn | undefined): string => (turn?.parts[0]?.kind === 'text' ? turn.parts[0].text : '–');
const shown = (left: readonly Turn[], right: readonly Turn[]): readonly string[] =>
  alignTurns(left, right).map((row) => `${textOf(row.left)} ${row.isSame ? '=' : '|'} ${textOf(row.right)}`);

describe('messages', () => {
  test('that are the same stand beside one another, whatever was put between them', () => {
    expect(shown([say('user', 'a'), say('user', 'b')], [say('user', 'a'), say('assistant', 'new'), say('user', 'b')])).toEqual([
      'a = a',
      '– | new',
      'b = b',
    ]);
  });
  test('that differ stand beside those of the same role', () => {
    const left = [say('system', 's1'), say('user', 'u1'), say('assistant', 'x')];
    expect(shown(left, [say('user', 'u2'), say('assistant', 'y')])).toEqual(['s1 | –', 'u1 | u2', 'x | y']);
  });
  test('of a request and the next one: all are the same, and the last are only right', () => {
    const turns = turnsOfRequest(recording('anthropic/__fixtures__/messages-request'));
    const rows = alignTurns(turns, [...turns, say('assistant', 'Six.'), say('user', 'And when last?')]);
    expect(rows.map(({ isSame }) => isSame)).toEqual([...turns.map(() => true), false, false]);
    expect(rows.at(-1)?.left).toBeUndefined();
  });
});

describe('the common order', () => {
  test('is the longest', () => {
    expect(commonOrder(['a', 'x', 'b', 'c'], ['b', 'a', 'b', 'y', 'c'], 100)).toEqual([
      [0, 1],
      [2, 2],
      [3, 4],
    ]);
  });
  test('of too much has the same beginning and end alone', () => {
    expect(commonOrder(['a', 'x', 'b', 'c'], ['a', 'b', 'x', 'y', 'c'], 3)).toEqual([
      [0, 0],
      [3, 4],
    ]);
  });
});

const marked = (pieces: readonly Piece[]): string => pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');

describe('texts', () => {
  test('differ word by word', () => {
    const { left, right } = textDifference('The ferry leaves at 6:20 today.', 'The boat leaves at 7:20 today!');
    expect([marked(left), marked(right)]).toEqual(['The [ferry] leaves at [6]:20 today[.]', 'The [boat] leaves at [7]:20 today[!]']);
  });
  test('are shortened where they are the same for long', () => {
    const long = 'the harbour opens at six '.repeat(100);
    const { left } = textDifference(`${long}now`, `${long}then`);
    expect(left[0]?.text.length).toBeLessThan(200);
    expect(marked(left)).toMatch(/^ … .*\[now\]$/s);
  });
});

test('parameters have the names of their places, tools their own; what is said is none', () => {
  const left = recording('openai/__fixtures__/responses-request');
  const right = { ...left, reasoning: { effort: 'high' }, temperature: 1 };
  const rows = comparedParameters(left, right);
  expect(rows.map(({ name }) => name)).toEqual(['model', 'user', 'tools', 'reasoning.effort', 'store', 'temperature']);
  expect(rows.filter((row) => row.left !== row.right)).toEqual([
    { name: 'reasoning.effort', left: 'low', right: 'high' },
    { name: 'temperature', left: null, right: '1' },
  ]);
  expect(rows[2]).toEqual({ name: 'tools', left: 'timetable', right: 'timetable' });
});

test('parameters of Gemini', () => {
  const body = recording('google/__fixtures__/generate-request');
  expect(comparedParameters(body, body).map(({ name, left }) => `${name}=${String(left)}`)).toEqual([
    'tools=timetable',
    'generationConfig.temperature=0.2',
    'generationConfig.thinkingConfig.includeThoughts=true',
  ]);
});

const prompted = (prompt: Partial<RequestItem>): RequestItem => ({ prompt_id: null, prompt_version: null, ...prompt }) as RequestItem;
const promptsOf = (left: RequestItem, right: RequestItem) => comparedFigures(left, right).filter(({ name }) => name === 'Prompt');

test('the version of a prompt stands among the figures where one of both has a prompt', () => {
  const [old, plain] = [prompted({ prompt_id: 'greeting', prompt_version: '3' }), prompted({ prompt_id: 'greeting' })];
  expect(promptsOf(old, plain)).toMatchObject([{ left: 'greeting 3', right: 'greeting' }]);
  expect(promptsOf(prompted({}), prompted({}))).toEqual([]);
});

const rated = (scores: Readonly<Record<string, number>>, rating: boolean | null): RequestItem =>
  ({ scores, feedback_rating: rating }) as unknown as RequestItem;

test('a score has no more digits than in tables of averages', () => {
  const [row] = comparedRatings(rated({ helpful: 0.1 + 0.5 }, null), rated({ helpful: 0.6000000000000001 }, null));
  expect(row).toMatchObject({ left: '0.6', right: '0.6' });
  expect(comparedRatings(rated({ helpful: 0.9099999999999999 }, null), rated({}, null))).toMatchObject([{ left: '0.91' }]);
});

test('scores and feedback of both stand beside one another; a score of one side alone has no change', () => {
  const left = rated({ quality: 80, tone: 1, 'svc-score-feedback': 1 }, true);
  expect(comparedRatings(left, rated({ quality: 60, speed: -2 }, null))).toEqual([
    { name: 'Feedback', left: 'good', right: '–', change: null },
    { name: 'quality', left: '80', right: '60', change: -0.25 },
    { name: 'tone', left: '1', right: '–', change: null },
    { name: 'speed', left: '–', right: '−2', change: null },
  ]);
  expect(comparedRatings(rated({}, null), rated({}, null))).toEqual([]);
});
