import { expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { condition } from '../filter/ast.ts';
import { nameProbe } from './hints.ts';
import { KnownNames } from './known-names.ts';
import { namedInHint } from './named-in-hint.ts';
import { nearValueProbe } from './near-values.ts';

const tenant = '01a200e0-5378-768f-9422-4c0080066b6a' as OrganizationId;
const filter = condition(
  { group: 'request_response_rmt', field: 'properties', name: 'Team' },
  { family: 'text', operator: 'equals', value: 'say "; there is \\ "x' },
);

it('the value on record is read from the hint of a value that no request has', () => {
  const value = 'say "; there is \\ "y';
  const hint = nearValueProbe({ tenant, filter })?.messageFor([{ place: 0, value }]);
  expect(namedInHint(hint as string)).toBe(value);
});

it.each(['team', 'Teams'])('the name on record is read from the hint, %s', (name) => {
  const hint = nameProbe({ tenant, filter }, new KnownNames())?.messageFor([{ name }]);
  expect(namedInHint(hint as string)).toBe(name);
});

it('a hint that offers nothing has no name', () => {
  expect([namedInHint(undefined), namedInHint('no request is on record yet')]).toEqual([undefined, undefined]);
});
