import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importAnswerSchema } from '../../contract/imports.ts';
import { type IngestRig, newId, openRig } from '../../ingest/testing/ingest-harness.ts';
import { checked, keyOf } from '../testing/api-harness.ts';
import { Deployment } from '../testing/import-harness.ts';

let rig: IngestRig;
let deployment: Deployment;
beforeAll(async () => {
  rig = await openRig();
  deployment = await new Deployment(rig).start();
});
afterAll(async () => {
  await deployment.stop();
  await rig.close();
});

const item = (extra: object = {}): string =>
  JSON.stringify({ request_id: newId(), request_created_at: '2026-01-31T12:00:00.000Z', ...extra });

describe('POST /v1/import', () => {
  test('takes lines with any line break, with blank lines between them and without a break at the end', async () => {
    const text = `\u{feff}${item()}\r\n\n  \n${item()}\n{}\r\n${item()}`;
    const { data } = await checked(await deployment.post('/v1/import', text), 200, importAnswerSchema);
    expect(data).toMatchObject({ lines: 4, imported: 3, already_there: 0, rejected: 1 });
    expect(data.rejections).toEqual([{ line: 5, field: 'request_id', reason: expect.stringContaining('takes a UUID') as string }]);
  });

  test('rejects a line over the limit by its number, and takes those around it', async () => {
    const text = `${item()}\n${'x'.repeat(64 * 1024 * 1024 + 1)}\n{}\n${item()}`;
    const { data } = await checked(await deployment.post('/v1/import', text), 200, importAnswerSchema);
    expect(data).toMatchObject({ lines: 4, imported: 2, rejected: 2 });
    expect(data.rejections).toMatchObject([{ line: 2, field: '', reason: 'The line has more than 67108864 bytes.' }, { line: 3 }]);
  });

  test('takes an empty body', async () => {
    const { data } = await checked(await deployment.post('/v1/import', ''), 200, importAnswerSchema);
    expect(data).toMatchObject({ lines: 0, imported: 0 });
  });

  test('takes a body compressed with gzip, of several members too', async () => {
    const [one, other] = [item(), item()];
    const body = Buffer.concat([gzipSync(`${one}\n`), gzipSync(other)]);
    const response = await deployment.api.request('/v1/import', {
      method: 'POST',
      headers: { authorization: `Bearer ${keyOf('w')}`, 'content-encoding': 'gzip' },
      body,
    });
    expect((await checked(response, 200, importAnswerSchema)).data).toMatchObject({ lines: 2, imported: 2 });
  });

  test('takes a body over the limit of others', async () => {
    const text = Array.from({ length: 60 }, () => item({ request_body: 'x'.repeat(2000) })).join('\n');
    expect(text.length).toBeGreaterThan(64 * 1024);
    const { data } = await checked(await deployment.post('/v1/import', text), 200, importAnswerSchema);
    expect(data).toMatchObject({ lines: 60, imported: 60 });
  });

  test('says for a dry run what would happen, and stores nothing', async () => {
    const [stored, fresh] = [item(), item()];
    await deployment.import([stored]);
    expect(await deployment.import([stored, fresh, '{}'], true)).toMatchObject({
      imported: 1,
      already_there: 1,
      rejected: 1,
      dry_run: true,
    });
    expect(await deployment.import([fresh])).toMatchObject({ imported: 1 });
  });

  test('refuses a key that only reads', async () => {
    const headers = { authorization: `Bearer ${keyOf('r')}` };
    const response = await deployment.api.request('/v1/import', { method: 'POST', headers, body: item() });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('needs w')]);
  });

  test.each([
    ['another content coding', 'zstd', 415, 'content coding other than gzip'],
    ['what is no gzip', 'gzip', 400, 'cannot be decompressed'],
  ])('refuses %s', async (_case, coding, status, sentence) => {
    const response = await deployment.post('/v1/import', item(), { 'content-encoding': coding });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(sentence)]);
  });

  test('makes imported calls searchable by what their bodies tell, in sessions too', async () => {
    const chat = item({
      provider: 'ANTHROPIC',
      target_url: 'https://api.anthropic.com/v1/messages',
      request_body: { model: 'claude', system: 'Be brief.', messages: [{ role: 'user', content: 'Where is Atlantis?' }] },
      response_body: { model: 'claude', content: [{ type: 'text', text: 'Nowhere.' }], usage: { input_tokens: 9, output_tokens: 2 } },
      session_id: 'dive',
      session_name: 'diving',
      cost: 0.000_000_000_001,
    });
    const pathless = item({
      provider: 'OPENAI',
      request_body: { model: 'gpt', messages: [{ role: 'user', content: 'And Lemuria?' }] },
      response_body: { model: 'gpt', choices: [{ message: { role: 'assistant', content: 'Nowhere either.' } }] },
      properties: { 'Helicone-Session-Id': 'dive' },
    });
    await deployment.import([chat, pathless]);
    await deployment.whenStored();
    const found = async (filter: object): Promise<readonly unknown[]> =>
      (await deployment.query({ filter })).map(({ request_body: body }) => body);
    const [first, second] = [chat, pathless].map((line) => (JSON.parse(line) as { request_body: unknown }).request_body);
    expect(await found({ request: { prompt: { contains: 'be brief' } } })).toEqual([first]);
    expect(await found({ response: { body_completion: { equals: 'Nowhere either.' } } })).toEqual([second]);
    expect(await found({ request_response_rmt: { request_body: { contains: 'ATLANTIS' } } })).toEqual([first]);
    expect(await found({ request_response_rmt: { cost: { equals: 0.000_000_000_001 } } })).toEqual([first]);
    const tokens = (await deployment.query({ filter: { request: { prompt: { contains: 'atlantis' } } } }))[0];
    // The line says nothing of its tokens, so the response does.
    expect(tokens).toMatchObject({ prompt_tokens: 9, completion_tokens: 2, session_name: 'diving' });
    const sessions = await deployment.post('/v1/session/query', '{}', { 'content-type': 'application/json' });
    expect(await sessions.json()).toMatchObject({ data: [{ session_id: 'dive', total_requests: 2 }] });
  });
});
