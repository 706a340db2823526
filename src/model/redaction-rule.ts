/** E-mail addresses, card numbers, keys of known shapes, or matches of the organisation's own pattern. */
export const redactionKinds = ['email', 'card', 'key', 'regex'] as const;
export type RedactionKind = (typeof redactionKinds)[number];

/**
 * `request`: body, texts of the messages, path, referrer, target address, requested model. `response`: body, its text, the usage object,
 * its model, identifier and service tier. `properties`: names and values of properties and prompt inputs. `identifiers`: user, session,
 * prompt, job, node and experiment, which exist to be searched by.
 */
export const redactionTargets = ['request', 'response', 'properties', 'identifiers'] as const;
export type RedactionTarget = (typeof redactionTargets)[number];

/** Places of a rule that names none: all but the identifiers. */
export const defaultRedactionTargets: readonly RedactionTarget[] = ['request', 'response', 'properties'];

export const defaultReplacements: Readonly<Record<RedactionKind, string>> = {
  email: '[email]',
  card: '[card]',
  key: '[key]',
  regex: '[redacted]',
};

/** A stored rule, with all defaults filled in. */
export interface RedactionRule {
  readonly kind: RedactionKind;
  /** Of a `regex`, in RE2 syntax; null for other kinds. */
  readonly pattern: string | null;
  readonly replacement: string;
  readonly appliesTo: readonly RedactionTarget[];
}

/** Rules per organisation, characters of a pattern and of a replacement, and instructions of a compiled pattern. */
export const redactionLimits = { rules: 32, patternCharacters: 1000, replacementCharacters: 128, patternSize: 1000 } as const;
