import { bodyFault, type Result, success } from '../../model/fault.ts';
import { maxLimitPolicy } from '../../model/limit-policy.ts';
import type { Dimension } from '../metrics/plan.ts';
import type { AlertPlan, AlertWindow } from './plan.ts';

/** What a limit of calls cannot express, so that a rule with it would refuse other calls than it tells of. */
const limits = 'A rule with `enforce` refuses calls as a budget does';

/** The policy by which a gateway refuses calls beyond the threshold of a rule: the same money, window and groups. @param forMs `for_ms` of the rule. */
export function enforcedPolicy(plan: AlertPlan, forMs = 0): Result<string> {
  const { measure, comparison, baselineDays, window, filter, minimumCount, dimensions, threshold } = plan;
  if (measure.kind !== 'metric' || measure.metric !== 'cost' || baselineDays > 0 || comparison !== 'gte') {
    const sentence = `${limits}, so it takes the sum of \`cost\` with the comparison \`gte\` and without \`baseline\`; leave \`enforce\` out.`;
    return bodyFault(['enforce'], sentence);
  }
  if (window.kind === 'rolling' && window.ms % 1000 !== 0) {
    return bodyFault(['time_window'], `${limits}, whose windows are whole seconds; got ${window.ms} milliseconds.`);
  }
  if (filter.kind !== 'all') {
    return bodyFault(['filter'], `${limits}, which counts every call; leave \`filter\` out, or group by the property in it.`);
  }
  if (minimumCount > 0) {
    return bodyFault(['minimum_request_count'], `${limits}, from the first call on; leave \`minimum_request_count\` out.`);
  }
  if (forMs > 0) return bodyFault(['for_ms'], `${limits}, without a wait; leave \`for_ms\` out.`);
  const segment = segmentOf(dimensions);
  if (segment === undefined) {
    return bodyFault(
      ['grouping'],
      `${limits}: of the organisation, of each user, or of each value of one property without ";" in its name.`,
    );
  }
  const cents = centsOf(threshold);
  if (cents === undefined) {
    return bodyFault(['threshold'], `${limits}, which counts up to 10 million dollars, to the millionth of a cent; got ${threshold}.`);
  }
  const policy = `${cents};${windowOption(window)};u=cents${segment}`;
  if (policy.length <= maxLimitPolicy) return success(policy);
  return bodyFault(['grouping'], `${limits}, whose property has a name of at most some ${maxLimitPolicy - 100} characters.`);
}

function windowOption(window: AlertWindow): string {
  return window.kind === 'rolling' ? `w=${window.ms / 1000}` : `calendar=${window.unit};tz=${window.timezone}`;
}

function segmentOf(dimensions: readonly Dimension[]): string | undefined {
  const [dimension, ...more] = dimensions;
  if (dimension === undefined) return '';
  if (more.length > 0) return undefined;
  if (dimension.kind === 'column') return dimension.name === 'user' ? ';s=user' : undefined;
  return dimension.kind === 'property' && isSegment(dimension.name) ? `;s=${dimension.name}` : undefined;
}

/** In a policy `user` is the user, and spaces around a name are not part of it. */
function isSegment(name: string): boolean {
  return name !== 'user' && name.trim() === name && !/[;\p{Cc}]/u.test(name);
}

/** Dollars as cents in decimal notation, with at most six decimals. @returns undefined for an amount that has more, or that is too large. */
function centsOf(dollars: number): string | undefined {
  const cents = dollars * 100;
  if (!(cents >= 0.000_001 && cents <= 1_000_000_000)) return undefined;
  const text = cents.toFixed(6).replace(/\.?0+$/, '');
  // Decimal fractions are not exact in binary: the amount is the same when its nearest number is.
  return Number(text) / 100 === dollars || Number((Number(text) / 100).toFixed(8)) === dollars ? text : undefined;
}
