import { expect, test } from 'vitest';
import { groupSpans, type WaitingSpan } from './group-spans.ts';

function spanNumbered(index: number, parentId: string): WaitingSpan {
  const told = { traceId: 'trace', isOfSpan: true, carrierIds: [], responseId: '', provider: 'OPENAI', models: ['gpt-5'] };
  return {
    ...told,
    index,
    ids: [`span-${index}`],
    parentIds: [parentId],
    scopes: [`scope-${index % 2}`],
    from: 0,
    to: 1,
    hasTexts: false,
    usage: 0,
  };
}

test('other work runs while thousands of spans are compared', async () => {
  const spans = Array.from({ length: 4000 }, (_, index) => spanNumbered(index, `parent-${index % 40}`));
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  const { groups } = await groupSpans(spans);
  clearInterval(counting);
  expect(groups.flatMap(({ first, others }) => [first, ...others])).toHaveLength(4000);
  expect(turns).toBeGreaterThan(5);
});
