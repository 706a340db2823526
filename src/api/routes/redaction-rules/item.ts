import type { RedactionRule } from '../../../model/redaction-rule.ts';

/** A rule as answers show it. */
export function itemOf({ kind, pattern, replacement, appliesTo }: RedactionRule): object {
  return { kind, pattern, replacement, applies_to: appliesTo };
}
