import { parseJson } from '../../model/text.ts';

/**
 * The elements of a JSON list, also of one that broke off: then those that came whole. Reads every character once.
 * @returns nothing when the text is no list.
 */
export function elementsOf(text: string): readonly unknown[] {
  const start = text.search(/\S/);
  if (text[start] !== '[') return [];
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed : wholeObjects(text, start + 1);
}

/** What changes the depth, or begins or ends a text; within a text, what may follow a backslash. */
const marks = /["\\{}[\]]/g;

function wholeObjects(text: string, from: number): unknown[] {
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
