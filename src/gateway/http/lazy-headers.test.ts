import { headerValue } from '../../platform/http/header-list.ts';
import * as fc from 'fast-check';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readHeaders } from './lazy-headers.ts';
import { assert } from '../../../test/support/seeded.ts';

const asked = Object.keys(readHeaders([])) as (keyof ReturnType<typeof readHeaders>)[];
const anyCase = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    name,
    name.toUpperCase(),
    name.replace(/^./, (letter) => letter.toUpperCase()),
  );
const line = fc.tuple(
  fc.constantFrom(...asked, 'user-agent', 'x-other', '__proto__', 'constructor').chain(anyCase),
  fc.string({ maxLength: 5 }),
);

/** What Node says of these lines. */
function headersOfNode(raw: string[]): IncomingMessage['headers'] {
  const request = new IncomingMessage(new Socket());
  const add: unknown = Reflect.get(request, '_addHeaderLines');
  if (typeof add === 'function') add.call(request, raw, raw.length);
  return request.headers;
}

test('under a name that is asked for stands what Node says, in whatever case and however often it comes', () => {
  assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const raw = lines.flat();
      const [ours, nodes] = [readHeaders(raw), headersOfNode(raw)];
      expect(Object.entries(ours)).toEqual(asked.map((name) => [name, nodes[name]]));
      const joined = asked.filter((name) => !['host', 'content-length', 'content-type'].includes(name));
      expect(joined.map((name) => headerValue(raw, name))).toEqual(joined.map((name) => nodes[name]));
    }),
    { numRuns: 1000 },
  );
});
