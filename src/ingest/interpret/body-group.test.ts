import { expect, test } from 'vitest';
import { bodyGroupOf } from './body-group.ts';

const system = 'You know the timetable. '.repeat(400);

function promptOf(...turns: readonly string[]): Parameters<typeof bodyGroupOf>[1] {
  // The user's turn and the assistant's alternate.
  const ofUser = turns.filter((_, index) => index % 2 === 0);
  return { promptText: [system, ...turns].join('\n'), firstUserText: ofUser[0] ?? '', lastUserText: ofUser.at(-1) ?? '' };
}

test('the turns of a conversation without a session are one group, and those of another one are not', () => {
  const [second, third, other] = [
    promptOf('When?', 'At six.', 'Where?'),
    promptOf('When?', 'At six.', 'Where?', 'There.', 'Why?'),
    promptOf('Who?', 'She.', 'Where?'),
  ];
  expect(bodyGroupOf('', third)).toBe(bodyGroupOf('', second));
  expect(bodyGroupOf('', other)).not.toBe(bodyGroupOf('', second));
});

test('a turn after a tool belongs to its conversation, though its user has said one thing', () => {
  const afterTool = promptOf('When?', 'The tool says: at six.');
  expect(bodyGroupOf('', afterTool)).toBe(bodyGroupOf('', promptOf('When?', 'The tool says: at six.', 'Where?')));
});

test.each([
  ['a first turn', promptOf('When?')],
  ['a short conversation', { promptText: 'a\nb\nc', firstUserText: 'a', lastUserText: 'c' }],
  ['no prompt', { promptText: '', firstUserText: '', lastUserText: '' }],
])('%s without a session stays in the order of time', (_, prompt) => {
  expect(bodyGroupOf('', prompt)).toBe(0n);
});

test('a session is a group for each of its system prompts', () => {
  const [turn, later] = [promptOf('When?'), promptOf('When?', 'At six.', 'Where?')];
  expect(bodyGroupOf('s', later)).toBe(bodyGroupOf('s', turn));
  expect(bodyGroupOf('t', turn)).not.toBe(bodyGroupOf('s', turn));
  expect(bodyGroupOf('s', { ...turn, promptText: 'other' })).not.toBe(bodyGroupOf('s', turn));
});
