/** A value that every language of settings can write. */
export type Setting = string | number | boolean | readonly Setting[] | { readonly [name: string]: Setting };

/** What is set in a file of settings. */
export interface Change {
  /** Names of members, from the outermost on. */
  readonly at: readonly string[];
  readonly value: Setting;
  /** The value becomes the first element of the list at this place, instead of the one that has the same text under this name. */
  readonly elementBy?: string;
  /** What the file has to have: a value that is there stays. */
  readonly isDefault?: true;
}

export interface Edit {
  /** Names of members, and numbers of elements. */
  readonly at: readonly (string | number)[];
  /** Undefined: what is there goes. */
  readonly value: unknown;
  /** The place is a number, and a new element comes before the one that is there. */
  readonly insert?: true;
}

/** A language of settings. */
export interface Format {
  /** A file without settings. */
  readonly empty: string;
  /** What an object of the file's language says. @throws Error with a sentence when the text cannot be understood. */
  readonly parse: (text: string) => Readonly<Record<string, unknown>>;
  /** Changes one place and leaves comments, order and spaces of all others. */
  readonly edit: (text: string, edit: Edit) => string;
}

export function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
