import type { Money } from '../../../model/pricing/money.ts';
import type { NumberOperator, TextOperator, TimestampOperator } from '../../../model/vocabulary/operators.ts';
import { type ConditionNode, definitionOf, type FilterNode, nameOf, type TextCondition } from '../ast.ts';
import { aliasOf } from '../../../model/vocabulary/property-alias.ts';
import { type NumberFound, type Reader, readerOf, type Subject } from './readers.ts';
import type { FilterRecord, SessionAggregates } from '../record.ts';
import { textFits } from './texts/compare.ts';
import { finished, type Steps, Work } from './texts/work.ts';

/** Units of any condition, whatever it looks at. */
const conditionUnits = 200;

/**
 * Whether a record matches a filter: the semantics of the grammar for records in memory. It shares only the vocabulary with the compiler,
 * so that each can be tested against the other. @param session the aggregates of the record's session; none for a record without one. @throws
 * TypeError when the filter needs a session's aggregates and none were given.
 */
export function matches(filter: FilterNode, record: FilterRecord, session?: SessionAggregates): boolean {
  return finished(matchesInSteps(filter, record, session, new Work()));
}

/** As {@link matches}, in steps that count their work. Its time is linear in each text that a condition looks at. @throws TooMuchWork */
export function matchesInSteps(
  filter: FilterNode,
  record: FilterRecord,
  session: SessionAggregates | undefined,
  work: Work,
): Steps<boolean> {
  return nodeHolds(filter, subjectOf(record, session), work);
}

function* nodeHolds(filter: FilterNode, subject: Subject, work: Work): Steps<boolean> {
  switch (filter.kind) {
    case 'all':
      return true;
    case 'and':
      for (const operand of filter.operands) if (!(yield* nodeHolds(operand, subject, work))) return false;
      return true;
    case 'or':
      for (const operand of filter.operands) if (yield* nodeHolds(operand, subject, work)) return true;
      return false;
    case 'condition':
      if (work.spend(conditionUnits)) yield;
      return filter.family === 'text' ? yield* textHolds(filter, subject, work) : holds(filter, subject);
  }
}

function subjectOf(record: FilterRecord, session: SessionAggregates | undefined): Subject {
  return {
    record,
    get session() {
      if (record.sessionId === '') return null;
      if (session === undefined) throw new TypeError('The filter asks for the session of the record, and its facts were not given.');
      return session;
    },
  };
}

function holds(node: Exclude<ConditionNode, TextCondition>, subject: Subject): boolean {
  const reader = readerOf(node.group, node.field);
  switch (node.family) {
    case 'number':
      return numberHolds(reader, node, subject);
    case 'timestamp': {
      const found = readAs(reader, 'timestamp').read(subject);
      return found !== null && orderHolds(node.operator, found - node.value);
    }
    case 'boolean':
      return readAs(reader, 'boolean').read(subject) === node.value;
    case 'key':
      return valueUnder(node.value, readAs(reader, 'texts'), subject) !== undefined;
  }
}

function* textHolds(node: TextCondition, subject: Subject, work: Work): Steps<boolean> {
  const reader = readerOf(node.group, node.field);
  const found = textOf(reader, node, subject);
  return yield* textFits(
    node,
    found,
    { operator: operatorOf(node), ignoresCase: isFolded(reader, node) },
    { record: subject.record, work },
  );
}

function textOf(reader: Reader, node: ConditionNode, subject: Subject): string | undefined {
  if (reader.kind === 'texts') return valueUnder(nameOf(node), reader, subject);
  const text = reader.kind === 'identifier' ? reader.read(subject) : readAs(reader, 'text').read(subject);
  return text === '' ? undefined : text;
}

/** Whether the comparison ignores case: identifiers always do, some fields where they are compared as a whole. */
function isFolded({ kind }: Reader, node: ConditionNode): boolean {
  const isEquality = node.operator === 'equals' || node.operator === 'not-equals';
  return kind === 'identifier' || (isEquality && definitionOf(node).equalsIgnoresCase === true);
}

/** Some fields read the value of `equals` as a pattern. */
function operatorOf(node: TextCondition): TextOperator {
  return node.operator === 'equals' && definitionOf(node).equalsIsPattern === true ? 'ilike' : node.operator;
}

/** The value under a name, or under the name that it aliases. */
function valueUnder(name: string, { aliased, read }: Extract<Reader, { kind: 'texts' }>, subject: Subject): string | undefined {
  const values = read(subject);
  const alias = aliased ? aliasOf(name) : undefined;
  return values.get(name) ?? (alias === undefined ? undefined : values.get(alias));
}

/** An absent number is only unequal to others; a score must exist for every operator. */
function numberHolds(reader: Reader, node: ConditionNode & { family: 'number' }, subject: Subject): boolean {
  if (reader.kind === 'numbers') {
    const score = reader.read(subject).get(nameOf(node));
    return score !== undefined && orderHolds(node.operator, orderOf(score, node.value));
  }
  const found = readAs(reader, 'number').read(subject);
  return found === null ? node.operator === 'not-equals' : orderHolds(node.operator, orderOf(found, node.value));
}

/** @param order negative when the found value is less than the sought one, positive when it is greater. */
function orderHolds(operator: NumberOperator | TimestampOperator, order: number): boolean {
  switch (operator) {
    case 'equals':
      return order === 0;
    case 'not-equals':
      return order !== 0;
    case 'gte':
      return order >= 0;
    case 'lte':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'lt':
      return order < 0;
  }
}

/** TRICKY: JavaScript compares a bigint with a number by value; a subtraction would round or throw. */
function orderOf(found: NumberFound, sought: number): number {
  if (typeof found === 'object') return orderOfMoney(found.money, sought);
  return found < sought ? -1 : found > sought ? 1 : 0;
}

/** Compares an amount with the decimal that a number of dollars is written as: 0.1 + 0.2 is more than 0.3. */
function orderOfMoney(money: Money, usd: number): number {
  const [mantissa = '', exponent = '0'] = String(usd).split('e');
  const [integerPart = '', fraction = ''] = mantissa.split('.');
  const digits = BigInt(integerPart + fraction);
  // Both in whole units of a power of ten that is fine enough for either.
  const shift = Number(exponent) - fraction.length + 12;
  const found = money * 10n ** BigInt(Math.max(-shift, 0));
  const sought = digits * 10n ** BigInt(Math.max(shift, 0));
  return found < sought ? -1 : found > sought ? 1 : 0;
}

function readAs<Kind extends Reader['kind']>(reader: Reader, kind: Kind): Extract<Reader, { kind: Kind }> {
  if (reader.kind !== kind) throw new TypeError(`A comparison of a ${kind} was asked of a ${reader.kind}.`);
  return reader as Extract<Reader, { kind: Kind }>;
}
