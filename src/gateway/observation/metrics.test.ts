import { afterEach, expect, it } from 'vitest';
import { exposition } from '../../platform/metrics/exposition.ts';
import { Meter } from '../../platform/metrics/meter.ts';
import { call, requestText } from '../testing/raw-http.ts';
import { startCacheRig } from '../testing/cache-harness.ts';
import { chat, closeAll, scene, toAnthropic } from '../testing/scripted-provider.ts';
import { gatewayFamilies, GatewayMeter } from './metrics.ts';

afterEach(closeAll);

/** The series of a name, with their values. */
function seriesOf(meter: Meter, name: string): readonly string[] {
  const page = exposition([{ process: 'gateway-0', families: meter.families, cells: meter.cells }]);
  return page.split('\n').filter((line) => line.startsWith(`${name}{`));
}

const counts = (meter: Meter): readonly string[] =>
  seriesOf(meter, 'gatelog_gateway_call_duration_seconds_count').map((line) =>
    line.replace(/^.*\{provider="(\w+)",status="(\w+)".*\} (\d+)$/, '$1 $2 $3'),
  );

it('the duration of a call counts for the provider that was called last, and for none where the gateway refused the call', async () => {
  const meter = new Meter(gatewayFamilies);
  const { rig, third } = await scene({ first: [500, 200] }, { ports: { meter: new GatewayMeter(meter) } });
  const echo = requestText('POST /v1/chat/completions', [], '{"model":"echo/x","messages":[{"role":"user","content":"hello"}]}');
  await call(rig.port, chat([toAnthropic]));
  await call(rig.port, chat([]));
  await call(rig.port, echo);
  await call(rig.port, chat([`Svc-Target-Url: http://127.0.0.1:${third.port}`]));
  await call(rig.port, requestText('POST /nosuch/v1/chat/completions', [], '{"model":"gpt-4o"}'));
  expect(counts(meter).toSorted()).toEqual(['ANTHROPIC 2xx 1', 'CUSTOM 2xx 1', 'ECHO 2xx 1', 'OPENAI 2xx 1', 'none 4xx 1']);
});

it('is the whole time of a call, in seconds', async () => {
  const meter = new Meter(gatewayFamilies);
  const slow = 60;
  const { rig } = await scene(
    { first: [(_request, response) => void setTimeout(() => response.end('{}'), slow)] },
    { ports: { meter: new GatewayMeter(meter) } },
  );
  await call(rig.port, chat([]));
  const [sum] = seriesOf(meter, 'gatelog_gateway_call_duration_seconds_sum');
  expect(Number(sum?.split(' ').at(-1))).toBeGreaterThanOrEqual(slow / 1000 - 0.002);
});

it('a response from the cache counts for no provider', async () => {
  const meter = new Meter(gatewayFamilies);
  const { rig, close } = await startCacheRig({ ports: { meter: new GatewayMeter(meter) } });
  const cached = chat(['Svc-Cache-Enabled: true'], '{"model":"gpt-4o","messages":[]}');
  await call(rig.port, cached);
  await call(rig.port, cached);
  await close();
  expect(counts(meter).toSorted()).toEqual(['OPENAI 2xx 1', 'none 2xx 1']);
});

it('every provider that calls may have has a series', () => {
  const meter = new Meter(gatewayFamilies);
  const gateway = new GatewayMeter(meter);
  for (const provider of ['openai', 'gemini', 'vertex', 'bedrock', 'echo', 'custom', 'a provider of tomorrow', undefined]) {
    gateway.took(provider, 0, 1);
  }
  expect(counts(meter)).toEqual(['none none 1', 'OPENAI none 1', 'GOOGLE none 2', 'AWS none 1', 'ECHO none 1', 'CUSTOM none 2']);
});
