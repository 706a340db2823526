import { type Arbitrary, boolean, constant, constantFrom, letrec, nat, oneof, record, string, tuple, uniqueArray } from 'fast-check';
import { usdOf } from '../../../model/pricing/money.ts';
import { type FieldDefinition, fieldGroups, type FieldGroup, type MapWrapper, mapWrappers } from '../../../model/vocabulary/fields.ts';
import { operatorFamilies, type TextOperator } from '../../../model/vocabulary/operators.ts';
import { namedSortKeys, sortDirections, sortKeys } from '../../../model/vocabulary/sort.ts';
import { endsInOpenEscape, escapeLike, maxLikePattern } from '../../../sql/like.ts';
import type { OrderTerm } from '../../testing/order-harness.ts';
import { nastyLetters, nastyNames, nastyText, scoreNames, sessionNames } from './nasty-records.ts';
import { type NumberFound, readerOf, type Subject } from '../memory/readers.ts';

/** Queries made up by chance over given records: most values are taken from the records and changed a little, so that many queries hit some of them. */

/** A query as a caller writes it; the order of its sort apart, since that is made for both sides. */
export interface RandomQuery {
  readonly filter: unknown;
  readonly sort: readonly OrderTerm[];
  readonly offset: number;
  readonly limit: number;
  readonly isCached: boolean;
  readonly isScored: boolean;
  readonly isPartOfExperiment: boolean;
}

interface Field {
  readonly group: FieldGroup | MapWrapper;
  readonly field: string;
  readonly definition: FieldDefinition;
  readonly wrap: (inner: unknown) => unknown;
}

const fields: readonly Field[] = [
  ...Object.entries<Readonly<Record<string, FieldDefinition>>>(fieldGroups).flatMap(([group, members]) =>
    Object.entries(members).map(([field, definition]) => ({
      group: group as FieldGroup,
      field,
      definition,
      wrap: (inner: unknown) => ({ [group]: { [field]: inner } }),
    })),
  ),
  ...Object.entries(mapWrappers).map(([wrapper, definition]) => ({
    group: wrapper as MapWrapper,
    field: wrapper,
    definition,
    wrap: (inner: unknown) => ({ [wrapper]: inner }),
  })),
];

/** Any query; `subjects` are the records that its values are taken from. */
export function randomQueries(subjects: readonly Subject[]): Arbitrary<RandomQuery> {
  return record({
    filter: randomFilters(subjects),
    sort: randomSorts,
    offset: oneof({ weight: 3, arbitrary: constant(0) }, nat(8)),
    limit: oneof({ weight: 3, arbitrary: constant(1000) }, nat(12)),
    isCached: rarely,
    isScored: rarely,
    isPartOfExperiment: rarely,
  });
}

const rarely = nat(15).map((chance) => chance === 15);

const direction = constantFrom(...sortDirections);
const plainTerms = constantFrom(...Object.keys(sortKeys)).chain((key) =>
  direction.map((of): readonly OrderTerm[] => [{ key, direction: of }]),
);
const namedTerms = constantFrom(...Object.keys(namedSortKeys)).chain((key) =>
  uniqueArray(record({ key: constant(key), name: constantFrom(...nastyNames, ...sessionNames), direction }), {
    minLength: 1,
    maxLength: 2,
    selector: ({ name }) => name,
  }),
);

/** Up to three keys of the vocabulary, of which one with names may have two. */
const randomSorts: Arbitrary<readonly OrderTerm[]> = uniqueArray(oneof({ weight: 5, arbitrary: plainTerms }, namedTerms), {
  maxLength: 3,
  selector: ([term]) => term?.key,
}).map((terms) => terms.flat());

