import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listOf, objectOf } from '../format/fields.ts';
import { openAiChat } from './chat.ts';
import { assert } from '../../../test/support/seeded.ts';

/** A piece of a call as a test writes it; what is left out is not sent. */
interface Piece {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly args?: string;
}

/** Name and arguments of the calls in a stream, each of whose events has the pieces of one list. */
function callsOf(events: readonly (readonly Piece[])[]): readonly unknown[] {
  const chunks = events.map((pieces) => ({
    choices: [
      { index: 0, delta: { tool_calls: pieces.map(({ name, args, ...rest }) => ({ ...rest, function: { name, arguments: args } })) } },
    ],
  }));
  const { body } = openAiChat.assembleStream(chunks.map((chunk) => ({ event: 'message', data: JSON.stringify(chunk) })));
  const [choice] = listOf(objectOf(body)['choices']).map(objectOf);
  return listOf(objectOf(choice?.['message'])['tool_calls'])
    .map((call) => objectOf(objectOf(call)['function']))
    .map(({ name, arguments: args }) => [name, args]);
}

const path = (value: string): string => JSON.stringify({ path: value });

/** Streams of Ollama, llama.cpp, vLLM's parsers and gateways before them, each as it was reported of one. */
describe('the calls of a stream', () => {
  it.each([
    {
      case: 'whole, without identifiers, all at index 0',
      events: [
        [{ index: 0, name: 'read', args: path('a') }],
        [{ index: 0, name: 'write', args: path('b') }],
        [{ index: 0, name: 'read', args: path('c') }],
      ],
      calls: [
        ['read', path('a')],
        ['write', path('b')],
        ['read', path('c')],
      ],
    },
    {
      case: 'of one name twice, whole, without identifiers, at index 0',
      events: [[{ index: 0, name: 'read', args: path('{"') }], [{ index: 0, name: 'read', args: path('b') }]],
      calls: [
        ['read', path('{"')],
        ['read', path('b')],
      ],
    },
    {
      case: 'two in one event, without index and identifier',
      events: [
        [
          { name: 'read', args: path('a') },
          { name: 'write', args: path('b') },
        ],
      ],
      calls: [
        ['read', path('a')],
        ['write', path('b')],
      ],
    },
    {
      case: 'two of one name without arguments in one event',
      events: [
        [
          { name: 'now', args: '' },
          { name: 'now', args: '' },
        ],
      ],
      calls: [
        ['now', ''],
        ['now', ''],
      ],
    },
    {
      case: 'two in one event, both at index 0, and pieces behind them',
      events: [
        [
          { index: 0, name: 'now', args: '{}' },
          { index: 0, name: 'read', args: '{"path":' },
        ],
        [{ index: 0, args: '"b"}' }],
      ],
      calls: [
        ['now', '{}'],
        ['read', path('b')],
      ],
    },
    {
      case: 'without an index, in pieces',
      events: [
        [{ id: 'a', name: 'read', args: '{"path"' }],
        [{ args: ':"a"}' }],
        [{ id: 'b', name: 'read', args: '' }],
        [{ args: path('b') }],
      ],
      calls: [
        ['read', path('a')],
        ['read', path('b')],
      ],
    },
    {
      case: 'one whose index goes up with each piece',
      events: [[{ index: 0, id: 'a', name: 'read', args: '{"path"' }], [{ index: 1, args: ':"a' }], [{ index: 2, args: '"}' }]],
      calls: [['read', path('a')]],
    },
    {
      case: 'two of one identifier and name, at indexes of their own',
      events: [
        [{ index: 0, id: 'call', name: 'read', args: path('a') }],
        [{ index: 1, id: 'call', name: 'read', args: '' }],
        [{ index: 1, id: 'call', args: '{"path"' }],
        [{ index: 1, args: ':"b"}' }],
        [{ index: 2, id: 'call', name: 'read', args: path('c') }],
      ],
      calls: [
        ['read', path('a')],
        ['read', path('b')],
        ['read', path('c')],
      ],
    },
    {
      case: 'one that is repeated at other indexes, in part and whole',
      events: [
        [{ index: 0, id: 'call', name: 'read', args: '' }],
        [{ index: 1, id: 'call', name: 'read', args: path('a') }],
        [{ index: 2, id: 'call', name: 'read', args: path('a') }],
      ],
      calls: [['read', path('a')]],
    },
    {
      case: 'one that keeps its identifier and changes its index',
      events: [
        [{ index: 0, id: 'a', name: 'read', args: '{"path"' }],
        [{ index: 1, id: 'a', args: ':"a"}' }],
        [{ index: 1, id: 'b', name: 'now', args: '{}' }],
      ],
      calls: [
        ['read', path('a')],
        ['now', '{}'],
      ],
    },
    {
      case: 'one that repeats its name in every piece',
      events: [
        [{ index: 0, name: 'read', args: '' }],
        [{ index: 0, name: 'read', args: '{"path"' }],
        [{ index: 0, name: 'read', args: ':"a"}' }],
      ],
      calls: [['read', path('a')]],
    },
    {
      case: 'interleaved, without identifiers, of one name',
      events: [
        [{ index: 0, name: 'read', args: '{"path"' }],
        [{ index: 1, name: 'read', args: '{"path"' }],
        [
          { index: 0, args: ':"a"}' },
          { index: 1, args: ':"b"}' },
        ],
      ],
      calls: [
        ['read', path('a')],
        ['read', path('b')],
      ],
    },
    {
      case: 'two of one identifier with indices and names of their own',
      events: [[{ index: 0, id: 'call', name: 'read', args: path('a') }], [{ index: 1, id: 'call', name: 'write', args: path('b') }]],
      calls: [
        ['read', path('a')],
        ['write', path('b')],
      ],
    },
    {
      case: 'one whose name comes after its identifier',
      events: [[{ index: 0, id: 'a' }], [{ index: 0, name: 'read' }], [{ index: 0, args: path('a') }]],
      calls: [['read', path('a')]],
    },
  ])('$case are those that were made', ({ events, calls }) => {
    expect(callsOf(events)).toEqual(calls);
  });

  it('with identifiers are the same however they are cut and interleaved', () => {
    const call = fc.record({
      name: fc.constantFrom('read', 'write'),
      value: fc.string({ maxLength: 12 }),
      cuts: fc.array(fc.nat(20), { maxLength: 3 }),
    });
    assert(
      fc.property(fc.array(call, { maxLength: 4 }), fc.infiniteStream(fc.nat()), (calls, choices) => {
        const queues = calls.map(({ name, value, cuts }, index) => {
          const args = path(value);
          const ends = [0, ...cuts.map((cut) => cut % args.length).toSorted((one, other) => one - other), args.length];
          const pieces = ends.slice(1).map((end, at) => ({ index, args: args.slice(ends[at], end) }));
          return [{ index, id: `call_${index}`, name, args: '' }, ...pieces];
        });
        const events: Piece[][] = [];
        for (let open = queues; open.length > 0; open = queues.filter((queue) => queue.length > 0)) {
          const piece = open[(choices.next().value ?? 0) % open.length]?.shift();
          if (piece !== undefined) events.push([piece]);
        }
        expect(callsOf(events)).toEqual(calls.map(({ name, value }) => [name, path(value)]));
      }),
      { numRuns: 200 },
    );
  });

  it('are read in a time that grows with their length', () => {
    const events = Array.from({ length: 50_000 }, () => [{ index: 0, name: 'read', args: '{"a":' }]);
    expect(callsOf(events)).toEqual([['read', '{"a":'.repeat(50_000)]]);
  });
});
