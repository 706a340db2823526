import { type Failure, failureKinds, failureOfStatus } from '../../model/record/failure.ts';
import { exceedsBytes, isJsonObject } from '../../model/text.ts';
import { textLimits } from '../../model/vocabulary/limits.ts';
import { ItemFault, type ItemFields } from './fields.ts';

/** Items of other services and of older versions have a status alone. */
export function failureOf(fields: ItemFields, status: number): Failure | null {
  const failure = fields.value('failure');
  if (failure === undefined) return failureOfStatus(status);
  if (failure === null) return null;
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