/** Any filter. @param weightOf how often a field of the group is asked for. */
export function randomFilters(
  subjects: readonly Subject[],
  weightOf: (group: FieldGroup | MapWrapper) => number = () => 1,
): Arbitrary<unknown> {
  const perField = fields.map((field) => ({ weight: weightOf(field.group), arbitrary: leavesOf(field, subjects) }));
  const { filter } = letrec<{ filter: unknown; leaf: unknown }>((tie) => ({
    leaf: oneof({ weight: 40, arbitrary: oneof(...perField) }, constantFrom<unknown>({}, 'all')),
    filter: oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 2, arbitrary: tie('leaf') },
      { weight: 3, arbitrary: record({ left: tie('filter'), operator: constantFrom('and', 'or'), right: tie('filter') }) },
    ),
  }));
  return filter;
}

function leavesOf({ group, field, definition, wrap }: Field, subjects: readonly Subject[]): Arbitrary<unknown> {
  const reader = readerOf(group, field);
  if (definition.shape === 'key') return namesOf(definition).map((name) => wrap({ equals: name }));
  if (definition.shape === 'map') {
    return namesOf(definition).chain((name) => {
      const found = subjects.map((subject) =>
        reader.kind === 'texts' || reader.kind === 'numbers' ? reader.read(subject).get(name) : null,
      );
      return comparisons(definition, found).map((comparison) => wrap({ [name]: comparison }));
    });
  }
  const found = subjects.map((subject) => (reader.kind === 'texts' || reader.kind === 'numbers' ? null : reader.read(subject)));
  return comparisons(definition, found).map(wrap);
}

function namesOf({ family }: FieldDefinition): Arbitrary<string> {
  if (family === 'number') return constantFrom(...scoreNames, 'nowhere');
  return oneof(
    { weight: 6, arbitrary: constantFrom(...nastyNames) },
    { weight: 3, arbitrary: constantFrom(...sessionNames) },
    { weight: 1, arbitrary: constantFrom('', 'nowhere', 'helicone-session-id') },
  );
}

type Found = string | boolean | NumberFound | null | undefined;

/** An operator with a value, where the field has the given values. Each of them counts once, so that rare ones are asked for as well. */
function comparisons({ family, equalsIsPattern }: FieldDefinition, found: readonly Found[]): Arbitrary<unknown> {
  const present = found.filter((value) => value !== null && value !== undefined && value !== '');
  switch (family) {
    case 'text':
      return textComparisons([...new Set(present as readonly string[])], equalsIsPattern === true);
    case 'number':
      return numberComparisons([...new Set((present as readonly NumberFound[]).map(numberOf))]);
    case 'timestamp':
      return timestampComparisons([...new Set(present as readonly number[])]);
    case 'boolean':
      return boolean().map((value) => ({ equals: value }));
  }
}

function textComparisons(found: readonly string[], equalsIsPattern: boolean): Arbitrary<unknown> {
  const source = found.length === 0 ? nastyText : oneof({ weight: 9, arbitrary: constantFrom(...found) }, nastyText);
  const valuesOf: Readonly<Record<TextOperator, Arbitrary<string>>> = {
    equals: equalsIsPattern ? patterns(source) : fullTexts(source),
    'not-equals': fullTexts(source),
    like: patterns(source),
    ilike: patterns(source),
    contains: parts(source),
    'not-contains': parts(source),
  };
  return constantFrom(...operatorFamilies.text).chain((operator) => valuesOf[operator].map((value) => ({ [operator]: value })));
}

function fullTexts(source: Arbitrary<string>): Arbitrary<string> {
  return oneof(
    { weight: 6, arbitrary: source },
    { weight: 1, arbitrary: source.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: source.map((text) => text.toLowerCase()) },
    { weight: 1, arbitrary: source.map((text) => `${text} `) },
    { weight: 1, arbitrary: constant('') },
  );
}

/** A run of the text's characters. */
function cutsOf(source: Arbitrary<string>): Arbitrary<string> {
  return tuple(source, nat(), nat()).map(([text, from, length]) => {
    const characters = Array.from(text);
    const start = from % (characters.length + 1);
    return characters.slice(start, start + 1 + (length % (characters.length + 1))).join('');
  });
}

