import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { GatelogError } from '../../../model/errors.ts';
import { runTask } from './jobs.ts';
import { readBody } from '../../../providers/body-summary.ts';
import type { BodyThreadLimits } from '../../../platform/threads/body-thread.ts';
import { startBodyThreads } from './threads.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-bodies-'));
const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Threads whose program stands in for the compiled one: a body's text says what to do, and the model is what was read before. */
function start(limits: Partial<BodyThreadLimits> = {}): ReturnType<typeof startBodyThreads> {
  const file = path.join(folder, 'worker.mjs');
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
     const read = [];
     parentPort.on('message', ({ id, body }) => {
       const text = Buffer.from(body).toString().trim();
       if (text === 'hang') for (;;);
       if (text === 'die') process.exit(1);
       if (text.startsWith('slow')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
       read.push(text);
       const result = text === 'no' ? { refusal: { code: 'body_too_large', message: 'no' } } : { summaries: [{ model: read.join(), user: '', size: {} }] };
       parentPort.postMessage({ id, result });
     });`,
  );
  const threads = startBodyThreads(pathToFileURL(file), {
    maxWaiting: 100,
    sharePercent: 100,
    maxWaitMs: 60_000,
    maxReadMs: 60_000,
    ...limits,
  });
  opened.push(threads);
  return threads;
}

const codeOf = (error: unknown): unknown => (error instanceof GatelogError ? error.code : error);
const read = (threads: ReturnType<typeof startBodyThreads>, organizationId: string, text: string, signal?: AbortSignal): Promise<unknown> =>
  threads.summaries({ organizationId, signal }, Buffer.from(text), []).then(([summaries]) => summaries?.model, codeOf);

describe('bodies that wait for a thread', () => {
  it('take turns by organisation', async () => {
    const threads = start();
    const texts = ['slow-a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    const said = await Promise.all(texts.map((text) => read(threads, text.replace('slow-', '').slice(0, 1), text)));
    expect(said[2]).toBe('slow-a1,a2,b1,c1,a3');
  });

  it('do not wait for larger ones', async () => {
    const threads = start();
    const hanging = read(threads, 'a', `hang${' '.repeat(1024 * 1024)}`);
    expect(await read(threads, 'b', 'b1')).toBe('b1');
    await threads.close();
    expect(await hanging).toBe('too_many_calls');
  });

  it('go over a piece in each turn of the event loop, where they are large', async () => {
    const threads = start();
    const body = Buffer.alloc(3 * 1024 * 1024, ' ');
    const answer = threads.summaries({ organizationId: 'a', signal: undefined }, body, []);
    body.write('end', body.length - 3);
    expect((await answer)[0]?.model).toBe('end');
  });

  it('are refused when they are too many, and when they wait for too long', async () => {
    const threads = start({ maxWaiting: 1, maxWaitMs: 50 });
    const hanging = read(threads, 'a', 'hang');
    const [second, third] = [read(threads, 'b', 'b1'), read(threads, 'b', 'b2')];
    expect([await second, await third]).toEqual(['too_many_calls', 'too_many_calls']);
    await threads.close();
    expect(await hanging).toBe('too_many_calls');
  });

  it('are not kept when their client leaves: they take nobody`s room, and are not read', async () => {
    const threads = start({ maxWaiting: 1 });
    const client = new AbortController();
    const slow = read(threads, 'a', 'slow');
    const left = read(threads, 'a', 'a1', client.signal);
    client.abort();
    expect(await left).toBe('too_many_calls');
    expect(await read(threads, 'a', 'gone', client.signal)).toBe('too_many_calls');
    expect([await slow, await read(threads, 'a', 'a2')]).toEqual(['slow', 'slow,a2']);
  });

  it('of one organisation leave room for those of others', async () => {
    const threads = start({ maxWaiting: 4, sharePercent: 50 });
    const hanging = read(threads, 'a', 'hang');
    const said = ['a', 'a', 'a', 'b'].map((organization) => read(threads, organization, organization));
    expect(await said[2]).toBe('too_many_calls');
    const [first, second, , other] = said;
    const isWaiting = await Promise.race([first, second, other, new Promise((resolve) => setImmediate(() => resolve('all wait')))]);
    expect(isWaiting).toBe('all wait');
    await threads.close();
    expect(await Promise.all([hanging, first, second, other])).toEqual(Array(4).fill('too_many_calls'));
  });

  it('are refused when the gateway stops, and no further one is read', async () => {
    const threads = start();
    const said = ['hang', 'b1', 'b2'].map((text) => read(threads, 'a', text));
    await threads.close();
    expect(await Promise.all([...said, read(threads, 'a', 'b3')])).toEqual(Array(4).fill('too_many_calls'));
  });

  it('are read by a new thread after one that took too long, or ended', async () => {
    const threads = start({ maxReadMs: 5000 });
    const said = await Promise.all(['hang', 'b1', 'die', 'b2'].map((text) => read(threads, 'a', text)));
    expect(said).toEqual(['body_too_large', 'b1', 'internal', 'b2']);
  });

  it('are read by a new thread after a very large one, whose memory ends with its thread', async () => {
    const threads = start({ endsAboveBytes: 1024 });
    expect(await read(threads, 'a', 'a1')).toBe('a1');
    expect(await read(threads, 'a', `a2${' '.repeat(1023)}`)).toBe('a1,a2');
    expect(await Promise.all([read(threads, 'a', 'a3'), read(threads, 'a', 'a4')])).toEqual(['a3', 'a3,a4']);
  });

  it('are refused as whoever reads them says', async () => {
    expect(await read(start(), 'a', 'no')).toBe('body_too_large');
  });
});

