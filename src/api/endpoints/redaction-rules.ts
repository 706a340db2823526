import { unwrap } from '../../contract/fault.ts';
import { redactionRulesAnswerSchema, redactionRulesSchema } from '../../contract/settings/redaction-rules.ts';
import { bodyFault } from '../../model/fault.ts';
import type { RedactionRule } from '../../model/redaction-rule.ts';
import { wrongPattern } from '../../redaction/pattern.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { changeVersion, ifMatchSchema, setVersion, versionHeader } from '../page/versions.ts';

export const redactionRules = [
  endpoint({
    at: 'GET /v1/redaction-rules',
    id: 'getRedactionRules',
    summary: 'Get the redaction rules of the organisation',
    text: 'What is taken out of records before they are stored.',
    action: 'read',
    answer: redactionRulesAnswerSchema,
    answered: 'The rules.',
    headers: versionHeader,
    run: async ({ context, tenant, ports }) => {
      const rules = (await ports.redactionRules.list(tenant)).map(itemOf);
      setVersion(context, rules);
      return rules;
    },
  }),
  endpoint({
    at: 'PUT /v1/redaction-rules',
    id: 'replaceRedactionRules',
    summary: 'Replace the redaction rules of the organisation',
    text: 'Takes a key with the permission `admin`. What the rules find is taken out of records before they are stored, in the order of the rules: e-mail addresses, card numbers, keys of known shapes, and what a pattern matches. Tokens and cost are counted before. Records that are stored already stay as they are, and what a caller sets afterwards (a property, a tag) is stored as it is. A body to which the rules could not be applied is left out, and the record says so in its place. With `If-Match` it overwrites no change of somebody else.',
    action: 'administer',
    requestHeaders: ifMatchSchema,
    body: redactionRulesSchema,
    example: [{ kind: 'email' }, { kind: 'regex', pattern: 'EMP-[0-9]{6}', replacement: '[employee]' }],
    answer: redactionRulesAnswerSchema,
    answered: 'Replaced.',
    headers: versionHeader,
    errors: [400, 409, 413, 415, 422],
    run: async ({ context, tenant, ports, body: rules }) => {
      refuseWrongPatterns(rules);
      await changeVersion({
        context,
        tenant,
        present: async () => (await ports.redactionRules.list(tenant)).map(itemOf),
        change: () => ports.redactionRules.replace(tenant, rules),
      });
      return rules.map(itemOf);
    },
  }),
];

function itemOf({ kind, pattern, replacement, appliesTo }: RedactionRule): DataOf<typeof redactionRulesAnswerSchema>[number] {
  return { kind, pattern, replacement, applies_to: appliesTo };
}

function refuseWrongPatterns(rules: readonly RedactionRule[]): void {
  for (const [index, { pattern }] of rules.entries()) {
    const wrong = pattern === null ? undefined : wrongPattern(pattern);
    if (wrong !== undefined) unwrap(bodyFault([index, 'pattern'], `\`pattern\` cannot be used: ${wrong}.`));
  }
}
