import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { readAmazonEvents } from './event-stream.ts';
import { encodeAmazonChunks, encodeAmazonEvents, encodeAmazonMessage, frameAmazonMessage } from './testing/encode-events.ts';
import { assert } from '../../../test/support/seeded.ts';

const event = { event: 'tide', data: '{"height":"3 m 🌊"}' };
const other = { event: 'ebb', data: '{"at":"18:40"}' };
const whole = encodeAmazonEvents([event]);

/** A message with a header of every kind, made by another implementation. */
const everyKind = [
  '000000aa00000085c2672ff1',
  '017400',
  '016601',
  '046279746502ff',
  '0573686f7274030102',
  '03696e740400000007',
  '046c6f6e67050000000000000009',
  '056279746573060002cafe',
  '0d3a6d6573736167652d747970650700056576656e74',
  '0474696d65080000000000000000',
  '047575696409000102030405060708090a0b0c0d0e0f',
  '0b3a6576656e742d7479706507000474696465',
  '7b22686569676874223a2233206d20f09f8c8a227d',
  '16fc0ca8',
].join('');

const failed = (headers: Readonly<Record<string, string>>, payload: string): unknown =>
  readAmazonEvents(encodeAmazonMessage(headers, payload)).events.map(({ event: name, data }) => [name, parseJson(data)]);

describe('a stream of messages', () => {
  it.each([
    ['nothing at all', Buffer.alloc(0), []],
    ['a header of every kind', Buffer.from(everyKind, 'hex'), [event]],
    ['several messages', encodeAmazonEvents([event, other]), [event, other]],
    ['a message that is empty', Buffer.concat([Buffer.from('000000100000000005c248eb7d98c8ff', 'hex'), whole]), [event]],
    ['a message of a kind that is not known', Buffer.concat([encodeAmazonMessage({ ':message-type': 'tomorrow' }, 'x'), whole]), [event]],
  ])('is read with %s', (_name, bytes, events) => {
    expect(readAmazonEvents(bytes)).toEqual({ events, ending: 'whole' });
  });

  it('may be a part of a larger buffer', () => {
    const larger = new Uint8Array(Buffer.concat([whole, whole, whole]));
    expect(readAmazonEvents(larger.subarray(whole.length, 2 * whole.length))).toEqual({ events: [event], ending: 'whole' });
  });
});

describe("a model's own stream", () => {
  it('is unwrapped', () => {
    const bytes = encodeAmazonChunks([event, other]);
    expect(readAmazonEvents(bytes).events).toEqual([
      { event: 'message', data: event.data },
      { event: 'message', data: other.data },
    ]);
  });

  it.each(['{}', 'no JSON', '{"bytes":7}'])('is left as it is where a chunk has no bytes: %s', (data) => {
    expect(readAmazonEvents(encodeAmazonEvents([{ event: 'chunk', data }])).events).toEqual([{ event: 'chunk', data }]);
  });
});

describe('a failure', () => {
  it.each([
    ['that a service modelled', { ':message-type': 'exception', ':exception-type': 'throttlingException' }, '{"message":"Too many."}'],
    ['that is no JSON', { ':message-type': 'exception', ':exception-type': 'throttlingException' }, 'Too many.'],
    ['that it did not', { ':message-type': 'error', ':error-code': 'throttlingException', ':error-message': 'Too many.' }, ''],
  ])('%s is an event that says so', (_name, headers, payload) => {
    expect(failed(headers, payload)).toEqual([['error', { type: 'error', error: { type: 'throttlingException', message: 'Too many.' } }]]);
  });

  it('keeps what the model said of it', () => {
    const headers = { ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' };
    const payload = '{"message":"The model failed.","originalStatusCode":529,"originalMessage":"Overloaded"}';
    expect(failed(headers, payload)).toMatchObject([['error', { error: { originalStatusCode: 529, originalMessage: 'Overloaded' } }]]);
  });
});

/** Events with the place where the message of each one ends, and the bytes of all of them. */
const streams = fc
  .array(
    fc.record({ event: fc.stringMatching(/^[a-z]{1,20}$/).filter((name) => name !== 'error'), data: fc.string({ unit: 'grapheme' }) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((events) => {
    const ends = events.map((_, index) => encodeAmazonEvents(events.slice(0, index + 1)).length);
    return { events, ends, bytes: encodeAmazonEvents(events) };
  });

describe('what did not come as it was sent', () => {
  it('cut off at any byte has the messages before, and nothing of the one that broke off', () => {
    assert(
      fc.property(streams, fc.nat(), ({ events, ends, bytes }, place) => {
        const length = place % (bytes.length + 1);
        expect(readAmazonEvents(bytes.subarray(0, length))).toEqual({
          events: events.slice(0, ends.filter((end) => end <= length).length),
          ending: [0, ...ends].includes(length) ? 'whole' : 'cut',
        });
      }),
    );
  });

  it('with any byte altered has the messages before it, and says that it is corrupt', () => {
    assert(
      fc.property(streams, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ events, ends, bytes }, place, change) => {
        const at = place % bytes.length;
        const altered = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ change : byte));
        expect(readAmazonEvents(altered)).toEqual({ events: events.slice(0, ends.filter((end) => end <= at).length), ending: 'corrupt' });
      }),
    );
  });

  it('never throws, whatever the bytes are', () => {
    assert(
      fc.property(fc.array(fc.oneof(fc.uint8Array(), fc.constant(whole))), (parts) => {
        expect(readAmazonEvents(Buffer.concat(parts))).toHaveProperty('ending');
      }),
    );
  });

  it('may have any bytes for its headers', () => {
    assert(
      fc.property(fc.uint8Array(), (headers) => {
        const { ending } = readAmazonEvents(frameAmazonMessage(headers, Buffer.alloc(0)));
        expect(['whole', 'corrupt']).toContain(ending);
      }),
    );
  });

  it('may claim any length, and is not read as if it had it', () => {
    const size = fc.nat({ max: 0xff_ff_ff_ff });
    assert(
      fc.property(fc.oneof(size, fc.nat(40)), fc.oneof(size, fc.nat(40)), (total, headers) => {
        const message = frameAmazonMessage(Buffer.alloc(0), Buffer.from('tide'), { total, headers });
        fc.pre(total !== message.length);
        const { events, ending } = readAmazonEvents(message);
        expect([events, ending === 'whole']).toEqual([[], false]);
      }),
    );
  });

  it.each([
    ['a name that is longer than all of them', [200, 97, 7, 0, 0]],
    ['a name without a value', [4, 97, 97, 97, 97]],
    ['a kind that is none', [1, 97, 10, 0, 0]],
    ['a text without its length', [2, 97, 97, 7, 0]],
    ['a text that is longer than all of them', [1, 97, 7, 0, 9]],
    ['a number that is longer than all of them', [1, 97, 5, 0, 0]],
  ])('cannot be read where its headers have %s', (_name, headers) => {
    const bytes = Buffer.concat([whole, frameAmazonMessage(Uint8Array.from(headers), Buffer.alloc(0))]);
    expect(readAmazonEvents(bytes)).toEqual({ events: [event], ending: 'corrupt' });
  });
});
