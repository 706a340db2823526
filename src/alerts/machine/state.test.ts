import { describe, expect, test } from 'vitest';
import type { GroupState } from '../../model/events/alert-vocabulary.ts';
import type { StepRules } from './state.ts';
import { everyMs, type Given, walk, type Walked } from '../testing/walk.ts';
import { testSeed } from '../../../test/support/test-length.ts';

type State = GroupState | 'unknown';

/** States by their first letters: a case fits on a line. */
const letters: Readonly<Record<string, State>> = {
  o: 'ok',
  p: 'pending',
  f: 'firing',
  r: 'recovering',
  n: 'no_data',
  '-': 'unknown',
};

interface Case {
  readonly rules?: Partial<StepRules>;
  readonly series: readonly Given[];
  readonly skip?: Readonly<Record<number, number>>;
  /** A letter a step. */
  readonly states: string;
  readonly notified: readonly string[];
  readonly incidents: Walked['incidents'];
}

const steps = (count: number): number => count * everyMs;

const cases: Readonly<Record<string, Case>> = {
  'below the threshold nothing happens': { series: [0, 9.99], states: 'oo', notified: [], incidents: [] },
  'at the threshold it fires, below it recovers': {
    series: [9, 10, 12, 11, 9],
    states: 'offfo',
    notified: ['1: triggered', '4: resolved'],
    incidents: [[1, 4, 12]],
  },
  'gt fires above only': {
    rules: { comparison: 'gt' },
    series: [10, 10.1],
    states: 'of',
    notified: ['1: triggered'],
    incidents: [[1, null, 10.1]],
  },
  'lt fires below, and the peak is the lowest': {
    rules: { comparison: 'lt' },
    series: [10, 4, 2, 3],
    states: 'offf',
    notified: ['1: triggered'],
    incidents: [[1, null, 2]],
  },
  'lte fires at the threshold': {
    rules: { comparison: 'lte' },
    series: [11, 10],
    states: 'of',
    notified: ['1: triggered'],
    incidents: [[1, null, 10]],
  },
  'two incidents are two': {
    series: [10, 0, 11, 0],
    states: 'fofo',
    notified: ['0: triggered', '1: resolved', '2: triggered', '3: resolved'],
    incidents: [
      [0, 1, 10],
      [2, 3, 11],
    ],
  },

  'for: pending first, firing when it held so long': {
    rules: { forMs: steps(2) },
    series: [10, 10, 10],
    states: 'ppf',
    notified: ['2: triggered'],
    incidents: [[2, null, 10]],
  },
  'for: what does not hold is nothing': {
    rules: { forMs: steps(2) },
    series: [10, 10, 9, 10],
    states: 'ppop',
    notified: [],
    incidents: [],
  },

  'recovery takes its time, and a relapse is the same incident': {
    rules: { recoverAfterMs: steps(2) },
    series: [10, 0, 10, 0, 0, 0],
    states: 'frfrro',
    notified: ['0: triggered', '5: resolved'],
    incidents: [[0, 5, 10]],
  },

  'a minimum of requests': {
    rules: { minimumCount: 5 },
    series: [
      { count: 4, value: 99 },
      { count: 5, value: 99 },
    ],
    states: 'of',
    notified: ['1: triggered'],
    incidents: [[1, null, 99]],
  },

  'a new group waits, and fires when its time is over': {
    rules: { newGroupDelayMs: steps(2) },
    series: [99, 99, 99],
    states: 'ppf',
    notified: ['2: triggered'],
    incidents: [[2, null, 99]],
  },
  'a known group does not wait': {
    rules: { newGroupDelayMs: steps(2) },
    series: [0, 0, 99],
    states: 'oof',
    notified: ['2: triggered'],
    incidents: [[2, null, 99]],
  },
  'a group that leaves the window is forgotten, and new when it returns': {
    rules: { newGroupDelayMs: steps(2) },
    series: [0, 0, 'none', 99],
    states: 'oo-p',
    notified: [],
    incidents: [],
  },

  'no data, ok: the condition is not met': {
    rules: { recoverAfterMs: steps(1) },
    series: [10, 'none', 'none', 'none'],
    states: 'fr--',
    notified: ['0: triggered', '2: resolved'],
    incidents: [[0, 2, 10]],
  },
  'no data, keep: nothing changes': {
    rules: { noData: 'keep' },
    series: [10, 'none', 'none', 0],
    states: 'fffo',
    notified: ['0: triggered', '3: resolved'],
    incidents: [[0, 3, 10]],
  },
  'no data, keep: what takes time starts over': {
    rules: { noData: 'keep', forMs: steps(2) },
    series: [10, 10, 'none', 10, 10],
    states: 'ppppf',
    notified: ['4: triggered'],
    incidents: [[4, null, 10]],
  },
  'no data, alert: an incident of its own': {
    rules: { noData: 'alert', recoverAfterMs: steps(1) },
    series: [0, 'none', 'none', 0, 0],
    states: 'onnro',
    notified: ['1: no_data', '4: resolved'],
    incidents: [[1, 4, null]],
  },
  'no data, alert: an incident goes on, and both are told': {
    rules: { noData: 'alert' },
    series: [10, 'none', 20, 0],
    states: 'fnfo',
    notified: ['0: triggered', '1: no_data', '3: resolved'],
    incidents: [[0, 3, 20]],
  },
  'no data, alert: a value that comes back beyond the threshold is told': {
    rules: { noData: 'alert' },
    series: ['none', 20, 30, 'none', 20, 0],
    states: 'nffnfo',
    notified: ['0: no_data', '1: triggered', '3: no_data', '5: resolved'],
    incidents: [[0, 5, 30]],
  },
  'no data, alert, muted: a value beyond the threshold is told when the mute ends': {
    rules: { noData: 'alert', muteUntil: steps(2) },
    series: ['none', 20, 20, 0],
    states: 'nffo',
    notified: ['2: triggered', '3: resolved'],
    incidents: [[0, 3, 20]],
  },
  'no data, alert, for: a value that comes back beyond the threshold is pending first': {
    rules: { noData: 'alert', forMs: steps(2) },
    series: ['none', 20, 20, 20, 0],
    states: 'nppfo',
    notified: ['0: no_data', '3: triggered', '4: resolved'],
    incidents: [[0, 4, 20]],
  },
  'no data, alert, for: what does not hold fires nothing, and the incident ends': {
    rules: { noData: 'alert', forMs: steps(2), recoverAfterMs: steps(1) },
    series: ['none', 20, 0, 20, 0, 0],
    states: 'nprpro',
    notified: ['0: no_data', '5: resolved'],
    incidents: [[0, 5, null]],
  },
  'no data, alert, for: an incident that fired before fires at once': {
    rules: { noData: 'alert', forMs: steps(1) },
    series: [10, 10, 'none', 20, 0],
    states: 'pfnfo',
    notified: ['1: triggered', '2: no_data', '4: resolved'],
    incidents: [[1, 4, 20]],
  },
  'a value that nobody knows is no data': {
    rules: { noData: 'alert' },
    series: [{ count: 3, value: null }],
    states: 'n',
    notified: ['0: no_data'],
    incidents: [[0, null, null]],
  },
  'a sum of no requests is 0, which is a value': {
    rules: { comparison: 'lt', zeroWithoutRequests: true, noData: 'alert' },
    series: [20, 'none', 20],
    states: 'ofo',
    notified: ['1: triggered', '2: resolved'],
    incidents: [[1, 2, 0]],
  },
  'a group that is gone for long is forgotten, and its incident ends': {
    rules: { comparison: 'lt', zeroWithoutRequests: true, forgetAfterMs: steps(2) },
    series: [20, 'none', 'none', 'none'],
    states: 'off-',
    notified: ['1: triggered', '3: resolved'],
    incidents: [[1, 3, 0]],
  },

  'renotify: still firing, so often': {
    rules: { renotifyMs: steps(2) },
    series: [10, 10, 10, 10, 10, 0],
    states: 'fffffo',
    notified: ['0: triggered', '2: still_firing', '4: still_firing', '5: resolved'],
    incidents: [[0, 5, 10]],
  },
  'renotify: not while it recovers': {
    rules: { renotifyMs: steps(1), recoverAfterMs: steps(3) },
    series: [10, 0, 0, 10],
    states: 'frrf',
    notified: ['0: triggered', '3: still_firing'],
    incidents: [[0, null, 10]],
  },

  'muted: states and incidents go on without a message': {
    rules: { muteUntil: steps(9) },
    series: [10, 0],
    states: 'fo',
    notified: [],
    incidents: [[0, 1, 10]],
  },
  'muted: what still fires is told when the mute ends': {
    rules: { muteUntil: steps(2) },
    series: [10, 11, 12, 0],
    states: 'fffo',
    notified: ['2: triggered', '3: resolved'],
    incidents: [[0, 3, 12]],
  },

  'an error resolves nothing, and what takes time goes on from before it': {
    rules: { recoverAfterMs: steps(3) },
    series: [10, 0, 'error', 0, 0],
    states: 'frrro',
    notified: ['0: triggered', '4: resolved'],
    incidents: [[0, 4, 10]],
  },
  'errors for longer than a gap: the recovery starts over': {
    rules: { recoverAfterMs: steps(1), maxGapMs: steps(1) },
    series: [10, 0, 'error', 'error', 0, 0],
    states: 'frrrro',
    notified: ['0: triggered', '5: resolved'],
    incidents: [[0, 5, 10]],
  },
  'a gap fires nothing by itself': {
    rules: { forMs: steps(2) },
    series: [10, 10, 10, 10],
    skip: { 1: 3600 },
    states: 'pppf',
    notified: ['3: triggered'],
    incidents: [[3, null, 10]],
  },
  'a clock that is set back resolves nothing, and recovery starts over': {
    rules: { recoverAfterMs: steps(1) },
    series: [10, 0, 0, 0],
    skip: { 2: -3600 },
    states: 'frro',
    notified: ['0: triggered', '3: resolved'],
    incidents: [[0, 3, 10]],
  },
};

