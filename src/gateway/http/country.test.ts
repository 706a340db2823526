import { afterEach, describe, expect, it } from 'vitest';
import { countryOf } from './country.ts';
import { openAiAt, type Rig, startRig } from '../testing/gateway-harness.ts';
import { call, type Provider, requestText, startProvider } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

it.each([
  ['DE', 'DE'],
  ['no', 'NO'],
  ['XK', 'XK'],
  ['XX', undefined],
  ['zz', undefined],
  ['T1', undefined],
  ['', undefined],
  ['DEU', undefined],
  ['DE, FR', undefined],
  ['ßß', undefined],
  [undefined, undefined],
])('a proxy that says %j means %s', (value, country) => {
  expect(countryOf(value)).toBe(country);
});

async function started(countryHeader: string | undefined): Promise<{ rig: Rig; provider: Provider }> {
  const provider = await startProvider((_request, response) => response.end('{}'));
  const rig = await startRig({ providers: openAiAt(provider.port), ports: { countryHeader } });
  opened.push(rig, provider);
  return { rig, provider };
}

describe('the country of a caller', () => {
  it('is recorded from the header that the deployment trusts, which passes to the provider as any other', async () => {
    const { rig, provider } = await started('cf-ipcountry');
    await call(rig.port, requestText('GET /v1/files', ['CF-IPCountry: de']));
    await call(rig.port, requestText('GET /nowhere', ['CF-IPCountry: NO']));
    await call(rig.port, requestText('GET /v1/files', ['CF-IPCountry: T1']));
    expect((await rig.exchanges(3)).map(({ open }) => open.countryCode)).toEqual(['DE', 'NO', undefined]);
    expect(provider.requests[0]?.rawHeaders.join()).toContain('CF-IPCountry,de');
  });

  it('is not taken from a header that a caller may have written', async () => {
    const { rig } = await started(undefined);
    await call(rig.port, requestText('GET /v1/files', ['CF-IPCountry: DE']));
    expect((await rig.exchanges(1))[0]?.open.countryCode).toBeUndefined();
  });
});
