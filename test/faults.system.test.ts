import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { ourKey } from '../src/gateway/testing/raw-http.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { type BlackHole, openBlackHole } from './support/black-hole.ts';
import { eventually } from './support/eventually.ts';
import { differencesOf, type Fault, type FaultStage, performFault, socketsOf, startFaultyProvider } from './support/fault-scene.ts';
import { faultEnvironment, faultGroups } from './support/faults.ts';
import { childrenNamed, makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';

const dataDir = makeDataDir();
let blackHole: BlackHole;
let service: Service;
let stage: FaultStage;
let api: ApiClient;
let socketsAtRest: number;

beforeAll(async () => {
  const provider = await startFaultyProvider();
  blackHole = await openBlackHole();
  service = await startService({
    dataDir,
    environment: faultEnvironment({ provider: provider.port, blackHole: blackHole.port }),
  });
  api = apiClient(service.api, ourKey);
  stage = { provider, gatewayPort: Number(new URL(service.gateway).port), worker: childrenNamed(service.pid, 'gateway')[0] ?? 0 };
  await plainCall();
  provider.drop();
  socketsAtRest = await restOf(() => socketsOf(stage.worker));
});

afterAll(async () => {
  await service?.stop();
  stage?.provider.close();
  blackHole?.close();
  removeDataDir(dataDir);
});

/** Waits until a number is stable. */
async function restOf(read: () => number): Promise<number> {
  const seen: number[] = [];
  return eventually('a number to stand still', () => {
    seen.push(read());
    const recent = seen.slice(-30);
    return recent.length === 30 && new Set(recent).size === 1 ? recent[0] : undefined;
  });
}

/** A call without a fault. */
async function plainCall(): Promise<number | undefined> {
  const whole: Fault = {
    name: 'none',
    provider: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    expected: { whole: true },
    record: 'none',
    openConnections: 1,
  };
  return (await performFault(stage, whole)).status;
}

async function itemOf(id: string, { record }: Fault): Promise<RequestItem | undefined> {
  return record === 'none' ? undefined : api.stored(id);
}

describe.each(faultGroups)('%s', (_group, faults) => {
  it.each(faults)('$name', async (fault) => {
    const { provider, worker } = stage;
    const { id, ...seen } = await performFault(stage, fault);
    expect(differencesOf(fault, seen, await itemOf(id, fault))).toEqual([]);
    await eventually(
      `the gateway to hold ${fault.openConnections} connections to the provider`,
      () => provider.open().length === fault.openConnections || undefined,
    );
    expect(await plainCall()).toBe(200);
    provider.drop();
    await eventually(`the gateway to hold ${socketsAtRest} sockets`, () => socketsOf(worker) === socketsAtRest || undefined);
  });
});
