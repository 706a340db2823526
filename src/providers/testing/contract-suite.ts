import { readFileSync, readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { readAmazonEvents } from '../amazon/event-stream.ts';
import { encodeAmazonChunks, encodeAmazonEvents } from '../amazon/testing/encode-events.ts';
import type { AssembledStream, WireFormat } from '../format/provider.ts';
import { readServerSentEvents, type ServerSentEvent } from '../format/sse.ts';

const noFacts = { responseId: '', model: '', serviceTier: '', completionText: '', finishReason: '', providerCost: null };

/** Where the recordings of one format are: a folder, and how their names begin in it. */
interface Recordings {
  readonly folder: URL;
  readonly prefix: string;
  /** Path of the call, where it says something. */
  readonly path?: string;
  /** How the provider frames the events of a stream, which a recording has as text in either case. Absent: as server-sent events. */
  readonly framing?: keyof typeof framings;
  /** What the format has no place for, each with the reason. */
  readonly lacks?: Readonly<Partial<Record<Lack, string>>>;
}

/** How events come over the wire, and how they are read from there. */
interface Framing {
  readonly encode: (recording: Uint8Array) => Uint8Array;
  readonly read: (parts: readonly Uint8Array[]) => readonly ServerSentEvent[];
  /** Bytes at the end of a stream without which its last event may still be whole. */
  readonly spareBytes: number;
}

const framings = {
  'server-sent events': { encode: (recording) => recording, read: readServerSentEvents, spareBytes: 'data: [DONE]\r\n\r\n'.length },
  'amazon messages': {
    encode: (recording) => encodeAmazonEvents(readServerSentEvents([recording])),
    read: (parts) => readAmazonEvents(Buffer.concat(parts)).events,
    spareBytes: 0,
  },
  'amazon chunks': {
    encode: (recording) => encodeAmazonChunks(readServerSentEvents([recording])),
    read: (parts) => readAmazonEvents(Buffer.concat(parts)).events,
    spareBytes: 0,
  },
} as const satisfies Readonly<Record<string, Framing>>;

type Lack = 'stream' | 'completionText' | 'user' | 'promptText';

/**
 * What every wire format keeps to; its test calls this once. Among the recordings are `request.json`, `response.json`, and `response.sse`, the
 * same answer as a stream.
 */
export function describeWireFormat(format: WireFormat, from: Recordings): void {
  const { folder, prefix, path = '/v1/any', lacks = {} } = from;
  const framing: Framing = framings[from.framing ?? 'server-sent events'];
  const assemble = (parts: readonly Uint8Array[]): AssembledStream => format.assembleStream(framing.read(parts));
  describe(`wire format ${format.name}`, () => {
    const recordings = readRecordings(folder, prefix);
    const streams = recordings
      .filter(({ name }) => name.endsWith('.sse'))
      .map(({ name, bytes }) => ({ name, bytes: framing.encode(bytes) }));
    const bodies = recordings.filter(({ name }) => name.endsWith('.json'));

    it('has a recorded request, a response, and the same response as a stream', () => {
      const names = recordings.map(({ name }) => name);
      const ends = ['request.json', 'response.json', ...(lacks.stream === undefined ? ['response.sse'] : [])];
      expect(names).toEqual(expect.arrayContaining(ends.map((end) => `${prefix}${end}`)));
    });

    it.each(Object.entries(lacks))('has no %s: %s', (lack) => {
      const request = format.readRequest(parseJson(textOfFile(folder, `${prefix}request.json`)), path);
      const response = format.readResponse(parseJson(textOfFile(folder, `${prefix}response.json`)));
      expect({ ...request, completionText: response.completionText, stream: '' }).toMatchObject({ [lack]: '' });
      expect(lack === 'stream' ? streams : []).toEqual([]);
    });

    it.each(streams)('puts $name together the same however its bytes were split', ({ bytes }) => {
      const expected = assemble([bytes]);
      expect(expected.understood).toBe(true);
      fc.assert(
        fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }), (cuts) => {
          expect(assemble(split(bytes, cuts))).toEqual(expected);
        }),
        { numRuns: 40 },
      );
    });

    it.each(streams)('reads $name cut off at any byte: no throw, no end, and only text that was there', ({ bytes }) => {
      const text = format.readResponse(assemble([bytes]).body).completionText;
      for (let length = 0; length < bytes.length - framing.spareBytes; length += 1) {
        const partial = assemble([bytes.subarray(0, length)]);
        const fields = format.readResponse(partial.body);
        expect(partial.isComplete).toBe(false);
        expect(text.startsWith(fields.completionText)).toBe(true);
      }
    });

    it('reads a response', () => {
      const response = format.readResponse(parseJson(textOfFile(folder, `${prefix}response.json`)));
      expect(lacks.completionText ?? response.completionText).not.toBe('');
      expect(response.usage.promptTokens).not.toBeNull();
    });

    it.each(streams.filter(({ name }) => name === `${prefix}response.sse`))(
      'reads the same from a response and from $name',
      ({ bytes }) => {
        const response = format.readResponse(parseJson(textOfFile(folder, `${prefix}response.json`)));
        expect(format.readResponse(assemble([bytes]).body)).toEqual(response);
      },
    );

    it('reads model, user and texts of a request', () => {
      const fields = format.readRequest(parseJson(textOfFile(folder, `${prefix}request.json`)), path);
      const { model, user, promptText, lastUserText } = fields;
      expect([model, lacks.user ?? user, lacks.promptText ?? promptText, lacks.promptText ?? lastUserText]).not.toContain('');
      expect(promptText).toContain(lastUserText);
    });

    it('has every text of which tokens were made', () => {
      const [request, response] = ['request', 'response'].map((name) => parseJson(textOfFile(folder, `${prefix}${name}.json`)));
      const texts = format.readTokenTexts?.(request, response);
      expect(texts?.prompt.length ?? Infinity).toBeGreaterThanOrEqual(format.readRequest(request, path).promptText.length);
      expect(texts?.completion?.length ?? Infinity).toBeGreaterThanOrEqual(format.readResponse(response).completionText.length);
      const ofNothing = format.readTokenTexts?.(null, [{}]);
      expect([ofNothing?.prompt ?? '', ofNothing?.completion ?? '']).toEqual(['', '']);
    });

    it.each([undefined, null, 7, 'text', [], {}, [[]], { choices: {}, usage: [], messages: 'x' }])('knows nothing from %j', (body) => {
      expect(format.readResponse(body)).toMatchObject({ ...noFacts, usage: { promptTokens: null, completionTokens: null } });
      expect(format.readRequest(body, '')).toMatchObject({ model: '', user: '', lastUserText: '' });
    });

    it('understands nothing in a stream of something else', () => {
      const events = [
        { event: 'message', data: 'hello' },
        { event: 'ping', data: '{"type":"ping"}' },
        { event: 'message', data: '[1]' },
      ];
      expect(format.assembleStream(events)).toEqual({ body: null, isComplete: false, understood: false });
      expect(format.assembleStream([])).toEqual({ body: null, isComplete: false, understood: false });
    });

    it('never throws, never changes its input, and reports only counts, whatever the values in a body are', () => {
      fc.assert(
        fc.property(fc.constantFrom(...bodies), fc.nat(), fc.jsonValue({ maxDepth: 3 }), (body, place, value) => {
          const mutated = deepFreeze(replaceAt(parseJson(body.text), { remaining: place % 60 }, value));
          format.readRequest(mutated, path);
          format.readTokenTexts?.(mutated, mutated);
          for (const count of Object.values(format.readResponse(mutated).usage).filter((field) => typeof field === 'number')) {
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          }
        }),
        { numRuns: 300 },
      );
    });

    it('never throws whatever the values in the events of a stream are', () => {
      const events = streams.flatMap(({ bytes }) => framing.read([bytes]));
      if (events.length === 0) return;
      const mutation = fc.tuple(fc.constantFrom(...events), fc.nat(), fc.jsonValue({ maxDepth: 3 }));
      fc.assert(
        fc.property(fc.array(mutation, { maxLength: 8 }), (mutations) => {
          const mutated = mutations.map(([{ event, data }, place, value]) => ({
            event,
            data: JSON.stringify(replaceAt(parseJson(data) ?? data, { remaining: place % 16 }, value)),
          }));
          expect(format.readResponse(format.assembleStream(mutated).body)).toHaveProperty('usage');
        }),
        { numRuns: 300 },
      );
    });
  });
}

interface Recording {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly text: string;
}

function readRecordings(folder: URL, prefix: string): Recording[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return names.map((name) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
    return { name, bytes, text: new TextDecoder().decode(bytes) };
  });
}

function textOfFile(folder: URL, name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.toSorted((left, right) => left - right), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index] ?? 0, end));
}

/** The value with the part at the given place of a walk through it replaced. */
function replaceAt(value: unknown, walk: { remaining: number }, replacement: unknown): unknown {
  walk.remaining -= 1;
  if (walk.remaining === -1) return replacement;
  if (Array.isArray(value)) return value.map((element) => replaceAt(element, walk, replacement));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceAt(inner, walk, replacement)]));
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
