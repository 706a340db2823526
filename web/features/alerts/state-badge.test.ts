import { expect, it } from 'vitest';
import { stateOf } from './state-badge.tsx';

it('a rule that was new when it was read has the state of its most severe group', () => {
  expect(stateOf({ status: { state: 'new' } }, [{ state: 'firing' }, { state: 'ok' }])).toBe('firing');
});

it('a rule without groups, or with a state of its own, has that', () => {
  expect(stateOf({ status: { state: 'new' } }, [])).toBe('new');
  expect(stateOf({ status: { state: 'off' } }, [{ state: 'ok' }])).toBe('off');
});
