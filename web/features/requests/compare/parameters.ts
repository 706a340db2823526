import { isObject, objectsOf, shownText } from '../../../ui/conversation/read/json.ts';

/** A name with its values on both sides; null: it is not there. */
export interface ComparedValue {
  readonly name: string;
  readonly left: string | null;
  readonly right: string | null;
}

/** What is said, which stands among the messages. */
const conversation: ReadonlySet<string> = new Set([
  'messages',
  'contents',
  'input',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'prompt',
]);

const deepest = 3;

/** The parameters of two requests by their names, in the order of the left one. */
export function comparedParameters(left: unknown, right: unknown): readonly ComparedValue[] {
  const [ours, theirs] = [parametersOf(left), parametersOf(right)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((name) => ({
    name,
    left: ours.get(name) ?? null,
    right: theirs.get(name) ?? null,
  }));
}

/** Parameters inside objects have names with dots; tools are named by their names. */
function parametersOf(body: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (name: string, value: unknown, depth: number): void => {
    if (isObject(value) && depth < deepest && Object.keys(value).length > 0) {
      for (const [inner, member] of Object.entries(value)) add(`${name}.${inner}`, member, depth + 1);
    } else found.set(name, name === 'tools' ? toolNames(value) : shownText(value));
  };
  if (!isObject(body)) return found;
  for (const [name, value] of Object.entries(body)) {
    if (!conversation.has(name)) add(name, value, 1);
  }
  return found;
}

function toolNames(tools: unknown): string {
  const names = objectsOf(tools).flatMap((tool) => {
    const declared = objectsOf(tool['functionDeclarations']);
    const one = isObject(tool['function']) ? tool['function'] : tool;
    return (declared.length > 0 ? declared : [one]).map(({ name, type }) => shownText(name ?? type));
  });
  return names.length === 0 ? shownText(tools) : names.join(', ');
}
