import { type Failure, failureKinds } from '../../model/record/failure.ts';
import { exceedsBytes, isJsonObject } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { ItemFault, type ItemFields } from './fields.ts';

/** @returns undefined for items of other services and of older versions, which do not state it. */
export function statedFailure(fields: ItemFields): Failure | null | undefined {
  const failure = fields.value('failure');
  if (failure === undefined || failure === null) return failure;
  const { kind: name, type = null, message = null } = isJsonObject(failure) ? failure : {};
  const kind = failureKinds.find((known) => known === name);
  if (kind === undefined || !isTextOrNull(type) || !isTextOrNull(message)) {
    throw new ItemFault(
      'failure',
      `\`failure\` takes null or an object with a \`kind\` of ${failureKinds.join(', ')}, \`type\` and \`message\`.`,
    );
  }
  return { kind, type: type ?? '', message: message ?? '' };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && !exceedsBytes(value, textLimits.identifierBytes));
}
