import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamEndDetector } from './stream-end.ts';

const endings = [
  '[DONE]',
  'message_stop',
  'message-end',
  '.completed',
  'transcript.text.done',
  'transcription.done',
  'speech.audio.done',
  'response.incomplete',
  'response.failed',
  'event: error',
  '"error"',
];

/** Offsets right behind every ending in a text. */
function endsIn(text: string): number[] {
  return endings.flatMap((ending) => {
    const found: number[] = [];
    for (let at = text.indexOf(ending); at !== -1; at = text.indexOf(ending, at + 1)) found.push(at + ending.length);
    return found;
  });
}

describe('the end of a stream', () => {
  it('is seen with exactly the chunk that completes it, at any split (seed 7)', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(...endings),
        fc.constantFrom('[DON', '[D', 'E]', 'message_', 'stop', 'response.', 'é', '"', 'error'),
        fc.string({ maxLength: 8 }),
      ),
      {
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(200), { maxLength: 40 }), (texts, cuts) => {
        const bytes = Buffer.from(texts.join(''));
        const ends = endsIn(bytes.toString('latin1'));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((left, right) => left - right), bytes.length];
        const watch = new StreamEndDetector();
        for (let index = 1; index < places.length; index += 1) {
          const [from = 0, to = 0] = [places[index - 1], places[index]];
          expect(watch.completesMarker(bytes.subarray(from, to))).toBe(ends.some((end) => end > from && end <= to));
        }
      }),
      { seed: 7, numRuns: 1000 },
    );
  });
});
