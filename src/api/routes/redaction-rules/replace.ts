import { unwrap } from '../../../contract/fault.ts';
import { bodyFault } from '../../../model/fault.ts';
import { redactionRulesAnswerSchema, redactionRulesSchema } from '../../../contract/settings/redaction-rules.ts';
import type { RedactionRule } from '../../../model/redaction-rule.ts';
import { wrongPattern } from '../../../redaction/pattern.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf } from './item.ts';
import { readInput } from '../../http/read-input.ts';

export const replaceRedactionRules: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/redaction-rules',
    operationId: 'replaceRedactionRules',
    summary: 'Replace the redaction rules of the organisation',
    description:
      'Takes a key with the permission `admin`. What the rules find is taken out of records before they are stored, in the order of the rules: e-mail addresses, card numbers, keys of known shapes, and what a pattern matches. Tokens and cost are counted before. Records that are stored already stay as they are, and what a caller sets afterwards (a property, a tag) is stored as it is. A body to which the rules could not be applied is left out, and the record says so in its place.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(redactionRulesSchema) } },
    responses: {
      200: { description: 'Replaced.', content: jsonContent(redactionRulesAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerReplace,
};

async function answerReplace({ context, principal, ports }: RequestContext): Promise<Response> {
  const rules = await readInput(context, redactionRulesSchema);
  refuseWrongPatterns(rules);
  await ports.redactionRules.replace(principal.organizationId, rules);
  return sendData(context, rules.map(itemOf));
}

function refuseWrongPatterns(rules: readonly RedactionRule[]): void {
  for (const [place, { pattern }] of rules.entries()) {
    const wrong = pattern === null ? undefined : wrongPattern(pattern);
    if (wrong !== undefined) unwrap(bodyFault([place, 'pattern'], `\`pattern\` cannot be used: ${wrong}.`));
  }
}
