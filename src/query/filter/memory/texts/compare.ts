import type { TextOperator } from '../../../../model/vocabulary/operators.ts';
import type { TextCondition } from '../../ast.ts';
import type { FilterRecord } from '../../record.ts';
import { indexIn } from './find.ts';
import { folded } from './fold.ts';
import { type LikePattern, likeMatches, likePatternOf } from './like.ts';
import type { Steps, Work } from './work.ts';

/** How a condition compares a text that was found. */
export interface TextComparison {
  readonly operator: TextOperator;
  /** Whether the whole field ignores case, whatever the operator. */
  readonly ignoresCase: boolean;
}

interface Sought {
  readonly text: string;
  /** Undefined: it is not kept. */
  readonly pattern: LikePattern | undefined;
}

/** Longer patterns are read each time: in memory they are many times as large as their text. */
const maxKeptPattern = 1024;
const unitsPerPatternCharacter = 50;
/** Shorter texts are folded again where several conditions ask for them. */
const minKeptFold = 256;

const soughtTexts = new WeakMap<TextCondition, Sought>();
/** Folded once for all conditions of all filters that look at a record. */
const foldedTexts = new WeakMap<FilterRecord, Map<string, string>>();

/** Whether a text of a record fits a condition. Absent text equals the empty one, and no pattern or part matches it. */
export function* textFits(
  node: TextCondition,
  found: string | undefined,
  { operator, ignoresCase }: TextComparison,
  { record, work }: { readonly record: FilterRecord; readonly work: Work },
): Steps<boolean> {
  const isFolded = ignoresCase || operator === 'ilike' || operator === 'contains' || operator === 'not-contains';
  const sought = yield* soughtOf(node, { operator, isFolded }, work);
  const text = found !== undefined && isFolded ? yield* foldedOnce(found, record, work) : found;
  switch (operator) {
    case 'equals':
      return yield* isEqual(text ?? '', sought.text, work);
    case 'not-equals':
      return !(yield* isEqual(text ?? '', sought.text, work));
    case 'like':
    case 'ilike':
      return text !== undefined && (yield* likeMatches(text, sought.pattern ?? (yield* patternOf(sought.text, work)), work));
    case 'contains':
      return text !== undefined && (yield* indexIn(text, sought.text, 0, work)) !== -1;
    case 'not-contains':
      return text === undefined ? sought.text !== '' : (yield* indexIn(text, sought.text, 0, work)) === -1;
  }
}

function* soughtOf(
  node: TextCondition,
  { operator, isFolded }: { readonly operator: TextOperator; readonly isFolded: boolean },
  work: Work,
): Steps<Sought> {
  const known = soughtTexts.get(node);
  if (known !== undefined) return known;
  const text = isFolded ? yield* folded(node.value, work) : node.value;
  const isPattern = operator === 'like' || operator === 'ilike';
  const sought = { text, pattern: isPattern && text.length <= maxKeptPattern ? yield* patternOf(text, work) : undefined };
  soughtTexts.set(node, sought);
  return sought;
}

function* patternOf(text: string, work: Work): Steps<LikePattern> {
  if (work.spend(text.length * unitsPerPatternCharacter)) yield;
  return likePatternOf(text);
}

function* isEqual(left: string, right: string, work: Work): Steps<boolean> {
  if (left.length !== right.length) return false;
  if (work.spend(left.length)) yield;
  return left === right;
}

function* foldedOnce(text: string, record: FilterRecord, work: Work): Steps<string> {
  if (text.length < minKeptFold) return yield* folded(text, work);
  const known = foldedTexts.get(record)?.get(text);
  if (known !== undefined) return known;
  const made = yield* folded(text, work);
  const texts = foldedTexts.get(record) ?? new Map<string, string>();
  foldedTexts.set(record, texts.set(text, made));
  return made;
}
