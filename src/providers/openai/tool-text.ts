import type { JsonObject } from '../../model/text.ts';
import { joinLines, jsonOf, listOf, objectOf, textOf } from '../format/fields.ts';

/** Deeper schemas count as `any`; keeps a hostile request from overflowing the stack. */
const maxSchemaDepth = 16;

/**
 * Approximates how OpenAI presents tools to a model: functions as TypeScript types with descriptions as comments. Their JSON would have
 * more than twice the tokens. OpenAI's built-in tools have no text from the caller.
 */
export function toolsText(tools: unknown): string {
  const functions = listOf(tools)
    .map((tool) => objectOf(objectOf(tool)['function'] ?? objectOf(tool)['custom'] ?? tool))
    .filter(({ name }) => textOf(name) !== '')
    .map(functionText);
  return functions.length === 0
    ? ''
    : joinLines(['# Tools', '## functions', 'namespace functions {', ...functions, '} // namespace functions']);
}

function functionText({ name, description, parameters }: JsonObject): string {
  const fields = fieldsText(objectOf(parameters), 0);
  return joinLines([commentText(description), `type ${textOf(name)} = (${fields === '' ? '' : `_: {\n${fields}\n}`}) => any;`]);
}

function commentText(description: unknown): string {
  const text = textOf(description);
  return text === '' ? '' : `// ${text}`;
}

function fieldsText(schema: JsonObject, depth: number): string {
  const required = new Set(listOf(schema['required']));
  return joinLines(
    Object.entries(objectOf(schema['properties'])).flatMap(([name, value]) => {
      const field = objectOf(value);
      return [commentText(field['description']), `${name}${required.has(name) ? '' : '?'}: ${typeText(field, depth + 1)},`];
    }),
  );
}

function typeText(schema: JsonObject, depth: number): string {
  if (depth > maxSchemaDepth) return 'any';
  const { enum: values, type, items, $ref: reference } = schema;
  if (Array.isArray(values)) return values.map(jsonOf).join(' | ');
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].map(objectOf);
  if (choices.length > 0) return choices.map((choice) => typeText(choice, depth + 1)).join(' | ');
  if (typeof reference === 'string') return textOf(reference.slice(reference.lastIndexOf('/') + 1));
  if (Array.isArray(type)) return type.map(textOf).join(' | ');
  if (type === 'array') return `${typeText(objectOf(items), depth + 1)}[]`;
  if (type === 'object') return `{\n${fieldsText(schema, depth + 1)}\n}`;
  return type === 'integer' ? 'number' : textOf(type) || 'any';
}