describe('what is read of a body', () => {
  const chat = { model: 'gpt-4', messages: [{ role: 'user', content: 'a' }], user: 'ann', max_tokens: 5 };
  const way = { provider: 'openai', path: '/v1/chat/completions' };
  const summaryOf = (body: object) => {
    const bytes = Buffer.from(JSON.stringify(body));
    return readBody(bytes)({ ...way, replaced: undefined, bytes: bytes.length });
  };

  it('of one with other members is what would be read of that body itself', () => {
    const other = { ...chat, model: 'gpt-4o' };
    const bytes = JSON.stringify(other).length;
    expect(readBody(Buffer.from(JSON.stringify(chat)))({ ...way, replaced: { model: 'gpt-4o' }, bytes })).toEqual(summaryOf(other));
    expect(summaryOf(other)).toMatchObject({ model: 'gpt-4o', user: 'ann', size: { inputTokens: bytes, outputTokens: 5 } });
  });

  it.each([
    ['no JSON', '{', undefined],
    ['no object', '[]', undefined],
  ])('is nothing of %s', (_what, text, summary) => {
    expect(runTask(Buffer.from(text), { of: 'summaries', forms: [{ ...way, replaced: undefined, bytes: 1 }] })).toEqual({
      summaries: [summary],
    });
  });

  it.each([
    ['more values than are parsed', `{"a":[${'{},'.repeat(3_000_000)}1]}`],
    ['values too deep in one another', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('is a refusal for %s', (_what, text) => {
    const body = Buffer.from(text);
    const refusal = { refusal: { code: 'body_too_large', message: expect.stringMatching(/too many values or is nested/) as string } };
    expect(runTask(body, { of: 'summaries', forms: [{ ...way, replaced: undefined, bytes: 1 }] })).toEqual(refusal);
  });

  it('of texts, numbers and a few values is all, however large', () => {
    const texts = Array.from({ length: 1000 }, () => ({ role: 'user', content: 'x'.repeat(8000) }));
    expect(summaryOf({ ...chat, messages: texts })).toMatchObject({ user: 'ann' });
    expect(summaryOf({ ...chat, input: Array.from({ length: 3_000_000 }, () => 1) })).toMatchObject({ user: 'ann' });
  });
});