describe('a series and what becomes of it', () => {
  test.each(Object.entries(cases))('%s', (_, { rules = {}, series, skip, states, notified, incidents }) => {
    expect(walk(rules, series, skip)).toEqual({ states: states.split('').map((letter) => letters[letter]), notified, incidents });
  });
});

const seed = testSeed();

function randomFrom(first: number): () => number {
  let state = first;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

describe(`any rule over any series (seed ${seed})`, () => {
  const random = randomFrom(seed);
  const one = <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(random() * items.length)] ?? items[0];
  const some = (most: number): number => steps(Math.floor(random() * most));
  const runs = Array.from({ length: 500 }, () => ({
    rules: {
      comparison: one(['gte', 'gt', 'lt', 'lte']),
      minimumCount: one([0, 2]),
      forMs: some(4),
      recoverAfterMs: some(4),
      newGroupDelayMs: some(4),
      noData: one(['ok', 'keep', 'alert']),
      renotifyMs: one([null, steps(3)]),
      zeroWithoutRequests: one([true, false]),
      forgetAfterMs: one([null, steps(20)]),
      maxGapMs: steps(3),
    } satisfies Partial<StepRules>,
    mutedFor: some(30),
    series: Array.from({ length: 60 }, (): Given =>
      one([0, 5, 10, 15, 'none', 'error', { count: 3, value: 12 }, { count: 1, value: null }]),
    ),
    skip: Object.fromEntries(Array.from({ length: 3 }, () => [1 + Math.floor(random() * 59), one([100, 1000, -500])])),
  }));

  /** `walk` throws where an incident opens twice or goes on after its end. */
  test.each(runs)(
    'an incident opens once and ends once, and each end that was told follows a beginning that was',
    ({ rules, series, skip }) => {
      const { notified, incidents, states } = walk(rules, series, skip);
      const last = states.at(-1) ?? 'unknown';
      // An incident of no data may be open while the group is pending.
      const open = incidents.filter(([, to, peak]) => to === null && !(last === 'pending' && peak === null));
      expect(open).toHaveLength(['firing', 'recovering', 'no_data'].includes(last) ? 1 : 0);
      const messages = notified.map((text) => text.split(': ')[1]);
      expect(messages.filter((message) => message === 'resolved')).toHaveLength(incidents.filter(([, to]) => to !== null).length);
      expect(messages[0] ?? 'triggered').not.toBe('resolved');
    },
  );

  test.each(runs)('muting changes no state and no incident', ({ rules, series, skip, mutedFor }) => {
    const [loud, muted] = [walk(rules, series, skip), walk({ ...rules, muteUntil: mutedFor }, series, skip)];
    expect({ states: muted.states, incidents: muted.incidents }).toEqual({ states: loud.states, incidents: loud.incidents });
  });

  test.each(runs)('an evaluation that fails ends nothing', ({ rules, series, skip }) => {
    const { incidents, states } = walk(rules, series, skip);
    for (const [index, given] of series.entries()) {
      if (given !== 'error') continue;
      expect(incidents.filter(([from, to]) => from === index || to === index)).toEqual([]);
      expect(states[index]).toBe(states[index - 1] ?? 'unknown');
    }
  });
});
