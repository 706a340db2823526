import type { JsonObject } from '../../model/text.ts';
import type { Attributes, AttributeValue } from '../received/span.ts';

/** Elements of one list, and names on the way to a value. More is not read. */
const bounds = { elements: 4096, levels: 12 } as const;

interface Node {
  value?: AttributeValue;
  readonly members: Map<string, Node>;
}

/**
 * Puts a list together that is spread over attributes, such as `llm.input_messages.0.message.role` with the prefix `llm.input_messages`.
 * Numbers in names are indices. @returns undefined when no attribute has the prefix.
 */
export function indexedList(attributes: Attributes, prefix: string): readonly JsonObject[] | undefined {
  const root: Node = { members: new Map() };
  const start = `${prefix}.`;
  for (const [name, value] of attributes) {
    if (!name.startsWith(start)) continue;
    const path = name.slice(start.length).split('.');
    if (path.length > bounds.levels || !/^\d{1,5}$/.test(path[0] ?? '')) continue;
    place(root, path, value);
  }
  if (root.members.size === 0) return undefined;
  return elementsOf(root).map((element) => (isNodeWithMembers(element) ? objectOf(element) : { content: element.value }));
}

function place(root: Node, path: readonly string[], value: AttributeValue): void {
  let node = root;
  for (const name of path) {
    let next = node.members.get(name);
    if (next === undefined) {
      next = { members: new Map() };
      node.members.set(name, next);
    }
    node = next;
  }
  node.value = value;
}

/** In the order of the indices; gaps close. */
function elementsOf({ members }: Node): readonly Node[] {
  return [...members]
    .toSorted(([left], [right]) => Number(left) - Number(right))
    .slice(0, bounds.elements)
    .map(([, node]) => node);
}

function isNodeWithMembers({ members }: Node): boolean {
  return members.size > 0;
}

function objectOf({ members }: Node): JsonObject {
  return Object.fromEntries([...members].map(([name, node]) => [name, valueOf(node)]));
}

function valueOf(node: Node): unknown {
  if (!isNodeWithMembers(node)) return node.value;
  return [...node.members.keys()].every((name) => /^\d+$/.test(name)) ? elementsOf(node).map(valueOf) : objectOf(node);
}
