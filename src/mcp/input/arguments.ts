import { z } from 'zod';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { nearestName } from '../../model/nearest-name.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { sortDirections } from '../../model/vocabulary/sort.ts';
import { tokenLimits } from './budget.ts';

/** Arguments that several tools take. */
export const shared = {
  filter: z
    .looseObject({})
    .optional()
    .describe(
      'One condition {"request_response_rmt":{"FIELD":{"OP":VALUE}}}, a property {"request_response_rmt":{"properties":{"Team":{"equals":"search"}}}}, prompt text {"request":{"prompt":{"contains":"…"}}}, or {"left":F,"operator":"and"|"or","right":F}',
    ),
  from: z.string().optional().describe('ISO time, date, "today", "24h", "7d"'),
  to: z.string().optional().describe('Exclusive; now unless given'),
  timezone: z.string().optional().describe('IANA; UTC unless given'),
  sort: z.record(z.string(), z.enum(sortDirections)).optional(),
  cursor: z.string().optional().describe('Of the answer before, with the same arguments'),
  maxTokens: z
    .number()
    .int()
    .min(tokenLimits.least)
    .max(tokenLimits.most)
    .optional()
    .describe(`Budget of the answer, ${tokenLimits.standard} unless given`),
} as const;

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A schema as the protocol's library takes it. Its JSON is as short as it can be, because models read it, and a refusal says what there is.
 */
export function argumentsOf<Schema extends z.ZodObject>(schema: Schema): StandardSchemaWithJSON<unknown, z.output<Schema>> {
  const json = shortened(z.toJSONSchema(schema, { io: 'input' })) as Record<string, unknown>;
  const names = Object.keys(schema.shape);
  return {
    '~standard': {
      version: 1,
      vendor: 'gatelog',
      validate: (given) => {
        const result = schema.safeParse(withParsedTexts(given));
        if (result.success) return { value: result.data };
        return { issues: result.error.issues.map((issue) => ({ message: sentenceOf(issue, names) })) };
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

const parsedNames = ['filter', 'sort'] as const;

/** Some models write an object as the text of its JSON. */
function withParsedTexts(given: unknown): unknown {
  if (!isJsonObject(given)) return given;
  const read = { ...given };
  for (const name of parsedNames) {
    const value = read[name];
    if (value === 'all') read[name] = {};
    else if (typeof value === 'string') read[name] = parseJson(value) ?? value;
  }
  return read;
}

function sentenceOf(issue: z.core.$ZodIssue, names: readonly string[]): string {
  if (issue.code !== 'unrecognized_keys') return `\`${issue.path.join('.')}\`: ${issue.message}`;
  const [key = ''] = issue.keys;
  const nearest = nearestName(key, names);
  return `There is no argument \`${key.slice(0, 60)}\`.${nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`} Arguments: ${names.join(', ')}.`;
}

/** Keywords that say nothing to a model. */
const silent: ReadonlySet<string> = new Set(['$schema', 'propertyNames']);

function shortened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortened);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => !silent.has(key) && !(isEmptyObject(value) && key !== 'properties'));
  return Object.fromEntries(
    kept
      .filter(
        ([key, value]) =>
          !(
            key === 'properties' &&
            isEmptyObject(value) &&
            Object.hasOwn(schema, 'additionalProperties') &&
            schema['additionalProperties'] !== false
          ),
      )
      .map(([key, value]) => [key, shortened(value)]),
  ) satisfies JsonSchema;
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
