import { z } from 'zod';
import { parseTimestamp } from '../model/vocabulary/timestamp.ts';
import { integer, limitMessage, maxLimit } from './paging.ts';

const id = z.string().meta({ format: 'uuid' });

export const auditEntrySchema = z
  .object({
    id: z.int().meta({ description: 'Increases from entry to entry.' }),
    at: z.string().meta({ format: 'date-time' }),
    who: id.nullable().meta({
      description:
        'The person who has signed in, whose key it was, or who got the address of bodies; null: a key of the organisation, or nobody who is known.',
    }),
    key: id.nullable().meta({ description: "The key, also of who got an address of bodies; null for a person's own session." }),
    action: z.string().meta({
      description:
        'The `operationId` of the endpoint in this document; `acceptInvitation` and `applyGroups` (what groups of the issuer changed) are none.',
      example: 'revokeApiKey',
    }),
    target: z.string().nullable().meta({ description: 'Of what: an identifier or a name.' }),
    filter: z.unknown().meta({ description: 'Which bodies were read, or which requests were changed; null: what `target` says.' }),
    address: z.string().nullable().meta({ description: 'IP address of the client; null for `acceptInvitation` and `applyGroups`.' }),
  })
  .meta({ id: 'AuditEntry', description: 'What somebody did.' });

export const auditAnswerSchema = z
  .object({ data: z.array(auditEntrySchema), error: z.null() })
  .meta({ id: 'AuditAnswer', description: 'Entries, the newest first.' });

/** One page of what `svc-next-cursor` says. */
const cursorShape = /^(\d{1,16})-(\d{1,16})$/;
const cursorSentence = '`cursor` is the `svc-next-cursor` of the page before.';
const maxText = 512;

function text(name: string, description: string) {
  const sentence = `\`${name}\` has 1 to ${maxText} characters.`;
  return z.string(sentence).min(1, sentence).max(maxText, sentence).optional().meta({ description });
}

function time(name: string, description: string) {
  return z
    .string()
    .transform((given, context) => {
      const at = parseTimestamp(/^\d{5,}$/.test(given) ? Number(given) : given);
      if (at !== undefined) return at;
      context.addIssue({ code: 'custom', message: `\`${name}\` is a time: ISO 8601 such as 2026-01-31T12:00:00Z, or Unix milliseconds.` });
      return z.NEVER;
    })
    .optional()
    .meta({ type: 'string', description });
}

const searched = {
  who: text('who', 'Only of this person or key, by its identifier.'),
  action: text('action', 'Only this action, such as `revokeApiKey`.'),
  target: text('target', 'Only of this target.'),
  startDate: time('startDate', 'Only from this time on.'),
  endDate: time('endDate', 'Only before this time.'),
};

export const auditParametersSchema = z.object({
  ...searched,
  cursor: z
    .string(cursorSentence)
    .regex(cursorShape, cursorSentence)
    .transform((cursor) => {
      const [, at = '0', last = '0'] = cursorShape.exec(cursor) ?? [];
      return { at: Number(at), id: Number(last) };
    })
    .optional()
    .meta({ type: 'string', description: 'Begins behind the page that had it as `svc-next-cursor`.' }),
  limit: integer({ sentence: limitMessage, max: maxLimit, without: 100, description: 'Maximum entries.' }),
});

export const auditFormats = ['jsonl', 'csv'] as const;

export const auditExportParametersSchema = z.object({
  ...searched,
  format: z
    .enum(auditFormats, `\`format\` is one of ${auditFormats.join(', ')}.`)
    .default('jsonl')
    .meta({ description: 'One JSON object a line, or csv with a line of names.' }),
});
