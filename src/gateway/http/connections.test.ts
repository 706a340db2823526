import { afterEach, expect, it, vi } from 'vitest';
import { startRig } from '../testing/gateway-harness.ts';
import { call, openClient, parseResponse, type RawClient, requestText, until } from '../testing/raw-http.ts';

const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

const ask = requestText('GET /healthz');

async function connected(port: number): Promise<RawClient> {
  const client = await openClient(port);
  opened.push({ close: () => client.socket.destroy() });
  client.send(ask);
  return client;
}

it('beyond the limit a connection is answered 503 and closed, whatever it says; once others have gone there is room', async () => {
  const rig = await startRig({ maxConnections: 2 });
  opened.push(rig);
  const kept = [await connected(rig.port), await connected(rig.port)];
  await Promise.all(kept.map((client) => client.until('200 OK')));

  const further = await connected(rig.port);
  await further.closed();
  const refusal = parseResponse(further.received());
  expect(refusal?.status).toBe(503);
  expect(JSON.parse(String(refusal?.body))).toMatchObject({ error: { code: 'too_many_connections' } });
  expect(rig.spooled()).toEqual([]);

  kept[0]?.socket.destroy();
  await vi.waitFor(async () => expect((await call(rig.port, ask)).status).toBe(200));
  kept[1]?.send(ask);
  await until(() => kept[1]?.text().split('200 OK').length === 3);
});
