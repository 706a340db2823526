import { z } from 'zod';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import { viewPages } from '../../model/dashboard/view.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { ignored, nameSchema, savedFields } from './saved.ts';

const { fields: maxFields, nameCharacters, items: maxItems, bytes: maxBytes } = dashboardLimits.search;

const viewSentence = 'A view is an object such as {"name": "Errors", "page": "requests", "search": {"q": "status:>=500", "range": "24h"}}.';
const pageSentence = `\`page\` is one of ${viewPages.join(', ')}.`;
const searchSentence = `\`search\` takes an object of at most ${maxFields} parameters, such as {"q": "status:>=500", "range": "24h"}.`;
const parameterSentence = `The name of a parameter has 1 to ${nameCharacters} letters, digits, _, - or ., and begins with a letter.`;
const valueSentence = `A parameter is a text, a number, true or false, or a list of at most ${maxItems} texts.`;
const sizeSentence = `\`search\` takes at most ${maxBytes} bytes of JSON.`;

const parameterName = /^[A-Za-z][\w.-]*$/;

/** @returns the names that lead to the fault, and what to write instead; undefined without one. */
function faultOf(search: unknown): { readonly path: string[]; readonly message: string } | undefined {
  if (!isJsonObject(search)) return { path: [], message: searchSentence };
  const entries = Object.entries(search);
  if (entries.length > maxFields) return { path: [], message: searchSentence };
  for (const [name, value] of entries) {
    if (!parameterName.test(name) || name.length > nameCharacters) return { path: [name], message: parameterSentence };
    if (!isParameter(value)) return { path: [name], message: valueSentence };
  }
  return Buffer.byteLength(JSON.stringify(search)) > maxBytes ? { path: [], message: sizeSentence } : undefined;
}

function isParameter(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= maxItems && value.every((item) => typeof item === 'string');
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

const parameterDocument = {
  oneOf: [
    { type: 'string' as const },
    { type: 'number' as const },
    { type: 'boolean' as const },
    { type: 'array' as const, items: { type: 'string' as const }, maxItems },
  ],
};

const searchDocument = {
  type: 'object' as const,
  description: `Parameters of the page's address; at most ${maxBytes} bytes of JSON. They are kept as they are, and the page reads them.`,
  maxProperties: maxFields,
  additionalProperties: parameterDocument,
  example: { q: 'status:>=500', range: '24h' },
};

// TRICKY: not a record of zod, which drops the name `__proto__` without a word.
const searchSchema = z
  .unknown()
  .transform((given, context): JsonObject => {
    const fault = faultOf(given);
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault });
    return given as JsonObject;
  })
  .meta(searchDocument);

const fields = {
  name: nameSchema('name').meta({ description: 'Unique among the views of the page in the organisation.' }),
  page: z.enum(viewPages, pageSentence).meta({ description: 'The page of the dashboard whose state it is.' }),
};

export const newViewSchema = z
  .object({ ...fields, search: searchSchema, id: ignored, created_at: ignored, updated_at: ignored }, viewSentence)
  .meta({ id: 'NewView', description: 'The state of a page under a name.', required: ['name', 'page', 'search'] });

const viewSchema = z
  .object({ ...savedFields, ...fields, search: z.record(z.string(), z.unknown()).meta(searchDocument) })
  .meta({ id: 'View', description: 'A saved view.' });

export const viewAnswerSchema = z.object({ data: viewSchema, error: z.null() }).meta({ id: 'ViewAnswer' });

export const viewsAnswerSchema = z
  .object({ data: z.array(viewSchema), error: z.null() })
  .meta({ id: 'ViewsAnswer', description: `The views by page and name, at most ${dashboardLimits.views}.` });

const listedPageSentence = `\`page\` is one of ${viewPages.join(', ')}; without it the views of every page are listed.`;

export const viewListSchema = z.object({
  page: z.enum(viewPages, listedPageSentence).optional().meta({ description: 'Only views of this page.' }),
});
