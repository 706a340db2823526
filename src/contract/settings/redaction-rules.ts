import { z } from 'zod';
import {
  redactionKinds,
  redactionLimits,
  redactionTargets,
  type RedactionRule,
  defaultRedactionTargets,
  defaultReplacements,
} from '../../model/redaction-rule.ts';

const { rules: maxRules, patternCharacters, replacementCharacters } = redactionLimits;

const ruleSentence = 'A rule is an object such as {"kind": "email"} or {"kind": "regex", "pattern": "EMP-[0-9]{6}"}.';
const listSentence = `The body is an array of at most ${maxRules} rules, such as [{"kind": "email"}, {"kind": "key"}]; an empty one takes all away.`;
const kindSentence = `\`kind\` is one of ${redactionKinds.join(', ')}.`;
const patternSentence = `\`pattern\` takes 1 to ${patternCharacters} characters in the syntax of RE2.`;
const replacementSentence = `\`replacement\` takes a text of at most ${replacementCharacters} characters, which stands in the place of what was found.`;
const targetsSentence = `\`applies_to\` takes a list of ${redactionTargets.join(', ')}, each once and at least one.`;

const ruleSchema = z
  .object(
    {
      kind: z.enum(redactionKinds, kindSentence),
      pattern: z.string(patternSentence).min(1, patternSentence).max(patternCharacters, patternSentence).nullable().optional().meta({
        description:
          'Of a `regex` alone, in the syntax of RE2: without look-around and back-references. `(?i)` at its start makes it ignore case.',
        example: 'EMP-[0-9]{6}',
      }),
      replacement: z
        .string(replacementSentence)
        .max(replacementCharacters, replacementSentence)
        .refine((text) => text.isWellFormed(), replacementSentence)
        .nullable()
        .optional()
        .meta({ description: 'What stands in the place of what was found; `[email]`, `[card]`, `[key]` or `[redacted]` unless given.' }),
      applies_to: z
        .array(z.enum(redactionTargets, targetsSentence), targetsSentence)
        .min(1, targetsSentence)
        .refine((targets) => new Set(targets).size === targets.length, targetsSentence)
        .nullable()
        .optional()
        .meta({
          description: `Where the rule looks; ${defaultRedactionTargets.join(', ')} unless given. \`identifiers\` are user, session, prompt, job, node and experiment.`,
        }),
    },
    ruleSentence,
  )
  .superRefine(({ kind, pattern }, context) => {
    const needsPattern = kind === 'regex';
    if (needsPattern === ((pattern ?? null) !== null)) return;
    const message = needsPattern
      ? `A rule of the kind regex has a pattern. ${patternSentence}`
      : '`pattern` goes with the kind regex alone.';
    context.addIssue({ code: 'custom', path: ['pattern'], message });
  })
  .transform(({ kind, pattern, replacement, applies_to: targets }): RedactionRule => ({
    kind,
    pattern: pattern ?? null,
    replacement: replacement ?? defaultReplacements[kind],
    appliesTo: targets ?? defaultRedactionTargets,
  }))
  .meta({ id: 'RedactionRule', description: 'What is taken out of records before they are stored.' });

export const redactionRulesSchema = z.array(ruleSchema, listSentence).max(maxRules, listSentence).meta({ id: 'RedactionRules' });

export const redactionRulesAnswerSchema = z
  .object({
    data: z.array(
      z.object({
        kind: z.enum(redactionKinds),
        pattern: z.string().nullable(),
        replacement: z.string(),
        applies_to: z.array(z.enum(redactionTargets)),
      }),
    ),
    error: z.null(),
  })
  .meta({ id: 'RedactionRulesAnswer', description: 'The rules in force for new records, at the latest in five seconds.' });
