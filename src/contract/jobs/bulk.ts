import { z } from 'zod';
import type { BulkProperties } from '../../model/jobs/job.ts';
import { bodyFault, type FaultPath, type Result, success } from '../../model/fault.ts';
import { isJsonObject } from '../../model/text.ts';
import { propertyLimits } from '../../model/vocabulary/limits.ts';
import { filterSchema } from '../filter.ts';
import { jobSchema } from './job.ts';
import { readProperties, storedPropertyName, tooManyProperties, wrongPropertyName } from '../settings/properties.ts';

const properties = { minLength: 1, maxLength: propertyLimits.nameCharacters } as const;

// TRICKY: separate from its use, because the library's types know less of JSON Schema than its documents (`propertyNames`).
const setDocument = {
  description: 'Property names with their values. Each is added or replaced, the others stay.',
  example: { Team: 'search' },
  maxProperties: propertyLimits.properties,
  propertyNames: { type: 'string', ...properties },
} as const;

/** Documents the body; {@link readBulkChange} parses it. */
export const bulkPropertySchema = z
  .object({
    filter: filterSchema,
    set: z.record(z.string(), z.string()).optional().meta(setDocument),
    remove: z
      .array(z.string().meta(properties))
      .max(propertyLimits.properties)
      .optional()
      .meta({
        description: 'Names of properties to remove. At least one name is in `set` or here, and none in both.',
        example: ['Draft'],
      }),
    dryRun: z.boolean().optional().meta({ description: 'False: the requests are changed, by a job.', default: true }),
  })
  .meta({ id: 'BulkPropertyUpdate', description: 'Which requests get which properties.' });

export interface BulkChangeBody {
  readonly filter: unknown;
  readonly properties: BulkProperties;
  readonly isDryRun: boolean;
}

/** TRICKY: not parsed by the schema, because zod drops the name `__proto__`, which is a property name like any other. */
export function readBulkChange(body: unknown): Result<BulkChangeBody> {
  if (!isJsonObject(body)) return bodyFault([], 'The body is an object such as {"filter": "all", "set": {"Team": "search"}}.');
  const { filter, set = {}, remove = [], dryRun = true } = body;
  if (filter === undefined) return bodyFault(['filter'], '`filter` is required; "all" changes every request.');
  if (typeof dryRun !== 'boolean') return bodyFault(['dryRun'], '`dryRun` takes true or false.');
  if (!isJsonObject(set)) return bodyFault(['set'], '`set` is an object of property names and strings, such as {"Team": "search"}.');
  const values = readProperties(Object.entries(set), ['set']);
  if (!values.ok) return values;
  const removed = readRemoved(remove, values.value);
  if (!removed.ok) return removed;
  const count = values.value.size + removed.value.length;
  if (count === 0) return bodyFault([], 'Name at least one property in `set` or `remove`.');
  if (count > propertyLimits.properties) return bodyFault([], tooManyProperties(count));
  return success({ filter, properties: { set: values.value, remove: removed.value }, isDryRun: dryRun });
}

function readRemoved(remove: unknown, set: ReadonlyMap<string, string>): Result<readonly string[]> {
  if (!Array.isArray(remove)) return bodyFault(['remove'], '`remove` is a list of property names, such as ["Draft"].');
  const names = new Set<string>();
  for (const [index, name] of (remove as readonly unknown[]).entries()) {
    const path: FaultPath = ['remove', index];
    if (typeof name !== 'string') return bodyFault(path, 'The name of a property is a string.');
    const sentence = wrongPropertyName(name);
    if (sentence !== undefined) return bodyFault(path, sentence);
    const ours = storedPropertyName(name);
    if (set.has(ours)) return bodyFault(path, `\`${ours}\` is in \`set\` too. Name it once.`);
    names.add(ours);
  }
  return success([...names]);
}

const sampleValues = z.record(z.string(), z.string().nullable());

const dryRunSchema = z
  .strictObject({
    total: z.int().meta({ description: 'Requests that match now.' }),
    changing: z.int().meta({ description: 'Of these, those that the change would alter.' }),
    sample: z.array(
      z.strictObject({
        request_id: z.uuid(),
        request_created_at: z.string().meta({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' }),
        model: z.string(),
        before: sampleValues.meta({ description: 'Values of the named properties, null where there is none.' }),
        after: sampleValues,
      }),
    ),
  })
  .meta({ id: 'BulkPropertyDryRun', description: 'What the change would do, with the newest matching requests as a sample.' });

export type DryRunItem = z.infer<typeof dryRunSchema>;

export const bulkPropertyAnswerSchema = z
  .object({ data: z.union([dryRunSchema, jobSchema]), error: z.null() })
  .meta({ id: 'BulkPropertyAnswer', description: 'The dry run, or with `dryRun: false` the job.' });

export const dryRunAnswerSchema = z.object({ data: dryRunSchema, error: z.null() });
