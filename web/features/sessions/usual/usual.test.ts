import { expect, it } from 'vitest';
import { comparison, hasRunAway, ownModelOf, type SessionFigures, type Usual, usualOf } from './usual.ts';

const session = (cost: number, steps: number, cached: number | null, name = 'export'): SessionFigures => ({
  id: '',
  name,
  cost,
  steps,
  cached,
});
const others = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6].map((cost, index) => session(cost, 10 + index, 0.8, index < 5 ? 'export' : 'other'));

const textsOf = (own: SessionFigures, usual: Usual): readonly string[] => comparison(own, usual).map(({ text }) => text);

it('the usual session is the median of five of its name at least, else of those with its properties', () => {
  expect(usualOf(session(1, 1, 0), others, 30)).toEqual({ by: 'name', days: 30, sessions: 5, cost: 0.3, steps: 12, cached: 0.8 });
  expect(usualOf(session(1, 1, 0, 'rare'), others, 7)).toMatchObject({ by: 'properties', days: 7, sessions: 6, cost: 0.35, steps: 12.5 });
  expect(usualOf(session(1, 1, 0, ''), others.slice(0, 4), 30)).toBeUndefined();
});

it('where fewer have its name, those of its name count beside those with its properties, and the sentence says so', () => {
  const usual = usualOf(session(1, 1, 0, 'other'), others, 1);
  expect(usual).toMatchObject({ by: 'either', days: 1, sessions: 6 });
  expect(usual === undefined ? [] : textsOf(session(0.35, 1, 0), usual)).toEqual([
    'About as much as a usual session: $0.35 against $0.35, the median of 6 others of this name or with these properties in 1 day.',
  ]);
});

it('a runaway and an ordinary session read differently', () => {
  const usual = { by: 'properties', days: 30, sessions: 48, cost: 0.29, steps: 15, cached: 0.78 } as const;
  expect(textsOf(session(7.54, 64, 0), usual)).toEqual([
    'About 26 times a usual session: $7.54 against $0.29, the median of 48 others with these properties in 30 days.',
    '64 steps against 15.',
    '0% of the input came from the provider’s cache, against 78%.',
  ]);
  expect(textsOf(session(10.64, 64, null), { ...usual, cost: 0.01334 })[0]).toMatch(
    /^About 800 times a usual session: \$10.64 against \$0.0133/,
  );
  expect(textsOf(session(0.28, 16, 0.79), usual)).toEqual([
    'About as much as a usual session: $0.28 against $0.29, the median of 48 others with these properties in 30 days.',
  ]);
  expect(textsOf(session(0.1, 4, null), { ...usual, by: 'name' })).toEqual([
    'Less than a usual session: $0.10 against $0.29, the median of 48 others of this name in 30 days.',
  ]);
  expect(textsOf(session(1, 1, 1), { ...usual, cost: 0 })).toEqual([]);
  expect(comparison(session(7.54, 64, 0), usual).map(({ about }) => about)).toEqual(['cost', 'steps', 'cached']);
  expect([7.54, 0.28].map((cost) => hasRunAway(session(cost, 1, 0), usual))).toEqual([true, false]);
});

it('a session on another model than the others says so, and which', () => {
  const usual: Usual = { by: 'name', days: 30, sessions: 31, cost: 0.1, steps: 9, cached: null };
  const modelsOf = (own: Readonly<Record<string, number>>, all: Readonly<Record<string, number>>): readonly string[] =>
    comparison(session(1, 9, null), usual, ownModelOf(new Map(Object.entries(own)), new Map(Object.entries(all))))
      .filter(({ about }) => about === 'model')
      .map(({ text }) => text);
  expect(modelsOf({ large: 0.9, small: 0.1 }, { large: 1, small: 3 })).toEqual([
    'large made 90% of the cost, against 3%; the others use small most.',
  ]);
  expect(modelsOf({ small: 1 }, { small: 3, large: 1 })).toEqual([]);
  expect(modelsOf({ large: 0.4, small: 0.3, tiny: 0.3 }, { large: 0.4, small: 3.3, tiny: 0.3 })).toEqual([]);
  expect(modelsOf({ large: 1 }, { large: 2, small: 2 })).toEqual([]);
  expect(modelsOf({ large: 1 }, { large: 1 })).toEqual([]);
});