/** Texts to look for inside others. */
export function parts(source: Arbitrary<string>): Arbitrary<string> {
  const cuts = cutsOf(source);
  return oneof(
    { weight: 2, arbitrary: source },
    { weight: 3, arbitrary: cuts },
    { weight: 1, arbitrary: cuts.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: cuts.map((text) => text.toLowerCase()) },
    { weight: 1, arbitrary: constantFrom('', '%', '_', '\\', 'nowhere') },
  );
}

function patterns(source: Arbitrary<string>): Arbitrary<string> {
  const cuts = cutsOf(source);
  const opened = tuple(source, nat()).map(([text, place]) => {
    const characters = Array.from(text);
    return characters.map((character, index) => (index === place % characters.length ? '_' : escapeLike(character))).join('');
  });
  return oneof(
    { weight: 2, arbitrary: source },
    { weight: 2, arbitrary: source.map(escapeLike) },
    { weight: 2, arbitrary: opened },
    { weight: 2, arbitrary: cuts.map((text) => `%${escapeLike(text)}%`) },
    { weight: 1, arbitrary: cuts.map((text) => `${escapeLike(text)}%`) },
    { weight: 1, arbitrary: tuple(cuts, cuts).map(([left, right]) => `%${escapeLike(left)}%${right}%`) },
    { weight: 1, arbitrary: tuple(opened, boolean()).map(([text, upper]) => `%${upper ? text.toUpperCase() : text}`) },
    { weight: 1, arbitrary: string({ unit: constantFrom(...nastyLetters, '%', '_', '\\'), maxLength: 5 }) },
    { weight: 1, arbitrary: constantFrom('', '%', '%%', '_', '__%', '%_', '\\\\', '\\%', '\\_') },
  ).map(closed);
}

/** The pattern as it may be sent: not too long, and no escape is open at its end. */
function closed(pattern: string): string {
  const short = pattern.slice(0, maxLikePattern - 1).toWellFormed();
  return endsInOpenEscape(short) ? `${short}\\` : short;
}

function numberOf(found: NumberFound): number {
  return typeof found === 'object' ? usdOf(found.money) : Number(found);
}

function numberComparisons(found: readonly number[]): Arbitrary<unknown> {
  const source = constantFrom(...found, 0, 1, 100, 2 ** 53);
  const values = oneof(
    { weight: 5, arbitrary: source },
    { weight: 3, arbitrary: tuple(source, constantFrom(1, -1, 0.5, 1e-12, -1e-12, 4e-13, 2048)).map(([value, change]) => value + change) },
    { weight: 1, arbitrary: source.map((value) => -value) },
    { weight: 1, arbitrary: constantFrom(0.1 + 0.2, 2 ** 64, -(2 ** 64), 1e26, 1e40, -1e40, 1e-300, Number.MAX_VALUE, Number.MIN_VALUE) },
  );
  return tuple(constantFrom(...operatorFamilies.number), values).map(([operator, value]) => ({ [operator]: value }));
}

function timestampComparisons(found: readonly number[]): Arbitrary<unknown> {
  const source = constantFrom(...found, Date.UTC(2026, 1, 1));
  const written = tuple(source, constantFrom(0, 0, 1, -1), constantFrom('Z', '', '+05:30', 'ms')).map(([time, change, as]) => {
    const ms = time + change;
    if (as === 'ms') return ms;
    const offsetMs = as === '+05:30' ? 5.5 * 3_600_000 : 0;
    return new Date(ms + offsetMs).toISOString().replace('Z', as);
  });
  const values = oneof(
    { weight: 9, arbitrary: written },
    constantFrom('2026-02-01', -1e300, 1e300, 0, '0001-01-01', '9999-12-31T23:59:59.999Z'),
  );
  return tuple(constantFrom(...operatorFamilies.timestamp), values).map(([operator, value]) => ({ [operator]: value }));
}
