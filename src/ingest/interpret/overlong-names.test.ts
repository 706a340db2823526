import { expect, test } from 'vitest';
import { chatResponse } from '../testing/ingest-harness.ts';
import { interpret } from '../testing/exchange-builder.ts';

test('names that the bodies give and that are longer than an identifier may be are not stored, and hold nothing up', () => {
  const long = '"'.repeat(600_000);
  const named = interpret({
    request: JSON.stringify({ model: long, user: long, messages: [{ role: 'user', content: 'hi' }] }),
    response: JSON.stringify({ ...(JSON.parse(chatResponse) as object), id: long, model: long, service_tier: long }),
    tags: { modelOverride: 'mine' },
  });
  expect(named).toMatchObject({ requestModel: '', responseModel: '', model: 'mine', userId: '', responseId: '', serviceTier: '' });
  expect(named.completionText).toBe('Hello.');
});
