import { isObject, type Json, textOf } from './json.ts';
import type { Part } from './part.ts';
import { errorPart } from './parts.ts';

/** A logged step that is no call of a model: a tool, a vector database, anything else. */
export function isStep(body: unknown): body is Json {
  return isObject(body) && ['tool', 'vector_db', 'data'].includes(textOf(body['_type']));
}

/** Members that say which step it is. */
const named: ReadonlySet<string> = new Set(['_type', 'toolName', 'name', 'operation']);

/** What a step was asked, as the call of a tool. */
export function stepCall(body: Json): readonly Part[] {
  const rest = Object.fromEntries(Object.entries(body).filter(([member]) => !named.has(member)));
  return [{ kind: 'tool-call', id: '', name: nameOf(body), input: body['input'] ?? rest }];
}

/** What a step gave. */
export function stepResult(body: unknown, request: Json): readonly Part[] {
  const errors = isObject(body) ? errorPart(body) : [];
  const given = isObject(body) && '_type' in body ? (body['output'] ?? body) : body;
  const parts: readonly Part[] =
    errors.length > 0 ? errors : [typeof given === 'string' ? { kind: 'text', text: given } : { kind: 'other', value: given }];
  return [{ kind: 'tool-result', id: '', name: nameOf(request), isError: errors.length > 0, parts }];
}

function nameOf({ _type: type, toolName, name, operation }: Json): string {
  if (type === 'tool') return textOf(toolName) || 'tool';
  return type === 'vector_db' ? `vector database ${textOf(operation)}`.trim() : textOf(name) || 'data';
}
