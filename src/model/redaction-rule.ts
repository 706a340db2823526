/** What a rule finds: e-mail addresses, card numbers, keys of known shapes, or what a pattern of the organisation's own matches. */
export const redactionKinds = ['email', 'card', 'key', 'regex'] as const;
export type RedactionKind = (typeof redactionKinds)[number];

/**
 * Where a rule looks. `request`: body, texts of the messages, path, referrer, target address, the model that was asked for. `response`: body, its text,
 * the usage object, its model, identifier and service tier. `properties`: names and values of properties and prompt inputs. `identifiers`: user, session, prompt, job, node and experiment, which are there to be
 * searched by.
 */
export const redactionPlaces = ['request', 'response', 'properties', 'identifiers'] as const;
export type RedactionPlace = (typeof redactionPlaces)[number];

/** Where a rule looks that does not say so: everywhere but in what requests are found by. */
export const defaultRedactionPlaces: readonly RedactionPlace[] = ['request', 'response', 'properties'];

/** What stands in the place of what was found, unless a rule says otherwise. */
export const defaultReplacements: Readonly<Record<RedactionKind, string>> = {
  email: '[email]',
  card: '[card]',
  key: '[key]',
  regex: '[redacted]',
};

/** One rule, as it is stored: nothing is left to a default. */
export interface RedactionRule {
  readonly kind: RedactionKind;
  /** Of a `regex`, in the syntax of RE2; null of every other kind. */
  readonly pattern: string | null;
  readonly replacement: string;
  readonly appliesTo: readonly RedactionPlace[];
}

/** Rules of an organisation, characters of a pattern and of a replacement, and instructions that a pattern may become. */
export const redactionLimits = { rules: 32, patternCharacters: 1000, replacementCharacters: 128, patternSize: 1000 } as const;
