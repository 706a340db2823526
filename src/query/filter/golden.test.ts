import { expect, test } from 'vitest';
import { type FieldDefinition, fieldGroups, mapWrappers } from '../../model/vocabulary/fields.ts';
import { operatorFamilies } from '../../model/vocabulary/operators.ts';
import { namesFor, statementOf } from './testing/compile-harness.ts';

test('golden: every field with every operator, run as well', async () => {
  const samples = { text: 'A_word%', number: 1.5, timestamp: '2026-02-01T00:00:00.000Z', boolean: true };
  const lines: string[] = [];
  const fields = Object.entries<Readonly<Record<string, FieldDefinition>>>(fieldGroups).flatMap(([group, members]) =>
    Object.entries(members).map(([field, definition]) => ({
      label: `${group}.${field}`,
      definition,
      wrap: (inner: unknown) => ({ [group]: { [field]: inner } }),
    })),
  );
  const maps = Object.entries(mapWrappers).map(([label, definition]) => ({
    label,
    definition,
    wrap: (inner: unknown) => ({ [label]: inner }),
  }));
  for (const { label, definition, wrap } of [...fields, ...maps]) {
    const { shape, family }: FieldDefinition = definition;
    for (const operator of shape === 'key' ? ['equals'] : operatorFamilies[family]) {
      const comparison = { [operator]: samples[family] };
      const filter = wrap(shape === 'map' ? { name: comparison } : comparison);
      const { text, params } = statementOf(filter);
      const { tenant: _, ...values } = params;
      const where = text.slice(text.indexOf(' AND (') + 6, text.indexOf(') ORDER BY'));
      lines.push(`-- ${label} ${operator}: ${await namesFor(filter)}`, where, `-- ${JSON.stringify(values)}`, '');
    }
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('./__fixtures__/compiled-filters.sql');
});
