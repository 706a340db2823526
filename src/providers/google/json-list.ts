import { parseJson } from '../../model/text.ts';

/**
 * The elements of a JSON list; of a truncated one, its complete objects and lists. Linear in the length. @returns an empty list when the
 * text is not a list.
 */
export function elementsOf(text: string): readonly unknown[] {
  const start = text.search(/\S/);
  if (text[start] !== '[') return [];
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed : completeObjects(text, start + 1);
}

/** Brackets, quotation marks, and backslashes for escapes within texts. */
const marks = /["\\{}[\]]/g;

function completeObjects(text: string, from: number): unknown[] {
  const objects: unknown[] = [];
  let depth = 0;
  let start = from;
  let quoted = false;
  marks.lastIndex = from;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark] = match;
    if (mark === '\\') marks.lastIndex += 1;
    else if (mark === '"') quoted = !quoted;
    else if (!quoted && (mark === '{' || mark === '[')) {
      if (depth === 0) start = match.index;
      depth += 1;
    } else if (!quoted) {
      depth -= 1;
      if (depth < 0) break;
      if (depth === 0) objects.push(parseJson(text.slice(start, match.index + 1)));
    }
  }
  return objects;
}
