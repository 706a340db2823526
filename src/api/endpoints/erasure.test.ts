import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { erasureAnswerSchema } from '../../contract/users/erasure.ts';
import type { Erasure } from '../../model/erasure.ts';
import { GatelogError } from '../../model/errors.ts';
import { HintLookUps } from '../parts/hint-look-ups.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';
import type { ErasurePorts } from '../../jobs/removals.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const counts = { requests: 3, bodies: 6, cache_entries: 1, spool_records: 2, dead_letters: 0, blobs: 0 };
const done = (userId: string): Erasure => ({
  number: 1,
  organizationId: rig.organizationId,
  userId,
  erasedAt: Date.UTC(2026, 0, 1),
  stage: 'done',
  counts,
});

const failing = async (): Promise<never> => {
  throw new GatelogError('metadata_unavailable', 'The metadata database cannot be reached.');
};

function erase(user: string, erasures: Partial<ErasurePorts>, key = keyOf('admin')): Promise<Response> {
  const api = rig.withPorts({ erasures: { erase: async () => undefined, acknowledge: async () => undefined, ...erasures } });
  return rig.call('DELETE', `/v1/user/${user}`, { api, key });
}

describe('DELETE /v1/user/{id}', () => {
  it('answers with the receipt, of the user whom the address names in any characters, and hands it over', async () => {
    const asked: unknown[] = [];
    const handed: Erasure[] = [];
    const response = await erase('%C3%A4nn%2F1%20%2B', {
      erase: async (...given) => {
        asked.push(given);
        return done(given[1]);
      },
      acknowledge: async (erasure) => void handed.push(erasure),
    });
    const { data } = await checked(response, 200, erasureAnswerSchema);
    expect(data).toEqual({ user_id: 'änn/1 +', erased_at: '2026-01-01T00:00:00.000Z', ...counts });
    expect(asked).toEqual([[rig.organizationId, 'änn/1 +']]);
    expect(handed).toHaveLength(1);
  });

  it('ends what the hints of empty pages remember of the organisation', async () => {
    const forgotten: string[] = [];
    const hintLookUps = Object.assign(new HintLookUps(() => 0), { forget: (tenant: string) => void forgotten.push(tenant) });
    const erasures = { erase: async () => done('user-4711'), acknowledge: async () => undefined };
    await rig.call('DELETE', '/v1/user/user-4711', { api: rig.withPorts({ hintLookUps, erasures }), key: keyOf('admin') });
    expect(forgotten).toEqual([rig.organizationId]);
  });

  it('is 503 with Retry-After as long as it is not done', async () => {
    const response = await erase('user-4711', {});
    expect([response.status, response.headers.get('Retry-After'), await response.json()]).toMatchObject([
      503,
      '2',
      { code: 'erasure_in_progress', error: expect.stringContaining('Send the same call again') as unknown },
    ]);
  });

  it('leaves no name in the log, whatever fails', async () => {
    const response = await erase('user-4711', { erase: failing });
    expect(response.status).toBe(503);
    expect(rig.observations.at(-1)).toMatchObject({ kind: 'api_failed', endpoint: 'DELETE /v1/user/{id}' });
    expect(JSON.stringify(rig.observations)).not.toContain('4711');
  });

  it('takes a key that may administer', async () => {
    expect((await erase('x', {}, keyOf('rw'))).status).toBe(403);
  });
});
