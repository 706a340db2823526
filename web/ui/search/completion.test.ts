import { describe, expect, it } from 'vitest';
import { completed, matching, onlyValue, operatorsAt, writingAt } from './completion.ts';

/** The caret is where the bar stands. */
function at(marked: string) {
  const caret = marked.indexOf('|');
  return { text: marked.replace('|', ''), caret };
}

describe('what is being written', () => {
  it.each([
    ['|', { kind: 'name', prefix: '' }],
    ['mod|', { kind: 'name', prefix: 'mod' }],
    ['model:gpt-4o Te|', { kind: 'name', prefix: 'Te' }],
    ['-us|', { kind: 'name', prefix: 'us' }],
    ['(mod|', { kind: 'name', prefix: 'mod' }],
    ['model:|', { kind: 'value', name: 'model', prefix: '' }],
    ['model:gpt|', { kind: 'value', name: 'model', prefix: 'gpt' }],
    ['model:gpt| status:200', { kind: 'value', name: 'model', prefix: 'gpt' }],
    ['status:|', { kind: 'value', name: 'status', prefix: '', hasOperator: false }],
    ['status:>=|', { kind: 'value', name: 'status', prefix: '', hasOperator: true }],
    ['status:>=4|', { kind: 'value', name: 'status', prefix: '4' }],
    ['Team:"sea|', { kind: 'value', name: 'Team', prefix: 'sea' }],
    ['"my team":a|', { kind: 'value', name: 'my team', prefix: 'a' }],
    ['Team:"a b" us|', { kind: 'name', prefix: 'us' }],
    ['(A:1 OR mod|)', { kind: 'name', prefix: 'mod' }],
    ['has:Env|', { kind: 'value', name: 'has', prefix: 'Env' }],
  ])('%s', (marked, writing) => {
    const { text, caret } = at(marked);
    expect(writingAt(text, caret)).toMatchObject(writing);
  });

  it('ends for every text and every place', () => {
    for (const text of [') ) (', '::: "', '"', '- - -', 'a:"b\\"c" d:e)f', '(((']) {
      for (let caret = 0; caret <= text.length; caret += 1) expect(writingAt(text, caret).to).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('a completion', () => {
  const name = { title: 'model', about: 'field', text: 'model:', isOpen: true };
  const value = { title: 'gpt 4', about: 'value', text: '"gpt 4"', isOpen: false };

  it('takes the place of what was written, and what stands behind stays', () => {
    const { text, caret } = at('mod| status:200');
    expect(completed(text, writingAt(text, caret), name)).toEqual({ text: 'model: status:200', caret: 6 });
  });

  it('of a value ends it with a space', () => {
    const { text, caret } = at('model:gp|');
    expect(completed(text, writingAt(text, caret), value)).toEqual({ text: 'model:"gpt 4" ', caret: 14 });
  });
});

it('operators are offered until one is written, or the value is begun', () => {
  const offered = ['status:|', 'status:>=|', 'status:4|', 'stat|'].map((marked) => {
    const { text, caret } = at(marked);
    return operatorsAt(writingAt(text, caret), 'number').map(({ text: sign }) => sign);
  });
  expect(offered).toEqual([['>=', '<=', '>', '<'], [], [], []]);
});

it('what begins with the prefix stands first', () => {
  const entries = ['b team', 'Team', 'tea', 'x'].map((title) => ({ title }));
  expect(matching(entries, 'tea', 10).map(({ title }) => title)).toEqual(['Team', 'tea', 'b team']);
});

const value = (title: string) => ({ title, about: 'value', text: title, isOpen: false });

const taken = (marked: string, ...titles: readonly string[]) => {
  const { text, caret } = at(marked);
  return onlyValue(writingAt(text, caret), titles.map(value))?.title;
};

describe('Enter takes the only value', () => {
  it.each([
    ['that goes on from what is written', 'Team:se|', ['search'], 'search'],
    ['and none of several', 'Team:se|', ['search', 'serving'], undefined],
    ['and none where nothing is written yet', 'Team:|', ['search'], undefined],
    ['and none behind an operator', 'Team:~se|', ['search'], undefined],
    ['and none where a word is written, not a value', 'se|', ['search'], undefined],
    ['and not the one that is written already', 'Team:search|', ['search'], undefined],
  ])('%s', (_what, marked, titles, expected) => {
    expect(taken(marked, ...titles)).toBe(expected);
  });
});
