import { afterEach, describe, expect, it } from 'vitest';
import { chat, closeAll, fallbacks, rigWith, type ScriptedProvider, scene, scripted } from '../testing/scripted-provider.ts';
import { openAiAt, type Rig } from '../testing/gateway-harness.ts';
import { call, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

async function place(): Promise<[Rig, ScriptedProvider]> {
  const openAi = await scripted(200);
  return [await rigWith({ providers: openAiAt(openAi.port) }), openAi];
}

describe('a prompt that is stored at Helicone', () => {
  it.each(['{"model":"gpt-4o","prompt_id":"abc","inputs":{"name":"Ann"}}', '{ "prompt_id" : null }'])(
    '%s without messages is 422, and reaches nobody',
    async (body) => {
      const [rig, openAi] = await place();
      const response = await call(rig.port, chat([], body));
      expect([response.status, JSON.parse(response.body.toString())]).toMatchObject([422, { error: { code: 'prompt_not_supported' } }]);
      expect([openAi.requests, (await rig.exchanges(1))[0]?.end?.outcome]).toEqual([[], 'refused']);
    },
  );

  it('beside messages is taken out, told, and on record; all other bytes of the members stay', async () => {
    const [rig, openAi] = await place();
    const body =
      '{ "prompt_id":"abc", "model":"openai/gpt-4o","seed":12345678901234567890 , "inputs":{"name":"Ann","n":1},"messages":[{"role":"user"}], "environment":"prod"}';
    const response = await call(rig.port, chat([], body));
    expect([response.status, response.header('svc-warning')]).toEqual([200, expect.stringContaining('prompt_id, inputs and environment')]);
    expect(openAi.bodies).toEqual(['{"model":"gpt-4o","seed":12345678901234567890,"messages":[{"role":"user"}]}']);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open.tags).toMatchObject({ promptId: 'abc', promptInputs: { name: 'Ann', n: '1' } });
    expect(exchange?.requestBody.toString()).toBe(body);
  });

  it('goes to no fallback either', async () => {
    const { rig, second } = await scene();
    await call(rig.port, chat([fallbacks({ provider: 'anthropic', model: 'claude' })], '{"model":"m","prompt_id":"a","messages":[]}'));
    expect(second.bodies).toEqual(['{"model":"claude","messages":[]}']);
  });

  it('headers go before it, and inputs of a body that is not kept are not kept', async () => {
    const [rig] = await place();
    const body = '{"model":"m","prompt_id":"a","inputs":{"b":"c"},"input":"x"}';
    await call(rig.port, chat(['Svc-Prompt-Id: mine', 'Svc-Omit-Request: true'], body));
    expect((await rig.exchanges(1))[0]?.open.tags).toEqual({ properties: [], promptId: 'mine', requestBody: 'counted' });
  });

  it('of a body that may reach no disk nothing is on record', async () => {
    const [rig] = await place();
    const body = '{"model":"m","prompt_id":"secret-of-the-body","inputs":{"b":"c"},"input":"x"}';
    await call(rig.port, chat(['Svc-Omit-Request: strict'], body));
    expect((await rig.exchanges(1))[0]?.open.tags).toEqual({ properties: [], requestBody: 'never' });
  });

  it.each([
    ['within a text', 'POST /v1/chat/completions', '{"model":"m","messages":[{"content":"\\"prompt_id\\": 1"}]}'],
    ['deeper than the top', 'POST /v1/chat/completions', '{"model":"m","metadata":{"prompt_id":"a"},"inputs":1}'],
    ['in no JSON', 'POST /v1/chat/completions', '{"prompt_id":"a"'],
    ['under a provider`s path', 'POST /openai/v1/chat/completions', '{"model":"m","prompt_id":"a"}'],
  ])('%s is none: the bytes stay', async (_where, line, body) => {
    const [rig, openAi] = await place();
    await call(rig.port, requestText(line, ['Content-Type: application/json'], body));
    expect(openAi.bodies).toEqual([body]);
  });
});
