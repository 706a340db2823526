import { z } from 'zod';
import { wellFormed } from '../../model/text.ts';
import { maxSessionTag } from '../../model/vocabulary/limits.ts';
import { aliasOf } from '../../model/vocabulary/property-alias.ts';
import { sessionProperties } from '../../model/vocabulary/session-properties.ts';
import { bodyFault, type Result } from '../../model/fault.ts';
import { readPropertyUpdate } from '../settings/properties.ts';

const tagSentence = `\`tag\` takes a text of at most ${maxSessionTag} characters; null or "" takes the tag away.`;

export const sessionTagSchema = z
  .object(
    {
      tag: z
        .string(tagSentence)
        .refine((tag) => Array.from(tag).length <= maxSessionTag, tagSentence)
        .nullable()
        .transform((tag) => wellFormed(tag ?? ''))
        .meta({
          type: ['string', 'null'],
          maxLength: maxSessionTag,
          description: 'The tag; null or the empty text takes it away.',
        }),
    },
    'The body is an object such as {"tag": "reviewed"}.',
  )
  .meta({ id: 'SessionTag', description: 'The tag of a session. A later one replaces it.' });

export const sessionTagAnswerSchema = z
  .object({ data: z.string().nullable().meta({ description: 'The tag, null when there is none.' }), error: z.null() })
  .meta({ id: 'SessionTagAnswer', description: 'The tag of a session.' });

/** Parses a property update of a session: as one of a request, except that the session itself cannot change. */
export function readSessionPropertyUpdate(body: unknown): Result<ReadonlyMap<string, string>> {
  const read = readPropertyUpdate(body);
  if (!read.ok || !read.value.has(sessionProperties.sessionId)) return read;
  const { sessionId } = sessionProperties;
  const written = Object.keys(Object(body) as object).find((name) => aliasOf(name) === sessionId) ?? sessionId;
  return bodyFault(
    [written],
    `\`${written}\` tells requests their session and cannot be changed for all of them at once; update the requests that are to move.`,
  );
}
