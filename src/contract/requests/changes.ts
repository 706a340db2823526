import { z } from 'zod';
import { historyKinds } from '../../model/change.ts';
import { feedbackScore } from '../../model/vocabulary/scores.ts';
import { isJsonObject, wellFormed } from '../../model/text.ts';
import { propertyLimits, wrongNameLength } from '../../model/vocabulary/limits.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import { limitMessage, maxLimit, offsetSentence, integer } from '../paging.ts';

export const feedbackSchema = z
  .object(
    { rating: z.boolean('`rating` takes true or false.').meta({ description: 'True is good, false is bad.' }) },
    'The body is an object such as {"rating": true}.',
  )
  .meta({
    id: 'Feedback',
    description: `A rating of the answer. It is also the score \`${feedbackScore}\`, 1 or 0; a later one replaces it.`,
  });

// TRICKY: separate from its use, because the library's types know less of JSON Schema than its documents (`propertyNames`).
const scoresDocument = {
  description: 'Score names with their values. Each is added or replaced, the others stay.',
  example: { accuracy: 0.75, helpful: true },
  minProperties: 1,
  maxProperties: propertyLimits.properties,
  propertyNames: { type: 'string', minLength: 1, maxLength: propertyLimits.nameCharacters, not: { const: feedbackScore } },
} as const;

const scoreValueSchema = z.union([z.number(), z.boolean()]).meta({ description: 'A finite number; true is 1, false is 0.' });

/** Documents the body of a change of scores; {@link readScores} parses it. */
export const scoreUpdateSchema = z
  .object({ scores: z.record(z.string(), scoreValueSchema).meta(scoresDocument) })
  .meta({ id: 'ScoreUpdate', description: 'Scores of a request. Other fields are ignored with a warning.' });

/** One score in the form of older clients. */
export const evalSchema = z
  .object({ name: z.string(), score: scoreValueSchema })
  .meta({ id: 'Eval', description: 'One score of a request. Other fields are ignored with a warning.' });

export function readEval(body: unknown): Result<ReadonlyMap<string, number>> {
  if (!isJsonObject(body) || typeof body['name'] !== 'string' || body['score'] === undefined) {
    return bodyFault([], 'The body is an object such as {"name": "accuracy", "score": 0.75}.');
  }
  const { name, score } = body;
  const sentence = wrongScore(name, score);
  return sentence === undefined ? success(scoresOf([[name, score]])) : bodyFault(['score'], sentence);
}

/** TRICKY: not parsed by the schema, because zod drops the name `__proto__`, which is a name like any other. */
export function readScores(body: unknown): Result<ReadonlyMap<string, number>> {
  if (!isJsonObject(body)) return bodyFault([], 'The body is an object such as {"scores": {"accuracy": 0.75}}.');
  const { scores } = body;
  if (!isJsonObject(scores)) return bodyFault(['scores'], '`scores` is an object of names and numbers, such as {"accuracy": 0.75}.');
  const entries = Object.entries(scores);
  if (entries.length === 0) return bodyFault(['scores'], 'Name at least one score, such as {"accuracy": 0.75}.');
  if (entries.length > propertyLimits.properties) {
    return bodyFault(['scores'], `One call names at most ${propertyLimits.properties} scores; got ${entries.length}.`);
  }
  for (const [name, value] of entries) {
    const sentence = wrongScore(name, value);
    if (sentence !== undefined) return bodyFault(['scores', name], sentence);
  }
  return success(scoresOf(entries));
}

/** Adding zero turns -0 into 0; no other part of the API can write -0. */
function scoresOf(entries: readonly (readonly [name: string, value: unknown])[]): ReadonlyMap<string, number> {
  return new Map(entries.map(([name, value]) => [wellFormed(name), Number(value) + 0]));
}

function wrongScore(name: string, value: unknown): string | undefined {
  const wrongName = wrongNameLength("A score's name", name);
  if (wrongName !== undefined) return wrongName;
  if (name === feedbackScore || name === 'helicone-score-feedback') {
    return `The score \`${name}\` is the feedback; send {"rating": true} to the feedback of the request.`;
  }
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return undefined;
  return typeof value === 'number'
    ? "A score's value is a finite number; this one is too large."
    : "A score's value is a number, true or false.";
}

export const historyPageSchema = z.object({
  limit: integer({
    sentence: limitMessage,
    max: maxLimit,
    without: 50,
    description: `Entries of the page, at most ${maxLimit}.`,
  }),
  offset: integer({
    sentence: offsetSentence,
    max: Number.MAX_SAFE_INTEGER,
    without: 0,
    description: 'First entry of the page, counted from 0.',
  }),
});

const value = z.union([z.string(), z.number(), z.boolean()]);

const changeItemSchema = z
  .strictObject({
    changed_at: z.string().meta({ description: 'When the change was accepted.', format: 'date-time', example: '2026-01-31T12:00:00.000Z' }),
    key_id: z.string().meta({
      description:
        'Identifier of the key that made the change, or of the person who made it in a session of their own; `operator` for the operator of the service, `gateway` for facts from a later call through the gateway.',
    }),
    kind: z.enum(historyKinds).meta({ description: 'What was changed.' }),
    name: z.string().meta({
      description: `Name of the property or score; \`${feedbackScore}\` for a feedback, \`cost\` for a cost, \`prompt_tokens\` or \`completion_tokens\` for usage that became known later, \`request_body\` or \`response_body\` for texts that log records told; for a field that another span of the call told, its name, as \`user_id\` or \`status\`.`,
    }),
    old: value
      .nullable()
      .meta({ description: 'Value before, null when there was none; null for `session_property`, which does not keep it.' }),
    new: value.nullable().meta({
      description:
        'Value after: text of a property or field, number of a score, true or false of a feedback, US dollars of a cost, number of tokens or of messages, null where none is known.',
    }),
  })
  .meta({ id: 'Change', description: 'One name of one change of a request.' });

export type ChangeItem = z.infer<typeof changeItemSchema>;

export const changesAnswerSchema = z
  .object({ data: z.array(changeItemSchema), error: z.null() })
  .meta({ id: 'ChangesAnswer', description: 'A page of the history of a request, newest first.' });
