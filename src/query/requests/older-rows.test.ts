import { expect, test } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { displayColumns } from '../../model/record/columns.ts';
import { decodeRequestRow } from './columns.ts';

const tenant = '0197b000-0000-7000-8000-00000000000a' as OrganizationId;

/** The cells of a row that was written before the last columns, of which `display` has none. */
function olderRow(values: Readonly<Record<string, unknown>>) {
  const written = displayColumns.slice(0, displayColumns.indexOf('time_to_first_byte'));
  return decodeRequestRow({ id_hex: '1', display: JSON.stringify(written.map((name) => values[name] ?? null)) }, tenant);
}

test.each([
  [200, ''],
  [302, ''],
  [499, ''],
  [404, 'status'],
  [502, 'status'],
  [0, 'no_reply'],
])('a row from before failures were told has that of its status: %i', (status, kind) => {
  expect(olderRow({ status })).toMatchObject({ failure_kind: kind, failure_type: '', failure_message: '', client: '', client_version: '' });
});

test('a row from before streams were told is one where it has a first token', () => {
  expect(olderRow({ status: 200, time_to_first_token: 70 })).toMatchObject({ streamed: true, time_to_first_byte: 70 });
  expect(olderRow({ status: 200 })).toMatchObject({ streamed: false, time_to_first_byte: null });
});
