import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertPreviewAnswerSchema } from '../../contract/events/alert-answers.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

describe('POST /v1/alerts/preview', () => {
  it('200: a rule by sessions has their names', async () => {
    const noon = Date.UTC(2026, 2, 3, 12);
    const cost = moneyOfUsd(15) ?? null;
    const names = ['Repair', 'Repair', 'Draft'];
    await rig.insert(names.map((sessionName, n) => ({ createdAt: noon + n, cost, sessionId: '5d1c', sessionName })));
    const rule = { metric: 'cost', threshold: 20, time_window: 60_000, grouping: ['session'] };
    const timeFilter = { startTimeUnixMs: noon, endTimeUnixMs: noon + 60_000 };
    const response = await rig.call('POST', '/v1/alerts/preview', { key: keyOf('r'), body: { rule, timeFilter } });
    expect((await checked(response, 200, alertPreviewAnswerSchema)).data.session_names).toEqual({ '5d1c': 'Repair' });
  });
});
