import { z } from 'zod';
import { messageOf } from '../../model/errors.ts';
import { uuidShape } from '../../model/ids.ts';
import { maxLimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';

const maxLimits = 32;

const limitMessage =
  'A limit is an object such as {"policy": "1000;w=3600;u=cents;s=user"}, with the `key_id` of one key, or the `value` of one user or property, if it holds for that alone.';
const valueSentence =
  '`value` is the only user, or value of the property, that the limit holds for, of 1 to 8192 characters; leave it out for each of them. It takes a policy with `s=`.';
/** In characters. */
const maxValue = 8192;
const listSentence = `The body is an array of at most ${maxLimits} limits, such as [{"policy": "1000;w=3600"}]; an empty one takes all away.`;
export const limitOfRuleSentence =
  'A limit with an `alert_id` belongs to that alert rule; change it there (PUT /v1/alerts/{id}), and leave it in the list as it is shown, or out.';
const keySentence = '`key_id` is the identifier of one of your keys, a UUID as `gatelog keys list` shows it; leave it out for all keys.';

export const policySchema = z
  .string(limitMessage)
  .superRefine((policy, context) => {
    const wrong = wrongPolicy(policy);
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong });
  })
  .meta({
    maxLength: maxLimitPolicy,
    example: '1000;w=3600;u=cents;s=user',
    description:
      '`<quota>;w=<seconds>[;u=request|cents][;s=user|<property>]`: at most `quota` calls, or cents of US dollars with `u=cents`, in each window of `seconds`; with `s=` for each user or each value of the property. In place of `w=`, `calendar=day|week|month` and `tz=` (a name of the IANA time zone database, `UTC` without) count in the days, weeks from Monday, or months of that zone.',
  });

const keyIdSchema = z
  .string(keySentence)
  .refine((keyId) => uuidShape.test(keyId), keySentence)
  .nullable();

const limitSchema = z
  .object(
    {
      policy: policySchema,
      value: z.string(valueSentence).min(1, valueSentence).max(maxValue, valueSentence).optional().meta({
        description: 'The only user, or value of the property, that it holds for; absent: each of them. It takes a policy with `s=`.',
      }),
      key_id: keyIdSchema.optional().meta({ description: 'The only key for whose calls it holds; absent or null: all.', format: 'uuid' }),
      alert_id: z
        .string(limitOfRuleSentence)
        .optional()
        .meta({ description: `As the list shows it. ${limitOfRuleSentence}` }),
      alert_name: z.string(limitOfRuleSentence).optional(),
    },
    limitMessage,
  )
  .superRefine(({ policy, value }, context) => {
    if (value !== undefined && wrongPolicy(policy) === undefined && parseLimitPolicy(policy).segment === undefined) {
      context.addIssue({ code: 'custom', path: ['value'], message: valueSentence });
    }
  })
  .meta({ id: 'RateLimit', description: 'A limit on calls or on what they cost.' });

export const rateLimitsSchema = z
  .array(limitSchema, listSentence)
  .refine((limits) => limits.filter((limit) => limit.alert_id === undefined).length <= maxLimits, listSentence)
  .meta({ id: 'RateLimits' });

export const rateLimitsAnswerSchema = z
  .object({
    data: z.array(
      z.object({
        policy: z.string(),
        value: z.string().optional(),
        key_id: z.string().nullable(),
        alert_id: z.string().optional().meta({ description: 'The alert rule with `enforce` that the limit belongs to.' }),
        alert_name: z.string().optional(),
      }),
    ),
    error: z.null(),
  })
  .meta({ id: 'RateLimitsAnswer', description: 'The limits that hold from now on; gateways see them within five seconds.' });

function wrongPolicy(policy: string): string | undefined {
  try {
    parseLimitPolicy(policy, '`policy`');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
