import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retentionAnswerSchema } from '../../contract/settings/retention.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/retention';
let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const put = (body: unknown, key = keyOf('admin')): Promise<Response> => rig.call('PUT', path, { key, body });
const read = async () => (await checked(await rig.call('GET', path, { key: keyOf('r') }), 200, retentionAnswerSchema)).data;

describe('PUT /v1/retention', () => {
  it.each([
    [null, 365],
    [30, 30],
    [365, 365],
    [9000, 365],
  ])('%j days beside the 365 of the deployment are %j', async (days, effective) => {
    const set = { days, deployment_days: 365, effective_days: effective };
    expect((await checked(await put({ days }), 200, retentionAnswerSchema)).data).toEqual(set);
    expect(await read()).toEqual(set);
  });

  it.each([{}, { days: 0 }, { days: 1.5 }, { days: '30' }, { days: 36_501 }, []])('refuses %j and changes nothing', async (body) => {
    await put({ days: 7 });
    const response = await put(body);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: 'invalid_body', error: expect.stringContaining('a whole number from 1 to 36500') as unknown },
    ]);
    expect((await read()).days).toBe(7);
  });

  it('takes a key that may administer; a key that may read sees it', async () => {
    expect([(await put({ days: 1 }, keyOf('rw'))).status, (await put({ days: 1 }, keyOf('r'))).status]).toEqual([403, 403]);
  });
});
