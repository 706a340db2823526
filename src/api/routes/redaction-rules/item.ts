import type { RedactionRule } from '../../../model/redaction-rule.ts';

export function itemOf({ kind, pattern, replacement, appliesTo }: RedactionRule): object {
  return { kind, pattern, replacement, applies_to: appliesTo };
}
