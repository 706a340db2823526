import { expect, it } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { byLength } from '../../../test/support/test-length.ts';
import { GatelogError } from '../../model/errors.ts';
import { packShape, rememberShape, replaceModel, shapeOf, unpackShape } from './shape.ts';
import { cacheKeyOf } from '../cache/key.ts';
import { openAiAt, startRig } from '../testing/gateway-harness.ts';
import type { BodyOwner } from '../../platform/threads/body-thread.ts';
import { findStoredPrompt } from './stored-prompt.ts';
import { withIncludeUsage } from '../relay/stream-usage.ts';
import { bodyOf, call, requestText, startProvider } from '../testing/raw-http.ts';

const mebi = 1024 * 1024;

const values = ['"gpt-4o"', '""', 'null', 'true', '{"include_usage":false}', '{}', '{ "a":1}', '[]', '"a\\"b"', '12'];
const names = ['model', 'stream', 'stream_options', 'prompt_id', 'inputs', 'messages', 'a', '', 'm\\u006fdel'];

/** A body that was gone through elsewhere, and the same one that was not. */
function twins(text: string): readonly [Buffer, Buffer] {
  const body = Buffer.from(text);
  rememberShape(body, unpackShape(packShape(shapeOf(Buffer.from(text)))));
  return [body, Buffer.from(text)];
}

it('a body that was gone through elsewhere is edited, asked and keyed as any other, and what comes of it needs not be gone through', () => {
  const seed = 20261123;
  const random = new SeededRandom(seed);
  const key = { organizationId: 'o', method: 'POST', origin: 'x', path: '/', headers: [] };
  const ask = { seed: '', buckets: 1, ignoredKeys: ['a'] } as unknown as Parameters<typeof cacheKeyOf>[1];
  for (let count = 0; count < byLength(400, 2000); count += 1) {
    const gap = (): string => random.of(['', ' ', '\n']);
    const member = (): string => `${gap()}"${random.of(names)}"${gap()}:${gap()}${random.of(values)}${gap()}`;
    const members = Array.from({ length: random.below(6) }, member);
    const pad = random.below(10) === 0 ? ' '.repeat(70_000) : '';
    const text = `${random.of(['', '\uFEFF', ' '])}{${pad}${members.join(',')}${random.of(['}', '}', '} ', '} x', ''])}`;
    let [known, plain] = twins(text);
    const same = (): void => {
      expect(known.equals(plain), `seed ${seed}: ${text}`).toBe(true);
      expect(shapeOf(known), `seed ${seed}: ${text}`).toEqual(shapeOf(Buffer.from(known)));
      expect(cacheKeyOf({ ...key, body: known }, ask)).toEqual(cacheKeyOf({ ...key, body: plain }, ask));
    };
    same();
    const found = [known, plain].map((body) => {
      try {
        return findStoredPrompt(body);
      } catch (error) {
        return String(error);
      }
    });
    const [one, other] = found;
    const [oneBody, otherBody] = [one, other].map((prompt) => (typeof prompt === 'object' ? prompt.body : undefined));
    expect(oneBody?.toString() ?? one).toBe(otherBody?.toString() ?? other);
    [known, plain] = [oneBody ?? known, otherBody ?? plain];
    same();
    for (const model of ['gpt-5', 'a"b', '']) {
      const { field } = shapeOf(plain);
      if (field !== undefined) [known, plain] = [replaceModel(known, field, model), replaceModel(plain, field, model)];
      same();
    }
    const asked = [withIncludeUsage(known), withIncludeUsage(plain)] as const;
    expect(asked[0]?.toString()).toBe(asked[1]?.toString());
    [known, plain] = [asked[0] ?? known, asked[1] ?? plain];
    same();
  }
});

const post = (bytes: number): string =>
  requestText('POST /v1/chat/completions', [], `{"model":"openai/gpt-4o","input":"${'x'.repeat(bytes - 36)}"}`.padEnd(bytes));

it('a body over 1 MiB is gone through beside the event loop, and its call is refused where that cannot be', async () => {
  const provider = await startProvider((request, response) => {
    void bodyOf(request).then((body) => response.end(body.subarray(0, 40)));
  });
  const asked: number[] = [];
  const rig = await startRig({ providers: openAiAt(provider.port), limits: { routeMaxBytes: 16 * mebi } });
  const { shape } = rig.ports.largeBodies;
  Object.assign(rig.ports.largeBodies, {
    shape: async (owner: BodyOwner, body: Buffer) => {
      asked.push(body.length);
      if (asked.length === 2) throw new GatelogError('too_many_calls', 'Too many.');
      return shape(owner, body);
    },
  });
  try {
    const responses = [await call(rig.port, post(mebi)), await call(rig.port, post(mebi + 1)), await call(rig.port, post(mebi + 1))];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(responses[1]?.body.toString()).toBe('{"model":"gpt-4o","input":"xxxxxxxxxxxxx');
    expect(asked).toEqual([mebi + 1, mebi + 1]);
    await rig.exchanges(3);
  } finally {
    Object.assign(rig.ports.largeBodies, { shape });
    await rig.close();
    await provider.close();
  }
});
