import { describe, expect, it } from 'vitest';
import { customEvents, eventKindOf } from './events.ts';

describe('an event that is logged beside model calls', () => {
  it.each([
    ['a tool', { _type: 'tool', toolName: 'clock', input: { zone: 'UTC' } }, 'tool:clock', '{"zone":"UTC"}'],
    ['a tool without a name', { _type: 'tool', input: 'now' }, 'tool', 'now'],
    ['a vector database', { _type: 'vector_db', operation: 'search', text: 'whales' }, 'vector_db', 'whales'],
    ['data', { _type: 'data', name: 'cart' }, 'data:cart', ''],
    ['a model call without an address', { model: 'own-1', input: 'hi' }, 'own-1', 'hi'],
    ['a type of no event', { _type: 'constructor', model: 'own-1' }, 'own-1', ''],
    ['no object', 'a', '', ''],
  ])('%s', (_what, body, model, promptText) => {
    expect(customEvents.readRequest(body, 'custom-model-nopath')).toMatchObject({ model, promptText, lastUserText: '' });
    expect(customEvents.readResponse(body).model).toBe(model);
  });

  it('has a kind', () => {
    expect([{ _type: 'tool' }, { _type: 'llm' }, { _type: 1 }, null].map(eventKindOf)).toEqual(['tool', undefined, undefined, undefined]);
  });
});
