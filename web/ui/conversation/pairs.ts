import type { ToolCall, ToolResult, Turn } from './read/part.ts';

/** Which result answers which call. */
export interface ToolPairs {
  readonly resultOf: ReadonlyMap<ToolCall, ToolResult>;
  readonly callOf: ReadonlyMap<ToolResult, ToolCall>;
}

/**
 * Pairs calls of tools with their results. A result without an identifier answers the first open call of its tool, and one without a name
 * the first open call at all.
 */
export function pairTools(turns: readonly Turn[]): ToolPairs {
  const open: ToolCall[] = [];
  const callOf = new Map<ToolResult, ToolCall>();
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (part.kind === 'tool-call') open.push(part);
    if (part.kind !== 'tool-result') continue;
    const at = open.findIndex((call) => answers(part, call));
    const [call] = at === -1 ? [] : open.splice(at, 1);
    if (call !== undefined) callOf.set(part, call);
  }
  return { callOf, resultOf: new Map(Array.from(callOf, ([result, call]) => [call, result])) };
}

function answers(result: ToolResult, call: ToolCall): boolean {
  if (result.id !== '' && call.id !== '') return result.id === call.id;
  return result.name === '' || result.name === call.name;
}
