import { describe, expect, it } from 'vitest';
import { decide, type FoundRequest } from './decide.ts';

const found = (given: Partial<FoundRequest>): FoundRequest => ({
  values: new Map(),
  total: { count: 0, bytes: 0 },
  own: new Set(),
  later: new Map(),
  ...given,
});
const toB = new Map([['Team', 'b']]);
const made = { outcome: 'changed', entries: [{ name: 'Team', old: 'a', new: 'b' }], writes: toB };
const valuesA = new Map([['Team', 'a']]);

describe('a job decides about a request', () => {
  it('changes a value, with an entry', () => {
    expect(decide(found({ values: valuesA }), toB)).toEqual(made);
  });

  it('leaves a later change alone', () => {
    expect(decide(found({ values: valuesA, later: new Map([['Team', 'a']]) }), toB)).toEqual({
      outcome: 'changed_since',
      entries: [],
      writes: new Map(),
    });
  });

  it('tells of a request whose other properties it changes that one is left alone', () => {
    const both = new Map([...toB, ['Env', 'prod']]);
    const decision = {
      outcome: 'changed_since',
      entries: [{ name: 'Env', old: null, new: 'prod' }],
      writes: new Map([['Env', 'prod']]),
    };
    const later = new Map([['Team', 'a']]);
    expect(decide(found({ values: valuesA, later }), both)).toEqual(decision);
    const again = found({ values: new Map([...valuesA, ['Env', 'prod']]), own: new Set(['Env']), later });
    expect(decide(again, both)).toEqual({ ...decision, entries: [], writes: new Map() });
  });

  it('does not mistake an entry whose value never reached the row for a change', () => {
    expect(decide(found({ values: valuesA, later: new Map([['Team', 'never written']]) }), toB)).toEqual(made);
  });

  it('makes true what an earlier attempt entered, without another entry', () => {
    expect(decide(found({ values: valuesA, own: new Set(['Team']) }), toB)).toEqual({ ...made, entries: [] });
    expect(decide(found({ values: toB, own: new Set(['Team']) }), toB)).toEqual({ ...made, entries: [], writes: new Map() });
  });

  it('leaves alone what was changed between two attempts', () => {
    const between = found({ values: new Map([['Team', 'c']]), own: new Set(['Team']), later: new Map([['Team', 'c']]) });
    expect(decide(between, toB)).toEqual({ ...made, entries: [], writes: new Map() });
  });

  it('removes what is there, and counts what is not as it should be', () => {
    const removal = new Map([['Team', null]]);
    expect(decide(found({ values: valuesA }), removal)).toEqual({
      outcome: 'changed',
      entries: [{ name: 'Team', old: 'a', new: null }],
      writes: removal,
    });
    expect(decide(found({}), removal)).toEqual({ outcome: 'unchanged', entries: [], writes: new Map() });
  });
});
