import { isMarkedNumber } from '../../model/json/exact-numbers.ts';
import { isJsonObject } from '../../model/text.ts';
import type { JsonObject } from '../../model/text.ts';

/** Merges the values of one key from all pieces of a stream, in order; undefined omits the key. */
export type Reducer = (values: readonly unknown[]) => unknown;

/** Rules for merging the objects of a stream. */
export interface ReducerTable {
  /** Key → reducer. A Map, because a key called `constructor` or `__proto__` is an ordinary key. */
  readonly rows: ReadonlyMap<string, Reducer>;
  /** For texts at keys without a row, at any depth. */
  readonly unknownTexts: Reducer;
}

/** Unknown values nested deeper are not merged; the last one is used. Keeps a hostile stream from overflowing the stack. */
const maxUnknownDepth = 16;

/** For objects that are repeated in each piece: at other keys the last text is used. */
export function reducerTable(rows: Readonly<Record<string, Reducer>>): ReducerTable {
  return { rows: rowsOf(rows), unknownTexts: lastPresent };
}

/** For objects cut into pieces: at other keys the texts are joined. */
export function deltaTable(rows: Readonly<Record<string, Reducer>>): ReducerTable {
  return { rows: rowsOf(rows), unknownTexts: joinText };
}

function rowsOf(rows: Readonly<Record<string, Reducer>>): ReducerTable['rows'] {
  return new Map(Object.entries(rows));
}

/** The last value that is neither null nor an empty text, which many providers repeat in every piece. */
export const lastPresent: Reducer = (values) => values.findLast((value) => value !== null && value !== '') ?? values.at(-1);

export const leaveOut: Reducer = () => undefined;

/** Joins texts; without any, the last value (null when a key is sent but never filled). */
export const joinText: Reducer = (values) => {
  const texts = values.filter(isText);
  return texts.length > 0 ? texts.join('') : lastPresent(values);
};

/** A number that JavaScript would change is a text until it is written again. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && !isMarkedNumber(value);
}

/** Concatenates lists; without any, the last value. */
export const joinLists: Reducer = (values) => {
  const lists = values.filter((value) => Array.isArray(value));
  return lists.length > 0 ? lists.flat() : lastPresent(values);
};

/** Folds objects key by key with a table; without any, the last value. */
export function foldObject(reducers: ReducerTable): Reducer {
  return (values) => {
    const objects = values.filter(isJsonObject);
    return objects.length > 0 ? foldKeys(objects, reducers) : lastPresent(values);
  };
}

/** Folds lists whose elements carry the `index` (or else the `id`) of the element that they continue. */
export function foldList(reducers: ReducerTable): Reducer {
  return (values) => {
    const lists = values.filter((value) => Array.isArray(value));
    return lists.length > 0 ? groupElements(lists).map((elements) => foldKeys(elements, reducers)) : lastPresent(values);
  };
}

/** Splits parts into runs in which every part continues the one before it. */
export function runsOf(
  parts: readonly JsonObject[],
  continues: (last: JsonObject, part: JsonObject) => boolean,
): readonly (readonly JsonObject[])[] {
  const runs: JsonObject[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (last !== undefined && continues(last, part)) run?.push(part);
    else runs.push([part]);
  }
  return runs;
}

/**
 * Merges objects. Keys without a row are merged by type: objects are folded, lists with indices merged by index, texts by `unknownTexts`;
 * of other values the last present one is used. Identifying keys are never joined.
 */
export function foldKeys(objects: readonly JsonObject[], { rows, unknownTexts }: ReducerTable): JsonObject {
  return foldWith(objects, (key) => rows.get(key) ?? namingReducers.get(key) ?? mergeUnknown(unknownTexts, 0));
}

const namingReducers = rowsOf({
  id: lastPresent,
  index: lastPresent,
  type: lastPresent,
  object: lastPresent,
  name: lastPresent,
  role: lastPresent,
  model: lastPresent,
  format: lastPresent,
});

function foldWith(objects: readonly JsonObject[], reducerOf: (key: string) => Reducer): JsonObject {
  const valuesByKey = new Map<string, unknown[]>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      const values = valuesByKey.get(key);
      if (values === undefined) valuesByKey.set(key, [value]);
      else values.push(value);
    }
  }
  const folded = Array.from(valuesByKey, ([key, values]): [string, unknown] => [key, reducerOf(key)(values)]);
  return Object.fromEntries(folded.filter(([, value]) => value !== undefined));
}

function mergeUnknown(texts: Reducer, depth: number): Reducer {
  return (values) => {
    const present = values.filter((value) => value !== null);
    if (present.length < 2 || depth >= maxUnknownDepth) return lastPresent(values);
    if (present.every(isText)) return texts(present);
    const fold = (objects: readonly JsonObject[]): JsonObject =>
      foldWith(objects, (key) => namingReducers.get(key) ?? mergeUnknown(texts, depth + 1));
    if (present.every(isJsonObject)) return fold(present);
    const lists = present.filter((value) => Array.isArray(value));
    if (lists.length === present.length && lists.flat().every(hasIndex)) return groupElements(lists).map(fold);
    return lastPresent(values);
  };
}

function hasIndex(value: unknown): boolean {
  return isJsonObject(value) && Number.isSafeInteger(value['index']);
}

/** Groups elements by index, in order; elements without an index follow in order of arrival. */
function groupElements(lists: readonly (readonly unknown[])[]): JsonObject[][] {
  const groups = new Map<number | string, JsonObject[]>();
  let latestKey: number | string = 0;
  for (const list of lists) {
    for (const element of list.filter(isJsonObject)) {
      latestKey = keyOf(element) ?? latestKey;
      const elements = groups.get(latestKey);
      if (elements === undefined) groups.set(latestKey, [element]);
      else elements.push(element);
    }
  }
  return Array.from(groups)
    .toSorted(([left], [right]) => sortIndexOf(left) - sortIndexOf(right))
    .map(([, elements]) => elements);
}

function keyOf(element: JsonObject): number | string | undefined {
  const { index, id } = element;
  if (typeof index === 'number' && Number.isSafeInteger(index)) return index;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function sortIndexOf(key: number | string): number {
  return typeof key === 'number' ? key : Number.MAX_SAFE_INTEGER;
}
