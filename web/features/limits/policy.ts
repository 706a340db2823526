import { numberOf } from '../../ui/form/number-field.tsx';

/** A limit in its parts: at most `quota` calls, or cents, in each window; for each segment if there is one. */
export interface Policy {
  readonly quota: number;
  readonly seconds: number;
  readonly unit: 'request' | 'cents';
  /** `user` or the name of a property; undefined: all calls together. */
  readonly segment: string | undefined;
}

/** @returns undefined for a text that this page cannot show in parts. */
export function parsePolicy(text: string): Policy | undefined {
  const [quota = '', ...parts] = text.split(';').map((part) => part.trim());
  const members = new Map(parts.map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1).trim()]));
  const [amount, seconds] = [numberOf(quota), numberOf(members.get('w') ?? '')];
  if (amount === undefined || seconds === undefined) return undefined;
  return { quota: amount, seconds, unit: members.get('u') === 'cents' ? 'cents' : 'request', segment: members.get('s') };
}

export function policyText({ quota, seconds, unit, segment }: Policy): string {
  const parts = [
    String(quota),
    `w=${seconds}`,
    ...(unit === 'cents' ? ['u=cents'] : []),
    ...(segment === undefined ? [] : [`s=${segment}`]),
  ];
  return parts.join(';');
}
